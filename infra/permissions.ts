/** What each grant is in IAM: statements on named resources only. */
import { ArnFormat, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

import type { Partitions } from '../layers/platform/fence.ts';
import type { Context } from './context.ts';
import type { Data } from './data.ts';
import type { Lambda } from './lambda.ts';
import { calledBy, type GrantName, type TableName, withinOf } from './grants.ts';
import { type FunctionName, functions as rows, objectPrefixes, type WorkflowRow, workflows } from './manifest.ts';
import type { Settings } from './settings.ts';
import { workflowArn } from './workflows.ts';

export type GrantTargets = {
  readonly context: Context;
  readonly settings: Settings;
  readonly data: Data;
  readonly functions: Record<FunctionName, Lambda>;
};

/** Scan: whether a table is new, and the pass that brings it into another form (ADR 16). */
const reads = ['GetItem', 'BatchGetItem', 'Query', 'Scan'];
const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'];

const tableStatement = ({ data: { tables } }: GrantTargets, name: TableName) =>
  new PolicyStatement({
    actions: [...reads, ...writes].map((name) => `dynamodb:${name}`),
    resources: [tables[name].tableArn],
  });

/** Some partitions of it, which are named; what names none, as a scan does, is not granted. */
const partitionStatements = ({ data: { tables } }: GrantTargets, name: TableName, { read, write }: Partitions) => {
  const statement = (actions: readonly string[], partitions: readonly string[]) =>
    new PolicyStatement({
      actions: actions.map((action) => `dynamodb:${action}`),
      resources: [tables[name].tableArn],
      conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } },
    });
  return [
    statement(
      reads.filter((action) => action !== 'Scan'),
      read,
    ),
    statement(writes, write),
  ];
};

/** Runs of servers and those of machines are nobody's together. */
type Whose = 'servers' | 'machines';

const namesOf = (whose: Whose): string[] =>
  Object.entries<WorkflowRow>(workflows)
    .filter(([, { owner }]) => (owner === 'server') === (whose === 'servers'))
    .map(([name]) => name);

const machineArns = (stack: Stack, { context }: GrantTargets, whose: Whose) =>
  namesOf(whose).map((name) => workflowArn(stack, context.stack_name, name));

const executionArns = (stack: Stack, { context }: GrantTargets, whose: Whose) =>
  namesOf(whose).map((name) =>
    stack.formatArn({
      service: 'states',
      resource: 'execution',
      resourceName: `${context.stack_name}-${name}:*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    }),
  );

const startStatements = (stack: Stack, targets: GrantTargets, whose: Whose): PolicyStatement[] => [
  new PolicyStatement({ actions: ['states:StartExecution'], resources: machineArns(stack, targets, whose) }),
  new PolicyStatement({
    actions: ['states:DescribeExecution', 'states:StopExecution', 'states:GetExecutionHistory'],
    resources: executionArns(stack, targets, whose),
  }),
];

const callbackStatements = (stack: Stack, targets: GrantTargets, whose: Whose): PolicyStatement[] => [
  new PolicyStatement({
    actions: ['states:SendTaskSuccess', 'states:SendTaskFailure', 'states:SendTaskHeartbeat'],
    resources: machineArns(stack, targets, whose),
  }),
];

const listStatement = ({ bucketArn }: GrantTargets['data']['bucket'], prefixes: readonly string[]): PolicyStatement =>
  new PolicyStatement({
    actions: ['s3:ListBucket'],
    resources: [bucketArn],
    conditions: { StringLike: { 's3:prefix': prefixes } },
  });

const objectStatements = (
  { data: { bucket, dataKey } }: GrantTargets,
  names: readonly (keyof typeof objectPrefixes)[],
): PolicyStatement[] => {
  const prefixes = names.map((name) => `${objectPrefixes[name]}*`);
  return [
    new PolicyStatement({
      actions: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'],
      resources: prefixes.map((prefix) => bucket.arnForObjects(prefix)),
    }),
    // Without it S3 answers 403, not 404, for an object that is not there.
    listStatement(bucket, prefixes),
    new PolicyStatement({ actions: ['kms:Decrypt', 'kms:GenerateDataKey'], resources: [dataKey.keyArn] }),
  ];
};

/** Who sweeps looks for what nobody refers to, and reads none of it. */
const sweepStatements = (
  { data: { bucket } }: GrantTargets,
  names: readonly (keyof typeof objectPrefixes)[],
): PolicyStatement[] => {
  const prefixes = names.map((name) => `${objectPrefixes[name]}*`);
  return [
    new PolicyStatement({
      actions: ['s3:DeleteObject'],
      resources: prefixes.map((prefix) => bucket.arnForObjects(prefix)),
    }),
    listStatement(bucket, prefixes),
  ];
};

/** SSM parameters of this name, if there is one. AWS's own key for SSM opens for whoever may read it: its key policy says so. */
const readParameter = (stack: Stack, name: string): PolicyStatement[] => {
  if (name === '') return [];
  const resourceName = name.replace(/^\//, '');
  const resources = [stack.formatArn({ service: 'ssm', resource: 'parameter', resourceName })];
  return [new PolicyStatement({ actions: ['ssm:GetParameter'], resources })];
};

const statements: { readonly [G in GrantName]: (stack: Stack, targets: GrantTargets) => PolicyStatement[] } = {
  table: (_stack, targets) => [tableStatement(targets, 'machines')],
  'table:agents': (_stack, targets) => partitionStatements(targets, 'machines', withinOf('table:agents')!),
  tenants: (_stack, targets) => [tableStatement(targets, 'tenants')],
  objects: (_stack, targets) => objectStatements(targets, ['configdrives', 'inventories']),
  'objects:images': (_stack, targets) => objectStatements(targets, ['images']),
  'objects:images:sweep': (_stack, targets) => sweepStatements(targets, ['images']),
  'objects:sweep': (_stack, targets) => sweepStatements(targets, ['configdrives', 'inventories', 'agents', 'guests']),
  'objects:agents': (_stack, targets) => objectStatements(targets, ['agents']),
  'objects:boots': (_stack, targets) => objectStatements(targets, ['boots']),
  // Whoever writes them reads none: they are for operators.
  'objects:guests': (_stack, { data: { bucket, dataKey } }) => [
    new PolicyStatement({
      actions: ['s3:PutObject', 's3:DeleteObject'],
      resources: [bucket.arnForObjects(`${objectPrefixes.guests}*`)],
    }),
    new PolicyStatement({ actions: ['kms:GenerateDataKey'], resources: [dataKey.keyArn] }),
  ],
  // Nobody authenticates to who has it: new objects, and none of anybody else.
  'objects:inventories': (_stack, { data: { bucket, dataKey } }) => [
    new PolicyStatement({
      actions: ['s3:PutObject'],
      resources: [bucket.arnForObjects(`${objectPrefixes.inventories}*`)],
    }),
    new PolicyStatement({ actions: ['kms:GenerateDataKey'], resources: [dataKey.keyArn] }),
  ],
  'workflows:start': (stack, targets) => startStatements(stack, targets, 'machines'),
  'workflows:servers': (stack, targets) => startStatements(stack, targets, 'servers'),
  'workflows:callback': (stack, targets) => callbackStatements(stack, targets, 'machines'),
  'workflows:servers:callback': (stack, targets) => callbackStatements(stack, targets, 'servers'),
  seal: (_stack, { data }) => [
    new PolicyStatement({ actions: ['kms:Encrypt'], resources: [data.keys.secrets.keyArn] }),
  ],
  'seal:tenants': (_stack, { data }) => [
    new PolicyStatement({ actions: ['kms:Encrypt'], resources: [data.keys.tenants.keyArn] }),
  ],
  parameters: (stack, { settings, context: { users_path: path } }) => [
    ...readParameter(stack, settings.keystone_credentials),
    ...readParameter(stack, path === undefined ? '' : `${path}/*`),
  ],
  'apis:baremetal': (stack, { settings }) => readParameter(stack, settings.baremetal_credentials),
  'apis:image': (stack, { settings }) => readParameter(stack, settings.image_credentials),
  'open:tenants': (_stack, { data }) => [
    new PolicyStatement({ actions: ['kms:Decrypt'], resources: [data.keys.tenants.keyArn] }),
  ],
  open: (_stack, { data }) => [
    new PolicyStatement({ actions: ['kms:Decrypt'], resources: [data.keys.secrets.keyArn] }),
  ],
  publish: (_stack, { data: { bus } }) => [
    new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] }),
  ],
};

const invoke = (name: FunctionName, { functions }: GrantTargets): PolicyStatement[] => [
  // Any version of it: those that were deployed before call the ones they were made with.
  new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [`${functions[name].function.functionArn}:*`] }),
];

/** `FUNCTION_<NAME>` tells `layers/platform/aws/platform.ts` whom a function calls. */
const invokeVariable = (name: FunctionName): string => `FUNCTION_${name.toUpperCase().replaceAll('-', '_')}`;

/** Gives every function the grants of its row, and nothing else. */
export const grantAll = (stack: Stack, targets: GrantTargets): void => {
  for (const [name, row] of Object.entries(rows)) {
    const { function: fn } = targets.functions[name as FunctionName];
    for (const grant of row.grants) {
      const called = calledBy(grant) as FunctionName | undefined;
      const given = called ? invoke(called, targets) : statements[grant as GrantName](stack, targets);
      for (const statement of given) fn.addToRolePolicy(statement);
      if (called) fn.addEnvironment(invokeVariable(called), targets.functions[called].version.functionArn);
    }
  }
};
