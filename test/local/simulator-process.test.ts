import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { startSimulator } from '../../local/simulator-process.ts';

/** Tries to start one at these ports; what it said. */
const refusedAt = async (more: { port?: number; controlPort?: number; profiles?: string }): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-simulator-'));
  try {
    const simulator = await startSimulator(
      { machines: 1, scale: 0.01, port: 0, controlPort: 0, profiles: 'plain', ...more },
      folder,
      'http://127.0.0.1:9',
      () => {},
    );
    await simulator.stop();
    return '';
  } catch (error) {
    return (error as Error).message;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

it('says which option of npm start changes a port that is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  expect(await refusedAt({ port })).toBe(
    `The simulator could not start: The simulator cannot listen on 127.0.0.1:${port}: the port is taken or not allowed. Stop what uses it, or choose another with --simulator-port.`,
  );
  expect(await refusedAt({ controlPort: port })).toContain('choose another with --control-port.');
  other.close();
});

it('says which makes of BMCs there are', async () => {
  expect(await refusedAt({ profiles: 'dell,dull' })).toMatch(
    /--profiles takes names out of plain, dell, .* not "dull"\.$/,
  );
});
