/**
 * Virtual network interfaces, as far as network interface `noop` knows them: what is attached is remembered with the
 * node, and told by events to whoever runs the network; no port is chosen, and no switch is touched (ironic-deploy.md 7).
 */
import * as z from 'zod';

import { Conflict, Invalid, NodeLocked, NotAcceptable } from '../../../layers/domain/fault.ts';
import { maxVifs, type Vif } from '../../../layers/domain/node.ts';
import type { Subject } from '../../../layers/domain/policy.ts';
import { text } from '../../../layers/domain/values.ts';
import { askedBy } from '../../../layers/store/events.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { type Deps, type Route, route } from '../route.ts';
import { findByIdent } from './find.ts';

/** Callers send more keys of the port, which only a network service would understand. */
const body = z.looseObject({
  id: text(255),
  port_uuid: text(255).nullish(),
  portgroup_uuid: text(255).nullish(),
});

/** Changes the VIFs of a node; `done` goes into its history. Throws what `change` throws, NodeLocked (409). */
const changeVifs = async (
  deps: Deps,
  uuid: string,
  subject: Subject,
  done: string,
  change: (attached: readonly Vif[]) => readonly Vif[],
): Promise<void> => {
  await changeRecord(deps, kinds.node, uuid, ({ reservation, vifs }) => {
    if (reservation) throw NodeLocked(uuid, reservation);
    const after = change(vifs ?? []);
    return {
      set: { vifs: after.length > 0 ? after : null },
      events: [{ kind: 'request', severity: 'INFO', event_type: 'network', message: done, ...askedBy(subject) }],
    };
  });
};

/** Throws Conflict (409) for one that is attached, which callers take for success, Invalid (400) for one too many. */
const attach = (node: string, vif: Vif) => (attached: readonly Vif[]) => {
  if (attached.some(({ id }) => id === vif.id)) throw Conflict(`VIF ${vif.id} is already attached to node ${node}.`);
  if (attached.length >= maxVifs) throw Invalid(`Node ${node} has ${maxVifs} VIFs, which is the most: detach one.`);
  return [...attached, vif];
};

/** Throws Invalid (400) for one that is not attached, which callers take for success. */
const detach = (node: string, id: string) => (attached: readonly Vif[]) => {
  const rest = attached.filter((vif) => vif.id !== id);
  if (rest.length === attached.length) throw Invalid(`VIF ${id} is not attached to node ${node}.`);
  return rest;
};

export const vifRoutes: Route[] = [
  route<undefined, StoredNode>({
    at: 'GET /v1/nodes/{ident}/vifs',
    since: 28,
    policy: 'baremetal:node:vif:list',
    find: findByIdent,
    handle: async (_deps, { target: { vifs } }) => ({ body: { vifs: (vifs ?? []).map(({ id }) => ({ id })) } }),
  }),
  route<z.output<typeof body>, StoredNode>({
    at: 'POST /v1/nodes/{ident}/vifs',
    since: 28,
    policy: 'baremetal:node:vif:attach',
    body,
    find: findByIdent,
    handle: async (deps, { version, target: { uuid }, body: { id, port_uuid, portgroup_uuid }, subject }) => {
      const vif: Vif = { id, port_uuid: port_uuid ?? null, portgroup_uuid: portgroup_uuid ?? null };
      const isNamed = vif.port_uuid !== null || vif.portgroup_uuid !== null;
      if (isNamed && version < 67) {
        throw NotAcceptable('Request not acceptable. port_uuid and portgroup_uuid need API version 1.67 or newer.');
      }
      if (vif.port_uuid !== null && vif.portgroup_uuid !== null) {
        throw Invalid('port_uuid and portgroup_uuid exclude each other.');
      }
      await changeVifs(deps, uuid, subject, `VIF ${id} was attached.`, attach(uuid, vif));
      return {};
    },
  }),
  route<undefined, StoredNode>({
    at: 'DELETE /v1/nodes/{ident}/vifs/{vif}',
    since: 28,
    policy: 'baremetal:node:vif:detach',
    find: findByIdent,
    handle: async (deps, { target: { uuid }, params, subject }) => {
      const id = params['vif']!;
      await changeVifs(deps, uuid, subject, `VIF ${id} was detached.`, detach(uuid, id));
      return {};
    },
  }),
];
