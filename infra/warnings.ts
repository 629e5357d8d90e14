/** What a deployment lacks that synthesises all the same: somebody may mean it so. */
import { type Stack, Validations } from 'aws-cdk-lib';

import type { Context } from './context.ts';
import type { Settings } from './settings.ts';
import type { UserFiles } from './users.ts';

type Chosen = { readonly context: Context; readonly settings: Settings; readonly users: UserFiles };

type Row = { readonly name: string; applies(chosen: Chosen): boolean; readonly text: string };

const rows: readonly Row[] = [
  {
    name: 'NoUsers',
    applies: ({ context, settings, users }) =>
      settings.auth_strategy === 'http_basic' && users.length === 0 && context.users_path === undefined,
    text: 'Neither context htpasswd_file nor users_file names a file, nor users_path parameters: nobody will be able to call the API.',
  },
  {
    name: 'NoAgents',
    applies: ({ context, settings }) => context.endpoint_type === 'REGIONAL' && settings.agent_networks === '',
    text: 'Context agent_networks is empty: no deploy agent will reach the API over the internet. List the public addresses of your sites.',
  },
  {
    name: 'NoServiceCredentials',
    applies: ({ settings }) => settings.baremetal_credentials === '',
    text: 'Context baremetal_credentials names no SSM parameter: the functions for tenants will not be let into the Bare Metal API, and no servers can be made.',
  },
  {
    name: 'PrivateApis',
    applies: ({ context, settings }) => context.endpoint_type === 'PRIVATE' && settings.baremetal_endpoint === '',
    text: 'With endpoint_type PRIVATE the functions that call baremetal_endpoint, which stand outside any VPC, do not reach that of this deployment: name an address that they reach.',
  },
];

/** Says at synth what applies. */
export const warn = (stack: Stack, chosen: Chosen): void => {
  for (const { name, applies, text } of rows) {
    if (applies(chosen)) Validations.of(stack).addWarning(`Ingot-${name}`, text);
  }
};
