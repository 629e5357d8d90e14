/** PUT states/raid: how the disks are to be combined when the node is next cleaned (ironic-api.md 2.1, since 1.12). */
import { validateInterface } from '../../../layers/bmc/validation.ts';
import { isFault, NodeLocked, NotFound } from '../../../layers/domain/fault.ts';
import { refuseForeign } from '../../../layers/domain/foreign-types.ts';
import { checkRaidConfig } from '../../../layers/domain/raid.ts';
import { json } from '../../../layers/domain/values.ts';
import { askedBy } from '../../../layers/store/events.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { route, type Route } from '../route.ts';
import { findByIdent } from './find.ts';

/** As in Ironic a node that has no RAID interface has no such sub-resource (404). */
const requireRaid = (node: StoredNode): void => {
  refuseForeign(node);
  try {
    validateInterface(node, 'raid');
  } catch (error) {
    throw isFault(error) ? NotFound(error.message, error) : error;
  }
};

export const raidRoutes: readonly Route[] = [
  route<Record<string, unknown>, StoredNode>({
    at: 'PUT /v1/nodes/{ident}/states/raid',
    fenced: true,
    since: 12,
    tooOld: 406,
    policy: 'baremetal:node:set_raid_state',
    body: json,
    find: findByIdent,
    handle: async (deps, { target, body, subject }) => {
      requireRaid(target);
      checkRaidConfig(body);
      await changeRecord(deps, kinds.node, target.uuid, (node) => {
        requireRaid(node);
        if (node.reservation) throw NodeLocked(node.uuid, node.reservation);
        const message = 'The target RAID configuration was set.';
        return {
          set: { target_raid_config: body },
          events: [{ kind: 'request', severity: 'INFO', event_type: 'raid', message, ...askedBy(subject) }],
        };
      });
      return {};
    },
  }),
];
