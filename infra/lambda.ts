/** One function = one folder = one role. What it may do follows from the `grants` of its manifest row. */
import { AssetHashType, Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  Alias,
  Architecture,
  Code,
  Function,
  type IFunction,
  type IVersion,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { fileURLToPath } from 'node:url';

import { bundle } from './bundling.ts';
import { functions, type FunctionName } from './manifest.ts';
import type { HardwareNetwork } from './network.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The bundle, made on this machine: CDK's own bundler makes one file and cannot split it. */
const codeOf = (name: FunctionName): Code =>
  Code.fromAsset(`${root}functions/${name}`, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: Runtime.NODEJS_24_X.bundlingImage,
      local: {
        tryBundle: (folder) => {
          bundle(name, folder);
          return true;
        },
      },
    },
  });

export type LambdaOptions = {
  readonly environment: Record<string, string>;
  readonly network: HardwareNetwork;
  /** How many of it may run at once; undefined: as many as the account lets. */
  readonly reserve: number | undefined;
};

export class Lambda extends Construct {
  readonly function: Function;
  /**
   * What this template made of it, which never changes and is never removed: a run keeps to the version it began with, and
   * so does a function with those it calls (ADR 28).
   */
  readonly version: IVersion;
  /** Where whoever comes from outside is led, now to this version and now to the next: API Gateway, rules, streams. */
  readonly live: Alias & IFunction;
  readonly logs: LogGroup;

  constructor(scope: Construct, name: FunctionName, { environment, network, reserve }: LambdaOptions) {
    super(scope, name);
    const row = functions[name];
    this.logs = new LogGroup(this, 'Logs', { retention: RetentionDays.THREE_MONTHS });
    this.function = new Function(this, 'Function', {
      // The AWS SDK is bundled too: the runtime's own copy changes without notice (ADR 4).
      code: codeOf(name),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: row.memory,
      timeout: Duration.seconds(row.timeout),
      tracing: Tracing.ACTIVE,
      environment,
      description: row.doc,
      logGroup: this.logs,
      ...(reserve !== undefined && { reservedConcurrentExecutions: reserve }),
      ...('network' in row && {
        vpc: network.vpc,
        vpcSubnets: { subnets: network.subnets },
        securityGroups: [network.securityGroup],
      }),
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
    });
    // The casts: CDK's own classes do not satisfy its interfaces under exactOptionalPropertyTypes.
    this.version = this.function.currentVersion as IVersion;
    this.live = new Alias(this, 'Live', { aliasName: 'live', version: this.version }) as Alias & IFunction;
  }
}
