/** GET and PUT states/console (ironic-api.md 2.1). Console interface `fake` has a switch and nothing behind it. */
import * as z from 'zod';

import { validateInterface } from '../../../layers/bmc/validation.ts';
import { NodeLocked } from '../../../layers/domain/fault.ts';
import { bool } from '../../../layers/domain/values.ts';
import { askedBy } from '../../../layers/store/events.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { route, type Call, type Deps, type Route } from '../route.ts';
import { findByIdent } from './find.ts';

const body = z.strictObject({ enabled: bool });

const at = '/v1/nodes/{ident}/states/console';

const infoOf = ({ uuid, console_interface: type }: StoredNode) => ({ type, url: `${type}://${uuid}` });

const turn = async (deps: Deps, { target, subject, body: { enabled } }: Call<z.output<typeof body>, StoredNode>) =>
  changeRecord(deps, kinds.node, target.uuid, (node) => {
    validateInterface(node, 'console');
    if (node.reservation) throw NodeLocked(node.uuid, node.reservation);
    if (node.console_enabled === enabled) return undefined;
    const message = `The console was turned ${enabled ? 'on' : 'off'}.`;
    return {
      set: { console_enabled: enabled },
      events: [{ kind: 'request', severity: 'INFO', event_type: 'console', message, ...askedBy(subject) }],
    };
  });

export const consoleRoutes: readonly Route[] = [
  route<undefined, StoredNode>({
    at: `GET ${at}`,
    policy: 'baremetal:node:get_console',
    find: findByIdent,
    handle: async (_deps, { target }) => {
      validateInterface(target, 'console');
      const { console_enabled } = target;
      return { body: { console_enabled, console_info: console_enabled ? infoOf(target) : null } };
    },
  }),
  route<z.output<typeof body>, StoredNode>({
    at: `PUT ${at}`,
    fenced: true,
    policy: 'baremetal:node:set_console_state',
    status: 202,
    body,
    arguments: true,
    find: findByIdent,
    handle: async (deps, call) => {
      await turn(deps, call);
      return { location: `/v1/nodes/${call.params['ident']}/states/console` };
    },
  }),
];
