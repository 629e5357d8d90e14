/** The environment of each function: settings, and the names of what its grants let it use. */
import type { Stack } from 'aws-cdk-lib';

import type { Context } from './context.ts';
import type { Data } from './data.ts';
import { type Grant, keyNameOf, type Part, partOf, tableOf } from './grants.ts';
import { type FunctionName, functions as rows, workflows } from './manifest.ts';
import { settingsOf } from './reads.ts';
import type { Settings } from './settings.ts';
import { type UserFiles, userVariables } from './users.ts';
import { workflowArn } from './workflows.ts';

type Sources = {
  readonly context: Context;
  readonly settings: Settings;
  readonly users: UserFiles;
  readonly data: Data;
};
type Environment = Record<string, string>;

/** One ARN for all of them, whose names stand in braces: Lambda takes 4 KB of variables, and each ARN is 80 bytes. */
const workflowArns = (stack: Stack, context: Context): string =>
  workflowArn(stack, context.stack_name, `{${Object.keys(workflows).join(',')}}`);

/** The variables that `layers/platform/aws/platform.ts` reads, by the part of the platform that they are for. */
const variables: { readonly [P in Part]: (stack: Stack, sources: Sources, given: readonly Grant[]) => Environment } = {
  table: (_stack, { data }, given) => ({ TABLE_NAME: data.tables[tableOf(given)!].tableName }),
  objects: (_stack, { data }) => ({ BUCKET_NAME: data.bucket.bucketName, BUCKET_KMS_KEY_ID: data.dataKey.keyArn }),
  workflows: (stack, { context }) => ({ WORKFLOW_ARNS: workflowArns(stack, context) }),
  events: (_stack, { data }) => ({ EVENT_BUS_NAME: data.bus.eventBusName }),
  sealer: (_stack, { data }, given) => ({ KMS_KEY_ID: data.keys[keyNameOf(given)].keyArn }),
  opener: (_stack, { data }, given) => ({ KMS_KEY_ID: data.keys[keyNameOf(given)].keyArn }),
  // The function that is called exists only after this: `permissions.ts` tells its name along with the right.
  functions: () => ({}),
  // A setting has the parameter's name.
  parameters: () => ({}),
  // Where the API is, is known only after this: `stack.ts` tells it.
  apis: () => ({}),
};

/** Where users are, besides the settings that it has anyway. */
const authorizerVariables = ({ context: { users_path: path }, users, settings }: Sources): Environment => {
  const where: Environment = path === undefined ? {} : { INGOT_USERS_PATH: path };
  return { ...where, ...userVariables(users, { ...settingsOf('authorizer', settings), ...where }) };
};

/** The settings that it reads, and what the function's grants need. */
export const environmentOf = (stack: Stack, name: FunctionName, sources: Sources): Environment => ({
  ...settingsOf(name, sources.settings),
  ...(name === 'authorizer' && authorizerVariables(sources)),
  ...(name === 'bmc-proxy' && { INGOT_BMC_NETWORKS: sources.context.bmc_networks.join(',') }),
  ...Object.assign(
    {},
    ...rows[name].grants.map((grant, _at, given) => variables[partOf(grant)](stack, sources, given)),
  ),
});
