/** What functions may be given. Workers of the one-machine runner load this at their start, so it loads nothing. */
import type { CalledApi } from '../layers/platform/apis.ts';
import type { Partitions } from '../layers/platform/fence.ts';
import type { Platform } from '../layers/platform/platform.ts';

/** A part of the platform that a function has only if its row grants it: the others reach nothing of ours. */
export type Part = Exclude<keyof Platform, 'log' | 'clock' | 'chance' | 'ids' | 'wire'>;

/** The tables. A function has one of them at most. */
export type TableName = 'machines' | 'tenants';

/** The keys that seal secrets. Those of tenants are sealed with another one than those of machines. */
export type KeyName = 'secrets' | 'tenants';

/**
 * What strangers ask about: nodes with all that belongs to them, found by name, by the address of a port, or among those
 * that wait for an inventory. Nobody can look through the table, nor change what is found by what.
 */
const ofAgents = {
  read: [
    'node#*',
    'unique#node_name#*',
    'unique#port_address#*',
    'index#node#provision_state#inspect wait#*',
    'upgrade',
  ],
  write: ['node#*', 'index#node#*'],
} as const satisfies Partitions;

/**
 * What a function may be given: the part of the platform and what it may do with it, in words. What that is in IAM says
 * `permissions.ts` beside it, and on one machine `local/functions/platform.ts`. `table`, `key`: which one the part is,
 * or works with; `within`: which partitions of the table, absent: all; `api`: which one is called.
 */
export const grants = {
  table: { part: 'table', table: 'machines', doc: "read and write the machines' table" },
  'table:agents': {
    part: 'table',
    table: 'machines',
    within: ofAgents,
    doc: "read and write nodes in the machines' table, and find them by name or address",
  },
  tenants: { part: 'table', table: 'tenants', doc: "read and write the tenants' table" },
  objects: { part: 'objects', doc: 'put, get and delete configdrives and inventories' },
  'objects:inventories': { part: 'objects', doc: 'put inventories' },
  'objects:images': { part: 'objects', doc: 'put, get and delete images' },
  'objects:images:sweep': { part: 'objects', doc: 'list and delete images' },
  'objects:agents': { part: 'objects', doc: 'put, get and delete media of agents' },
  'objects:boots': { part: 'objects', doc: 'put, get and delete boot images' },
  'objects:guests': { part: 'objects', doc: 'put and delete guest documents' },
  'objects:sweep': { part: 'objects', doc: 'list and delete all that belongs to nodes' },
  'workflows:start': { part: 'workflows', doc: 'start, describe and stop runs of machines' },
  'workflows:servers': { part: 'workflows', doc: 'start, describe and stop runs of servers' },
  'workflows:servers:callback': { part: 'workflows', doc: 'complete task tokens of runs of servers' },
  'workflows:callback': { part: 'workflows', doc: 'complete task tokens of runs of machines' },
  seal: { part: 'sealer', doc: 'encrypt with the secrets key' },
  'seal:tenants': { part: 'sealer', key: 'tenants', doc: "encrypt with the tenants' key" },
  'open:tenants': { part: 'opener', key: 'tenants', doc: "decrypt with the tenants' key" },
  open: { part: 'opener', doc: 'decrypt with the secrets key' },
  publish: { part: 'events', doc: 'publish events' },
  parameters: {
    part: 'parameters',
    doc: 'read the SSM parameters of `keystone_credentials` and below `users_path`, if there are any',
  },
  'apis:baremetal': {
    part: 'apis',
    api: 'baremetal',
    doc: 'call the Bare Metal API as its client, and read the SSM parameter of `baremetal_credentials`',
  },
  'apis:image': {
    part: 'apis',
    api: 'image',
    doc: 'call the Image API as its client, and read the SSM parameter of `image_credentials`',
  },
} as const satisfies Record<
  string,
  { part: Part; table?: TableName; within?: Partitions; key?: KeyName; api?: CalledApi; doc: string }
>;

export type GrantName = keyof typeof grants;
/** `invoke:` and the name of a function grants calling that one. */
export type Grant = GrantName | `invoke:${string}`;

const calls = 'invoke:';

/** The function that a grant lets its owner call; undefined for those of the table. */
export const calledBy = (grant: Grant): string | undefined =>
  grant.startsWith(calls) ? grant.slice(calls.length) : undefined;

/** The part of the platform that a grant is about. */
export const partOf = (grant: Grant): Part => (calledBy(grant) ? 'functions' : grants[grant as GrantName].part);

type Row = {
  readonly part?: Part;
  readonly table?: TableName;
  readonly within?: Partitions;
  readonly key?: KeyName;
  readonly api?: CalledApi;
};

const rowOf = (grant: Grant): Row => (calledBy(grant) === undefined ? grants[grant as GrantName] : {});

/** The API that a grant lets its owner call as its client; undefined for other grants. */
export const apiOf = (grant: Grant): CalledApi | undefined => rowOf(grant).api;

/** The table that grants open; undefined for a function without one. */
export const tableOf = (given: readonly Grant[]): TableName | undefined =>
  given.map((grant) => rowOf(grant).table).find((table) => table !== undefined);

/** The partitions to which a grant of the table is limited; undefined: all, or another grant. */
export const withinOf = (grant: Grant): Partitions | undefined => rowOf(grant).within;

/** The key that grants seal and open with. */
export const keyNameOf = (given: readonly Grant[]): KeyName =>
  given.map((grant) => rowOf(grant).key).find((key) => key !== undefined) ?? 'secrets';
