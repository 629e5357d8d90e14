/** The state machines, from the same definitions that the one-machine runner interprets. */
import { ArnFormat, FileSystem, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  CfnStateMachineVersion,
  DefinitionBody,
  LogLevel,
  StateMachine,
  StateMachineType,
} from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { WorkflowName } from '../workflows/index.ts';
import { readDefinition } from '../workflows/run/asl.ts';
import type { Lambda } from './lambda.ts';
import { type FunctionName, workflows } from './manifest.ts';

const machineName = (stackName: string, workflow: string) => `${stackName}-${workflow}`;

/**
 * The ARN of a state machine from its name. Functions need the ARNs and the machines need the functions: names break
 * the circle.
 */
export const workflowArn = (stack: Stack, stackName: string, workflow: string): string =>
  stack.formatArn({
    service: 'states',
    resource: 'stateMachine',
    resourceName: machineName(stackName, workflow),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

export type WorkflowsOptions = {
  readonly stackName: string;
  readonly functions: Record<FunctionName, Lambda>;
  /** Values for `${name}` in the files, besides the function that runs the phases. */
  readonly substitutions: Record<string, string>;
};

export class Workflows extends Construct {
  readonly machines: Record<WorkflowName, StateMachine>;
  readonly logs: Record<WorkflowName, LogGroup>;

  constructor(scope: Construct, id: string, { stackName, functions, substitutions }: WorkflowsOptions) {
    super(scope, id);
    // Assets are files, and are copied when they are made: a definition may be larger than a template can hold.
    const folder = FileSystem.mkdtemp('asl-');
    const names = Object.keys(workflows) as WorkflowName[];
    const each = <T>(make: (name: WorkflowName) => T) =>
      Object.fromEntries(names.map((name) => [name, make(name)])) as Record<WorkflowName, T>;
    this.logs = each(
      (name) =>
        new LogGroup(this, `${name}-logs`, {
          // Step Functions grows its log policy with each new name; this prefix keeps it short.
          logGroupName: `/aws/vendedlogs/states/${machineName(stackName, name)}`,
          retention: RetentionDays.THREE_MONTHS,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
    );
    const create = (name: WorkflowName) => {
      const { doc, runner } = workflows[name];
      const { function: fn, version } = functions[runner];
      const file = join(folder, `${name}.asl.json`);
      writeFileSync(file, readDefinition(name));
      const machine = new StateMachine(this, name, {
        stateMachineName: machineName(stackName, name),
        stateMachineType: StateMachineType.STANDARD,
        definitionBody: DefinitionBody.fromFile(file),
        definitionSubstitutions: { ...substitutions, [runner.replaceAll('-', '_')]: version.functionArn },
        comment: doc,
        tracingEnabled: true,
        logs: {
          level: LogLevel.ALL,
          // Task tokens are among the data: who reads the log could end somebody's wait with one.
          includeExecutionData: false,
          destination: this.logs[name],
        },
      });
      // Any version of it: executions that began before call the one they began with.
      fn.grantInvoke(machine);
      const published = new CfnStateMachineVersion(this, `${name}-version`, {
        stateMachineArn: machine.stateMachineArn,
        stateMachineRevisionId: machine.stateMachineRevisionId,
      });
      published.applyRemovalPolicy(RemovalPolicy.RETAIN);
      return machine;
    };
    this.machines = each(create);
    rmSync(folder, { recursive: true });
  }
}
