/**
 * How a new version takes over from the one before (ADR 28): what APIs lead to gets a share of the requests at first, and the
 * rest when no alarm rings; else everything goes back. Those who look after runs come last, when no other version of
 * anything is called any more.
 */
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';

import type { Context } from './context.ts';
import type { Lambda } from './lambda.ts';
import { type ApiRow, type FunctionName, keeperNames } from './manifest.ts';

const configs: { readonly [D in Context['deployment']]: ILambdaDeploymentConfig } = {
  CANARY_10PERCENT_10MINUTES: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
  CANARY_10PERCENT_30MINUTES: LambdaDeploymentConfig.CANARY_10PERCENT_30MINUTES,
  LINEAR_10PERCENT_EVERY_3MINUTES: LambdaDeploymentConfig.LINEAR_10PERCENT_EVERY_3MINUTES,
  ALL_AT_ONCE: LambdaDeploymentConfig.ALL_AT_ONCE,
};

export type RolloutOptions = {
  readonly context: Context;
  readonly functions: Record<FunctionName, Lambda>;
  /** Those of the functions that APIs lead to. */
  readonly facing: readonly FunctionName[];
  /** By name (infra/alarms.ts). */
  readonly alarms: Readonly<Record<string, Alarm>>;
};

/** The functions that APIs lead to; all that ask who calls lead to the authorizer. */
export const facingOf = (apis: Readonly<Record<string, ApiRow>>): FunctionName[] => [
  ...new Set(
    Object.values(apis)
      .flatMap(({ routes }) => routes)
      .flatMap((row): FunctionName[] => [row.function, ...(row.authorize ? ['authorizer' as const] : [])]),
  ),
];

export class Rollout extends Construct {
  constructor(scope: Construct, id: string, { context, functions, facing, alarms }: RolloutOptions) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    for (const name of facing) {
      void new LambdaDeploymentGroup(this, name, {
        application,
        alias: functions[name].live,
        deploymentConfig: configs[context.deployment],
        alarms: ['api-errors', 'api-failing'].map((alarm) => alarms[alarm]!),
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
    }
    const names = Object.keys(functions) as FunctionName[];
    const others = names.filter((name) => !keeperNames.includes(name)).map((name) => functions[name].live);
    for (const name of keeperNames) functions[name].live.node.addDependency(...others);
  }
}
