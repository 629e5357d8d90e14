/** /v1/nodes/{ident}/management: boot device and NMI (ironic-api.md 2.1). */
import * as z from 'zod';

import { validateInterface } from '../../../layers/bmc/validation.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { unsupported } from '../../../layers/domain/hardware-types.ts';
import { managementOf } from '../../../layers/domain/management.ts';
import { bool } from '../../../layers/domain/values.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { RequestParams } from '../../../workflows/management/requests.ts';
import { route, type Route } from '../route.ts';
import { askMachine } from './ask.ts';
import { findByIdent } from './find.ts';
import { requireInstance } from './for-instance.ts';

const at = '/v1/nodes/{ident}/management';
const node = { find: findByIdent } as const;

const bootBody = z.strictObject({ boot_device: z.string(), persistent: bool.nullish() });
type Device = RequestParams<'set_boot_device'>['device'];

/** Throws Invalid (400) for what the management interface of the node cannot boot from. */
const checkDevice = (target: StoredNode, device: string): Device => {
  const { boot_devices } = managementOf(target);
  const found = boot_devices.find((name) => name === device);
  if (found) return found as Device;
  throw Invalid(`Invalid boot device ${device} specified. This node supports ${boot_devices.join(', ')}.`);
};

export const managementRoutes: readonly Route[] = [
  route<undefined, StoredNode>({
    ...node,
    at: `GET ${at}/boot_device`,
    policy: 'baremetal:node:get_boot_device',
    handle: async (deps, call) => {
      validateInterface(call.target, 'management');
      return { body: await askMachine(deps, call, 'get_boot_device', {}) };
    },
  }),
  route<z.output<typeof bootBody>, StoredNode>({
    ...node,
    at: `PUT ${at}/boot_device`,
    fenced: true,
    policy: 'baremetal:node:set_boot_device',
    body: bootBody,
    arguments: true,
    handle: async (deps, call) => {
      validateInterface(call.target, 'management');
      const device = checkDevice(call.target, call.body.boot_device);
      await askMachine(deps, call, 'set_boot_device', { device, persistent: call.body.persistent ?? false });
      return {};
    },
  }),
  route<undefined, StoredNode>({
    ...node,
    at: `GET ${at}/boot_device/supported`,
    policy: 'baremetal:node:get_boot_device',
    handle: async (_deps, { target }) => ({ body: { supported_boot_devices: managementOf(target).boot_devices } }),
  }),
  route<unknown, StoredNode>({
    ...node,
    at: `PUT ${at}/inject_nmi`,
    fenced: true,
    since: 29,
    policy: 'baremetal:node:inject_nmi',
    body: z.strictObject({}),
    arguments: true,
    handle: async (deps, call) => {
      requireInstance(call, call.target);
      if (!managementOf(call.target).nmi) throw unsupported(call.target.driver, 'inject_nmi');
      validateInterface(call.target, 'management');
      await askMachine(deps, call, 'inject_nmi', {});
      return {};
    },
  }),
];
