/** What a node went through (ironic-api.md 2.1, since 1.78). */
import { Invalid, NotFound } from '../../../layers/domain/fault.ts';
import { history } from '../../../layers/domain/history.ts';
import { pageQuery, readWant } from '../../../layers/domain/page.ts';
import { projector, type Want } from '../../../layers/domain/projection.ts';
import { isUuid } from '../../../layers/domain/values.ts';
import { type StoredEntry, listEvents, readEvent } from '../../../layers/store/history.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { answersOf, listAnswer } from '../crud.ts';
import { route, type Call, type Deps, type Route } from '../route.ts';
import { findByIdent } from './find.ts';

/** Characters of a message in the brief form. */
const briefly = 255;

/** Makes the function that shows entries of this node. */
const view =
  ({ config }: Deps, node: StoredNode) =>
  (call: Call, want: Want) =>
    projector<StoredEntry>(history, call, want, {
      at: `nodes/${node.uuid}/history`,
      shown: {
        event: ({ event }) => (want === 'all' ? event : Array.from(event).slice(0, briefly).join('')),
        conductor: () => config.site,
      },
      owned: node,
    });

const { limit, marker, sort_key, sort_dir } = pageQuery;
const at = '/v1/nodes/{ident}/history';
const common = { since: 78, policy: 'baremetal:node:history:get', find: findByIdent } as const;

export const historyRoutes: readonly Route[] = [
  route<undefined, StoredNode>({
    ...common,
    at: `GET ${at}`,
    query: { limit, marker, sort_key, sort_dir, detail: {} },
    ...answersOf('history', history).list,
    handle: async (deps, call) => {
      const { target: node, version, query } = call;
      const path = `/v1/nodes/${node.uuid}/history`;
      const want = readWant(history, version, query);
      const about = { path, name: 'history', rows: history, want, view: view(deps, node) };
      return listAnswer(call, about, async (page) => listEvents(deps.table, node.uuid, page));
    },
  }),
  route<undefined, StoredNode>({
    ...common,
    at: `GET ${at}/{event}`,
    ...answersOf('history', history).record,
    handle: async (deps, call) => {
      const uuid = call.params['event']!;
      if (!isUuid(uuid)) throw Invalid(`Expected a UUID but received ${uuid}.`);
      const entry = await readEvent(deps.table, call.target.uuid, uuid);
      if (!entry) throw NotFound(`History event ${uuid} of node ${call.target.uuid} could not be found.`);
      return { body: view(deps, call.target)(call, 'all')(entry) };
    },
  }),
];
