/** What tests of the tier share: LocalStack with the app in it, and a DynamoDB Local. They end with them, however they end. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { TestProject } from 'vitest/node';

import { bootstrap, deploy, type Deployment } from './deployment.ts';
import { startSimulator } from '../machine/system.ts';
import { beginRun, folder, startDynamoDbLocal, startLocalStack } from './processes.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** For the project `dynamodb`: where DynamoDB Local is. */
    dynamodb: string;
    /** For the others. */
    deployment: Deployment;
  }
}

/** Runs before the first test; what it answers, after the last. Starts what the chosen projects need. */
export default async ({ provide, vitest }: TestProject): Promise<() => Promise<void>> => {
  const chosen = new Set(vitest.projects.map(({ name }) => name));
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async () => void (await Promise.all(stops.map(async (stop) => stop())));
  beginRun();
  try {
    if (chosen.delete('dynamodb')) {
      const { endpoint, stop } = await startDynamoDbLocal();
      stops.push(stop);
      provide('dynamodb', endpoint);
    }
    if (chosen.size > 0) {
      const { endpoint, stop } = await startLocalStack();
      stops.push(stop);
      await bootstrap(endpoint);
      const deployed = await deploy(endpoint);
      const wanted = { machines: 7, profiles: 'plain', api_url: deployed.endpoints['Endpoint']!, folder };
      const { simulator, ...simulated } = await startSimulator(wanted);
      writeFileSync(join(folder, 'simulator.pid'), `${simulator.child.pid}`);
      stops.push(async () => {
        await simulator.kill('SIGTERM');
        rmSync(join(folder, 'simulator.pid'), { force: true });
      });
      provide('deployment', { ...deployed, simulated });
    }
  } catch (error) {
    await stopAll();
    throw error;
  }
  return stopAll;
};
