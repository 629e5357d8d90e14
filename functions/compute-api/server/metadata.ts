/** /servers/{id}/metadata (compute-api.md 7): keys and values of its tenant. Its guest reads them at its next rebuild. */
import * as z from 'zod';

import { checkQuota } from '../../../layers/domain/compute/quota.ts';
import { metadata as schema } from '../../../layers/domain/compute/server.ts';
import { Invalid, NotFound } from '../../../layers/domain/fault.ts';
import { readStanding } from '../../../layers/store/compute-quotas.ts';
import { computeKinds, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { type Call, type Deps, route, type Route } from '../route.ts';
import { findServer as find } from './find.ts';
import { requireSettled, requireUnlocked } from './settled.ts';

type Values = Readonly<Record<string, string>>;

const at = '/v2.1/servers/{server_id}/metadata';
const all = z.strictObject({ metadata: schema });
const one = z.strictObject({ meta: schema });

/** Changes them. Throws Conflict (409) in another state, Forbidden (403) past the limit. */
const change = async (
  deps: Deps,
  { target, subject }: Call<unknown, StoredServer>,
  what: 'update' | 'delete',
  make: (values: Values) => Values,
): Promise<Values> => {
  const { limits } = await readStanding(deps.table, `project:${target.tenant_id}`);
  const { after } = await changeRecord(deps, computeKinds.server, target.uuid, (server) => {
    requireUnlocked(server, subject);
    requireSettled(server, `${what}_instance_metadata`);
    const metadata = make(server.metadata);
    if (what === 'update') checkQuota({ metadata_items: Object.keys(metadata).length }, {}, limits);
    return { set: { metadata } };
  });
  return after.metadata;
};

const missing = () => NotFound('Metadata item was not found');

/** The one item of the body, which the path names as well. Throws Invalid (400). */
const itemOf = ({ body: { meta }, params }: Call<z.output<typeof one>, StoredServer>): Values => {
  const names = Object.keys(meta);
  if (names.length !== 1) throw Invalid('Request body contains too many items');
  if (names[0] !== params['key']) throw Invalid('Request body and URI mismatch');
  return meta;
};

export const metadataRoutes: readonly Route[] = [
  route<undefined, StoredServer>({
    at: `GET ${at}`,
    policy: 'os_compute_api:server-metadata:index',
    shows: all,
    find,
    handle: async (_deps, { target }) => ({ body: { metadata: target.metadata } }),
  }),
  route<z.output<typeof all>, StoredServer>({
    at: `POST ${at}`,
    policy: 'os_compute_api:server-metadata:create',
    body: all,
    shows: all,
    find,
    handle: async (deps, call) => ({
      body: { metadata: await change(deps, call, 'update', (values) => ({ ...values, ...call.body.metadata })) },
    }),
  }),
  route<z.output<typeof all>, StoredServer>({
    at: `PUT ${at}`,
    policy: 'os_compute_api:server-metadata:update_all',
    body: all,
    shows: all,
    find,
    handle: async (deps, call) => ({
      body: { metadata: await change(deps, call, 'update', () => call.body.metadata) },
    }),
  }),
  route<undefined, StoredServer>({
    at: `GET ${at}/{key}`,
    policy: 'os_compute_api:server-metadata:show',
    shows: one,
    find,
    handle: async (_deps, { target: { metadata }, params }) => {
      const key = params['key']!;
      if (!Object.hasOwn(metadata, key)) throw missing();
      return { body: { meta: { [key]: metadata[key] } } };
    },
  }),
  route<z.output<typeof one>, StoredServer>({
    at: `PUT ${at}/{key}`,
    policy: 'os_compute_api:server-metadata:update',
    body: one,
    shows: one,
    find,
    handle: async (deps, call) => {
      const item = itemOf(call);
      await change(deps, call, 'update', (values) => ({ ...values, ...item }));
      return { body: { meta: item } };
    },
  }),
  route<undefined, StoredServer>({
    at: `DELETE ${at}/{key}`,
    policy: 'os_compute_api:server-metadata:delete',
    status: 204,
    find,
    handle: async (deps, call) => {
      await change(deps, call, 'delete', ({ [call.params['key']!]: gone, ...left }) => {
        if (gone === undefined) throw missing();
        return left;
      });
      return {};
    },
  }),
];
