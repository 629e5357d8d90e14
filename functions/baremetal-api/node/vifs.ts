/**
 * Virtual network interfaces, as far as network interface `noop` knows them: whoever runs the network does it without
 * Ingot, so attaching and detaching are accepted and nothing is remembered (ironic-deploy.md 7).
 */
import * as z from 'zod';

import { Invalid, NodeLocked, NotAcceptable } from '../../../layers/domain/fault.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { type Route, route } from '../route.ts';
import { findByIdent } from './find.ts';

/** Callers send more keys of the port, which only a network service would understand. */
const body = z.looseObject({
  id: z.string().min(1),
  port_uuid: z.string().nullish(),
  portgroup_uuid: z.string().nullish(),
});

const refuseLocked = ({ uuid, reservation }: StoredNode): void => {
  if (reservation) throw NodeLocked(uuid, reservation);
};

export const vifRoutes: Route[] = [
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/vifs',
    since: 28,
    policy: 'baremetal:node:vif:list',
    find: findByIdent,
    handle: async () => ({ body: { vifs: [] } }),
  }),
  route<z.output<typeof body>, StoredNode>({
    at: 'POST /v1/nodes/{ident}/vifs',
    since: 28,
    policy: 'baremetal:node:vif:attach',
    body,
    find: findByIdent,
    handle: async (_deps, { version, target, body: { port_uuid: port, portgroup_uuid: portgroup } }) => {
      const named = [port, portgroup].filter((value) => (value ?? null) !== null);
      if (named.length > 0 && version < 67) {
        throw NotAcceptable('Request not acceptable. port_uuid and portgroup_uuid need API version 1.67 or newer.');
      }
      if (named.length > 1) throw Invalid('port_uuid and portgroup_uuid exclude each other.');
      refuseLocked(target);
      return {};
    },
  }),
  route<undefined, StoredNode>({
    at: 'DELETE /v1/nodes/{ident}/vifs/{vif}',
    since: 28,
    policy: 'baremetal:node:vif:detach',
    find: findByIdent,
    handle: async (_deps, { target }) => {
      refuseLocked(target);
      return {};
    },
  }),
];
