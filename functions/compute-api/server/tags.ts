/** /servers/{id}/tags (compute-api.md 7): words that lists are filtered by. */
import * as z from 'zod';

import { tags as schema } from '../../../layers/domain/compute/server.ts';
import { Invalid, NotFound } from '../../../layers/domain/fault.ts';
import { check } from '../../../layers/domain/schema.ts';
import { computeKinds, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { type Call, type Deps, route, type Route } from '../route.ts';
import { findServer as find } from './find.ts';
import { requireSettled } from './settled.ts';

const at = '/v2.1/servers/{server_id}/tags';
const since = 26;
const most = 50;

type Target = Call<unknown, StoredServer>;

const missing = ({ params, target }: Target) => NotFound(`Server ${target.uuid} has no tag '${params['tag']}'`);

/** Changes them, each of which is there once. Throws Conflict (409) in another state, Invalid (400) for too many. */
const change = async (
  deps: Deps,
  { target }: Target,
  what: string,
  make: (tags: readonly string[]) => readonly string[],
) =>
  changeRecord(deps, computeKinds.server, target.uuid, (server) => {
    requireSettled(server, what);
    const tags = [...make(server.tags)];
    if (tags.length > most) throw Invalid(`The number of tags exceeded the per-server limit ${most}`);
    return { set: { tags } };
  });

const body = z.strictObject({ tags: schema });

export const tagRoutes: readonly Route[] = [
  route<undefined, StoredServer>({
    at: `GET ${at}`,
    since,
    policy: 'os_compute_api:os-server-tags:index',
    shows: body,
    find,
    handle: async (_deps, { target }) => ({ body: { tags: target.tags } }),
  }),
  route<z.output<typeof body>, StoredServer>({
    at: `PUT ${at}`,
    since,
    policy: 'os_compute_api:os-server-tags:update_all',
    body,
    shows: body,
    find,
    handle: async (deps, call) => {
      const { after } = await change(deps, call, 'update tags', () => call.body.tags);
      return { body: { tags: after.tags } };
    },
  }),
  route<undefined, StoredServer>({
    at: `DELETE ${at}`,
    since,
    policy: 'os_compute_api:os-server-tags:delete_all',
    status: 204,
    find,
    handle: async (deps, call) => {
      await change(deps, call, 'delete tags', () => []);
      return {};
    },
  }),
  route<undefined, StoredServer>({
    at: `GET ${at}/{tag}`,
    since,
    policy: 'os_compute_api:os-server-tags:show',
    status: 204,
    find,
    handle: async (_deps, call) => {
      if (!call.target.tags.includes(call.params['tag']!)) throw missing(call);
      return {};
    },
  }),
  route<undefined, StoredServer>({
    at: `PUT ${at}/{tag}`,
    since,
    policy: 'os_compute_api:os-server-tags:update',
    status: 201,
    otherwise: 204,
    find,
    handle: async (deps, call) => {
      const { tags: wanted } = check(body, { tags: [call.params['tag']] });
      const { before, after } = await change(deps, call, 'update tag', (tags) => [...new Set([...tags, ...wanted])]);
      if (before.tags.length === after.tags.length) return { status: 204 };
      const tag = encodeURIComponent(call.params['tag']!);
      return { status: 201, location: `/v2.1/servers/${call.target.uuid}/tags/${tag}` };
    },
  }),
  route<undefined, StoredServer>({
    at: `DELETE ${at}/{tag}`,
    since,
    policy: 'os_compute_api:os-server-tags:delete',
    status: 204,
    find,
    handle: async (deps, call) => {
      await change(deps, call, 'delete tag', (tags) => {
        if (!tags.includes(call.params['tag']!)) throw missing(call);
        return tags.filter((tag) => tag !== call.params['tag']);
      });
      return {};
    },
  }),
];
