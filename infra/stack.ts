/** The whole of Ingot on AWS. */
import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

import { Invalid } from '../layers/domain/fault.ts';
import type { WorkflowName } from '../workflows/index.ts';
import { isInvoked } from '../layers/platform/apis.ts';
import { Alarms } from './alarms.ts';
import { Api, type ApiOptions } from './api.ts';
import { readContext, readSettings, reserveOf, type Context } from './context.ts';
import { Data } from './data.ts';
import { Feed } from './feed.ts';
import { environmentOf } from './environment.ts';
import { apiOf } from './grants.ts';
import { keepFormerIndexes } from './former-indexes.ts';
import { Lambda } from './lambda.ts';
import {
  type ApiName,
  type ApiRow,
  apis as apiRows,
  feed,
  functions as rows,
  type FunctionName,
  type FunctionRow,
  keeperNames,
  schedules,
  type SubscriptionRow,
  subscriptions as subscriptionRows,
  workflows as workflowRows,
} from './manifest.ts';
import { createLost } from './lost.ts';
import { HardwareNetwork } from './network.ts';
import { grantAll } from './permissions.ts';
import { facingOf, Rollout } from './rollout.ts';
import { Subscriptions } from './subscriptions.ts';
import { type Settings, variableOf } from './settings.ts';
import { readUserFiles } from './users.ts';
import { warn } from './warnings.ts';
import { WebAcl } from './web-acl.ts';
import { Workflows } from './workflows.ts';

type ApiRows = Readonly<Record<ApiName, ApiRow> & Record<string, ApiRow>>;

/** `apis`, `subscriptions`: those of the manifest, or more. */
export type IngotStackProps = StackProps & {
  readonly apis?: ApiRows;
  readonly subscriptions?: readonly SubscriptionRow[];
};

/** Seconds as EventBridge takes them. Throws Invalid for what it does not take. */
const minutesOf = (name: string, value: string): Duration => {
  const seconds = Number(value);
  if (seconds % 60 === 0) return Duration.minutes(seconds / 60);
  throw Invalid(`Setting ${name} has to be whole minutes on AWS, such as 300 (seconds), not ${value}; 0: never.`);
};

const capital = (word: string): string => `${word[0]!.toUpperCase()}${word.slice(1)}`;

export class IngotStack extends Stack {
  readonly context: Context;
  readonly data: Data;
  readonly functions: Record<FunctionName, Lambda>;
  readonly workflows: Workflows;
  readonly apis: Readonly<Record<ApiName, Api>>;
  readonly lost: Queue;
  readonly rollout: Rollout;

  constructor(
    scope: Construct,
    id: string,
    { apis = apiRows, subscriptions = subscriptionRows, ...props }: IngotStackProps = {},
  ) {
    super(scope, id, props);
    // Here and not in cdk.json, which is read by the CLI alone: tests and whoever synthesises without it get the same.
    for (const [flag, value] of Object.entries(CURRENTLY_RECOMMENDED_FLAGS)) this.node.setContext(flag, value);
    const context = readContext(this);
    const settings = readSettings(this);
    this.context = context;
    const users = readUserFiles(context);
    warn(this, { context, settings, users });
    const data = new Data(this, 'Data', context.stack_name);
    this.data = data;
    keepFormerIndexes(data.tables.machines, context.former_indexes);
    const network = new HardwareNetwork(this, 'HardwareNetwork', context, data);
    const functions = Object.fromEntries(
      (Object.keys(rows) as FunctionName[]).map((name) => [
        name,
        new Lambda(this, name, {
          environment: environmentOf(this, name, { context, settings, users, data }),
          network,
          reserve: reserveOf(context, name),
        }),
      ]),
    ) as Record<FunctionName, Lambda>;
    this.functions = functions;
    this.workflows = new Workflows(this, 'Workflows', {
      stackName: context.stack_name,
      functions,
      substitutions: settings,
    });
    grantAll(this, { context, settings, data, functions });
    this.apis = this.addApis(apis, { context, settings, functions });
    const { stack_name: name, web_acl_rate: rate } = context;
    if (rate > 0) void new WebAcl(this, 'WebAcl', { name, rate, apis: this.apis });
    this.tellAgentEndpoint(this.apis.baremetal, settings, functions);
    this.tellCallers(settings, functions);
    const lost = createLost(this);
    this.lost = lost;
    for (const name of keeperNames) this.addSync(context, name, functions[name]);
    this.addSchedules(context, settings);
    void new Feed(this, 'Feed', { table: data.tables[feed.table], functions, lost });
    const { bus } = data;
    void new Subscriptions(this, 'Subscriptions', { rows: subscriptions, bus, functions, lost });
    const facing = facingOf(apis);
    const { all: alarms } = new Alarms(this, 'Alarms', {
      context,
      workflows: this.workflows,
      functions,
      facing,
      apis: this.apis,
      tables: data.tables,
      lost,
    });
    this.rollout = new Rollout(this, 'Rollout', { context, functions, facing, alarms });
    this.addOutputs(data);
  }

  /** The first has the names that it was given when it was the only one: those of deployed resources may not change. */
  private addApis(
    rows: ApiRows,
    options: Pick<ApiOptions, 'context' | 'settings' | 'functions'>,
  ): Readonly<Record<ApiName, Api>> {
    const { stack_name: stackName } = options.context;
    const made = Object.entries<ApiRow>(rows).map(([key, row], at) => {
      const name = at === 0 ? stackName : `${stackName}-${key}`;
      return [
        key,
        new Api(this, `${at === 0 ? '' : capital(key)}Api`, { ...options, row, name, cloudWatchRole: at === 0 }),
      ];
    });
    return Object.fromEntries(made) as Record<ApiName, Api>;
  }

  /** Where agents reach the API goes onto their media; both functions that know of media have to agree about it. */
  private tellAgentEndpoint(api: Api, settings: Settings, functions: Record<FunctionName, Lambda>): void {
    const endpoint = settings.agent_endpoint || settings.public_endpoint || api.endpoint;
    for (const { function: fn } of [functions.workflow, functions['ramdisk-api']]) {
      fn.addEnvironment(variableOf('agent_endpoint'), endpoint);
    }
  }

  /**
   * Who calls an API as its client is told where that is: this installation's own, unless the operator names another. One
   * that is called by its function is nowhere.
   */
  private tellCallers(settings: Settings, functions: Record<FunctionName, Lambda>): void {
    for (const [name, { grants }] of Object.entries<FunctionRow>(rows)) {
      for (const api of grants.flatMap((grant) => apiOf(grant) ?? [])) {
        const endpoint = settings[`${api}_endpoint`] || (isInvoked(api) ? '' : this.apis[api].endpoint);
        functions[name as FunctionName].function.addEnvironment(variableOf(`${api}_endpoint`), endpoint);
      }
    }
  }

  /** What a rule calls; an event that it cannot hand over is kept for people. */
  private targetOf(live: Lambda['live']): LambdaFunction {
    return new LambdaFunction(live, { deadLetterQueue: this.lost });
  }

  /** Who looks after runs does so when one of theirs ends badly, and every five minutes for what no event tells. */
  private addSync({ stack_name: stackName }: Context, name: FunctionName, { live }: Lambda): void {
    const target = this.targetOf(live);
    const id = name.split('-').map(capital).join('');
    new Rule(this, `${id}Schedule`, {
      schedule: Schedule.rate(Duration.minutes(5)),
      description: `${stackName}: ${name} looks for runs whose execution is gone`,
      targets: [target],
    });
    const kept = Object.entries(workflowRows).filter(([, { keeper }]) => keeper === name);
    new Rule(this, `${id}OnEnd`, {
      description: `${stackName}: an execution that ${name} looks after ended badly`,
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: {
          status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
          stateMachineArn: kept.map(([workflow]) => this.workflows.machines[workflow as WorkflowName].stateMachineArn),
        },
      },
      targets: [target],
    });
  }

  private addSchedules({ stack_name: stackName }: Context, settings: Settings): void {
    for (const { function: name, every } of schedules) {
      if (Number(settings[every]) === 0) continue;
      new Rule(this, `${name.split('-').map(capital).join('')}Schedule`, {
        schedule: Schedule.rate(minutesOf(every, settings[every])),
        description: `${stackName}: ${name}, by setting ${every}`,
        targets: [this.targetOf(this.functions[name].live)],
      });
    }
  }

  private addOutputs(data: Data): void {
    const { baremetal, ...others } = this.apis;
    new CfnOutput(this, 'Endpoint', {
      value: baremetal.endpoint,
      description: 'Endpoint for clients (OS_ENDPOINT) and for the deploy ramdisk (ipa-api-url)',
    });
    for (const [name, api] of Object.entries<Api>(others)) {
      new CfnOutput(this, `${capital(name)}Endpoint`, { value: api.endpoint, description: api.rest.restApiName });
    }
    new CfnOutput(this, 'TableName', {
      value: data.tables.machines.tableName,
      description: 'DynamoDB table of machines',
    });
    new CfnOutput(this, 'TenantsTableName', {
      value: data.tables.tenants.tableName,
      description: 'DynamoDB table of tenants',
    });
    new CfnOutput(this, 'EventBusName', { value: data.bus.eventBusName, description: 'EventBridge bus of events' });
    new CfnOutput(this, 'BucketName', { value: data.bucket.bucketName, description: 'Configdrives' });
  }
}
