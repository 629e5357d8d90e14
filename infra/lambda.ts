/** One function = one folder = one role. What it may do follows from the `grants` of its manifest row. */
import { Duration } from 'aws-cdk-lib';
import { Architecture, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { fileURLToPath } from 'node:url';

import { bundling } from './bundling.ts';
import { functions, type FunctionName } from './manifest.ts';
import type { HardwareNetwork } from './network.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export type LambdaOptions = { readonly environment: Record<string, string>; readonly network: HardwareNetwork };

export class Lambda extends Construct {
  readonly function: NodejsFunction;

  constructor(scope: Construct, name: FunctionName, { environment, network }: LambdaOptions) {
    super(scope, name);
    const row = functions[name];
    this.function = new NodejsFunction(this, 'Function', {
      entry: `${root}functions/${name}/handler.ts`,
      handler: 'handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: row.memory,
      timeout: Duration.seconds(row.timeout),
      tracing: Tracing.ACTIVE,
      environment: { NODE_OPTIONS: '--enable-source-maps', ...environment },
      // The AWS SDK is bundled too: the runtime's own copy changes without notice (ADR 4).
      bundling: { ...bundling, format: OutputFormat.ESM, externalModules: bundling.external },
      projectRoot: root,
      depsLockFilePath: `${root}package-lock.json`,
      description: row.doc,
      logGroup: new LogGroup(this, 'Logs', { retention: RetentionDays.THREE_MONTHS }),
      ...('network' in row && {
        vpc: network.vpc,
        vpcSubnets: { subnets: network.subnets },
        securityGroups: [network.securityGroup],
      }),
    });
  }
}
