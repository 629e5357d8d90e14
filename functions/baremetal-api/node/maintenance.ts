/** PUT and DELETE maintenance: an operator takes a node out of service and back (ironic-states.md 14). */
import * as z from 'zod';

import { NodeLocked } from '../../../layers/domain/fault.ts';
import type { Subject } from '../../../layers/domain/policy.ts';
import { askedBy } from '../../../layers/store/events.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { type Deps, type Route, route } from '../route.ts';
import { findByIdent } from './find.ts';

type Maintenance = Pick<StoredNode, 'maintenance' | 'maintenance_reason' | 'fault'>;

/** Also what the service set by itself (`fault`) is replaced by the operator's word. Throws NodeLocked (409). */
const setMaintenance = async (deps: Deps, uuid: string, wanted: Maintenance, subject: Subject): Promise<void> => {
  await changeRecord(deps, kinds.node, uuid, (node) => {
    if (node.reservation) throw NodeLocked(uuid, node.reservation);
    const message = wanted.maintenance
      ? `Maintenance was set: ${wanted.maintenance_reason ?? 'no reason given'}.`
      : 'Maintenance was ended.';
    return {
      set: wanted,
      events: [{ kind: 'request', severity: 'INFO', event_type: 'maintenance', message, ...askedBy(subject) }],
    };
  });
};

const body = z.strictObject({ reason: z.string().nullish() });

export const maintenanceRoutes: Route[] = [
  route<z.output<typeof body>, StoredNode>({
    at: 'PUT /v1/nodes/{ident}/maintenance',
    movesIn: true,
    fenced: false,
    policy: 'baremetal:node:set_maintenance',
    status: 202,
    body,
    arguments: true,
    find: findByIdent,
    handle: async (deps, { target, body: { reason }, subject }) => {
      const wanted = { maintenance: true, maintenance_reason: reason ?? null, fault: null };
      await setMaintenance(deps, target.uuid, wanted, subject);
      return {};
    },
  }),
  route<undefined, StoredNode>({
    at: 'DELETE /v1/nodes/{ident}/maintenance',
    movesIn: true,
    fenced: false,
    policy: 'baremetal:node:clear_maintenance',
    status: 202,
    find: findByIdent,
    handle: async (deps, { target, subject }) => {
      const wanted = { maintenance: false, maintenance_reason: null, fault: null };
      await setMaintenance(deps, target.uuid, wanted, subject);
      return {};
    },
  }),
];
