/** The findings of cdk-nag that stand, each where it is and with the reason why. Any other finding stops synth. */
import { type CfnElement, Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

import type { Api } from './api.ts';
import { calledBy, type GrantName } from './grants.ts';
import {
  type FunctionName,
  type FunctionRow,
  functions as rows,
  objectPrefixes,
  type WorkflowRow,
  workflows,
} from './manifest.ts';
import type { IngotStack } from './stack.ts';

type Row = { readonly at: IConstruct; readonly findings: readonly string[]; readonly reason: string };

const managedPolicy = (name: string) =>
  `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/${name}]`;
const wildcard = (resource: string) => `AwsSolutions-IAM5[Resource::${resource}]`;
/** How cdk-nag writes a reference to a resource's ARN. */
const arnOf = (construct: IConstruct) =>
  `<${Stack.of(construct).getLogicalId(construct.node.defaultChild as CfnElement)}.Arn>`;

const objectsUnder =
  (...names: (keyof typeof objectPrefixes)[]) =>
  ({ data }: IngotStack): string[] =>
    names.map((name) => `${arnOf(data.bucket)}/${objectPrefixes[name]}*`);

const executions =
  (isOfServers: boolean) =>
  ({ context }: IngotStack): string[] =>
    Object.entries<WorkflowRow>(workflows)
      .filter(([, { owner }]) => (owner === 'server') === isOfServers)
      .map(
        ([name]) =>
          `arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:${context.stack_name}-${name}:*`,
      );

const userParameters = ({ context: { users_path: path } }: IngotStack): string[] =>
  path === undefined ? [] : [`arn:<AWS::Partition>:ssm:<AWS::Region>:<AWS::AccountId>:parameter${path}/*`];

/** The resources with a star in them, of the grants that have any (`permissions.ts`). */
const stars: { readonly [G in GrantName]?: { resources(stack: IngotStack): string[]; reason: string } } = {
  objects: { resources: objectsUnder('configdrives', 'inventories'), reason: 'The objects under our own prefixes.' },
  'objects:inventories': { resources: objectsUnder('inventories'), reason: 'The objects under one prefix of our own.' },
  'objects:images': { resources: objectsUnder('images'), reason: 'The objects under one prefix of our own.' },
  'objects:images:sweep': { resources: objectsUnder('images'), reason: 'The objects under one prefix of our own.' },
  'objects:agents': { resources: objectsUnder('agents'), reason: 'The objects under one prefix of our own.' },
  'objects:boots': { resources: objectsUnder('boots'), reason: 'The objects under one prefix of our own.' },
  'objects:sweep': {
    resources: objectsUnder('configdrives', 'inventories', 'agents', 'guests'),
    reason: 'The objects under our own prefixes.',
  },
  'objects:guests': { resources: objectsUnder('guests'), reason: 'The objects under one prefix of our own.' },
  parameters: { resources: userParameters, reason: 'The users, each in a parameter of its own.' },
  'workflows:start': { resources: executions(false), reason: 'The executions of our own state machines.' },
  'workflows:servers': { resources: executions(true), reason: 'The executions of our own state machines.' },
};

const functionRows = (stack: IngotStack): Row[] =>
  Object.entries(stack.functions).flatMap(([name, at]) => {
    const { grants }: FunctionRow = rows[name as keyof typeof rows];
    return [
      {
        at,
        findings: [managedPolicy('AWSLambdaBasicExecutionRole'), managedPolicy('AWSLambdaVPCAccessExecutionRole')],
        reason:
          'They grant writing logs, of any log group of the account, and to the proxy its network interfaces; AWS keeps them right.',
      },
      { at, findings: [wildcard('*')], reason: 'X-Ray knows no resources.' },
      ...grants.flatMap((grant) => {
        const called = calledBy(grant) as FunctionName | undefined;
        const versions = called && wildcard(`${arnOf(stack.functions[called].function)}:*`);
        return versions ? [{ at, findings: [versions], reason: 'Any version of a function of ours (ADR 28).' }] : [];
      }),
      ...grants.flatMap((grant) => {
        const star = stars[grant as GrantName];
        return star ? [{ at, findings: star.resources(stack).map(wildcard), reason: star.reason }] : [];
      }),
    ];
  });

const apiRows = (api: Api): Row[] => [
  {
    at: api,
    findings: [managedPolicy('AmazonAPIGatewayPushToCloudWatchLogs')],
    reason: 'It grants API Gateway writing logs; there is one such role an account and region.',
  },
  {
    at: api,
    findings: ['AwsSolutions-APIG2'],
    reason:
      'Requests are validated by the rows of the functions, with the errors that clients of each protocol expect.',
  },
  {
    at: api,
    findings: ['AwsSolutions-APIG3'],
    reason: 'A web ACL costs money each month: the operator asks for one with context web_acl_rate.',
  },
  {
    at: api,
    findings: ['AwsSolutions-APIG4'],
    reason:
      'Clients read the version documents before they prove who they are. Routes of agents are for agent_networks alone, by the policy of the API; who knows a MAC address learns by a lookup which node has it, and no token (docs/guides/agents.md).',
  },
  {
    at: api,
    findings: ['AwsSolutions-COG4'],
    reason: 'functions/authorizer knows the ways to authenticate that Ironic clients have; Cognito is none of them.',
  },
];

/** The functions that state machines call. */
const runners = [...new Set(Object.values<WorkflowRow>(workflows).map(({ runner }) => runner))];

const otherRows = ({ workflows: machines, functions, data, lost, rollout }: IngotStack): Row[] => [
  {
    at: lost,
    findings: ['AwsSolutions-SQS3'],
    reason: 'It is the queue where others put what they cannot deliver; an alarm tells people of it.',
  },
  {
    at: machines,
    findings: [wildcard('*'), ...runners.map((name) => wildcard(`${arnOf(functions[name].function)}:*`))],
    reason: 'X-Ray and vended log delivery know no resources; the other stars are any version of functions of ours.',
  },
  {
    at: rollout,
    findings: [managedPolicy('AWSCodeDeployRoleForLambdaLimited')],
    reason: 'It grants CodeDeploy leading aliases to another version, and looking at alarms; AWS keeps it right.',
  },
  {
    at: data,
    findings: ['AwsSolutions-S1'],
    reason:
      'Nothing records who reads an object: a log of reads would need a bucket of its own and hold the links. A link is of one key and one method, and lives for minutes to hours.',
  },
];

/** Acknowledges the findings that stand. */
export const acknowledgeFindings = (stack: IngotStack): void => {
  for (const { at, findings, reason } of [
    ...functionRows(stack),
    ...Object.values(stack.apis).flatMap(apiRows),
    ...otherRows(stack),
  ]) {
    Validations.of(at).acknowledge(...findings.map((id) => ({ id: `AwsSolutions::${id}`, reason })));
  }
};
