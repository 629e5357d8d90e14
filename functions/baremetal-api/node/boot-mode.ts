/** PUT states/boot_mode and states/secure_boot (ironic-api.md 2.1, since 1.76). */
import * as z from 'zod';

import { validateInterface } from '../../../layers/bmc/validation.ts';
import { isTransient } from '../../../layers/domain/baremetal/states.ts';
import { Conflict } from '../../../layers/domain/fault.ts';
import { bool } from '../../../layers/domain/values.ts';
import type { ManagementRequest } from '../../../layers/store/management-requests.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { route, type Call, type Deps, type Route } from '../route.ts';
import { startManagement } from './ask.ts';
import { findByIdent } from './find.ts';

/** Work in progress may be setting the boot mode itself, and counts on what it found. */
const permit = (node: StoredNode): void => {
  if (isTransient(node)) {
    throw Conflict(
      `Node ${node.uuid} is in state "${node.provision_state}": boot mode and secure boot cannot be changed before that ends.`,
    );
  }
  validateInterface(node, 'management');
};

const startChange = async (deps: Deps, call: Call<unknown, StoredNode>, request: ManagementRequest, told: string) => {
  permit(call.target);
  await startManagement(deps, call, { request, told, permit });
  return { location: `/v1/nodes/${call.params['ident']}/states` };
};

const modeBody = z.strictObject({ target: z.enum(['uefi', 'bios']) });
const secureBody = z.strictObject({ target: bool });
const common = { since: 76, rolesFirst: true, status: 202, arguments: true, find: findByIdent } as const;

export const bootModeRoutes: readonly Route[] = [
  route<z.output<typeof modeBody>, StoredNode>({
    ...common,
    at: 'PUT /v1/nodes/{ident}/states/boot_mode',
    fenced: true,
    policy: 'baremetal:node:set_boot_mode',
    body: modeBody,
    handle: async (deps, call) => {
      const mode = call.body.target;
      return startChange(deps, call, { action: 'boot_mode', mode }, `Asked for boot mode ${mode}.`);
    },
  }),
  route<z.output<typeof secureBody>, StoredNode>({
    ...common,
    at: 'PUT /v1/nodes/{ident}/states/secure_boot',
    fenced: true,
    policy: 'baremetal:node:set_secure_boot',
    body: secureBody,
    handle: async (deps, call) => {
      const enabled = call.body.target;
      const told = `Asked for secure boot ${enabled ? 'on' : 'off'}.`;
      return startChange(deps, call, { action: 'secure_boot', enabled }, told);
    },
  }),
];
