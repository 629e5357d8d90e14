/** GET bios and firmware: what the BMC said when the node was verified (ironic-api.md 2.1). No machine is asked. */
import { bios, type Bios } from '../../../layers/domain/bios.ts';
import { NotFound } from '../../../layers/domain/fault.ts';
import { firmware, type Firmware } from '../../../layers/domain/firmware.ts';
import { readWant } from '../../../layers/domain/page.ts';
import { projector, type Want } from '../../../layers/domain/projection.ts';
import { listBios, listFirmware, readBios } from '../../../layers/store/machine-settings.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { route, type Call, type Route } from '../route.ts';
import { findByIdent } from './find.ts';

const view = (call: Call<unknown, StoredNode>, want: Want) =>
  projector<Bios>(bios, call, want, {
    at: `nodes/${call.target.uuid}/bios`,
    ident: ({ name }) => encodeURIComponent(name),
    owned: call.target,
  });

const aboutBios = { since: 40, policy: 'baremetal:node:bios:get', find: findByIdent } as const;

export const biosRoutes: readonly Route[] = [
  route<undefined, StoredNode>({
    ...aboutBios,
    at: 'GET /v1/nodes/{ident}/bios',
    query: { fields: { since: 74 }, detail: { since: 74 } },
    handle: async ({ table }, call) => {
      const show = view(call, readWant(bios, call.version, call.query));
      return { body: { bios: (await listBios(table, call.target.uuid)).map(show) } };
    },
  }),
  route<undefined, StoredNode>({
    ...aboutBios,
    at: 'GET /v1/nodes/{ident}/bios/{setting}',
    handle: async ({ table }, call) => {
      const name = call.params['setting']!;
      const found = await readBios(table, call.target.uuid, name);
      if (!found) throw NotFound(`Node ${call.target.uuid} doesn't have a BIOS setting '${name}'.`);
      return { body: { [name]: view(call, 'all')(found) } };
    },
  }),
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/firmware',
    since: 86,
    policy: 'baremetal:node:firmware:get',
    query: { fields: {}, detail: {} },
    find: findByIdent,
    handle: async ({ table }, call) => {
      const want = readWant(firmware, call.version, call.query);
      const show = projector<Firmware>(firmware, call, want, { owned: call.target });
      return { body: { firmware: (await listFirmware(table, call.target.uuid)).map(show) } };
    },
  }),
];
