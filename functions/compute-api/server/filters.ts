/** What lists of servers are narrowed by (compute-api.md 3), a row each. */
import { createPattern } from '../../../layers/domain/pattern.ts';
import { addressesOf } from '../../../layers/domain/compute/server-addresses.ts';
import { statusOf } from '../../../layers/domain/compute/server-states.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import type { Lookup } from '../../../layers/domain/filters.ts';
import { readBool } from '../../../layers/domain/page.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import type { Call } from '../route.ts';

type Test = (server: StoredServer) => boolean;

type Filter = {
  readonly since?: number;
  /** Who is no administrator may use it from that version on; `never`: administrators only. Before, it is left out. */
  readonly everybody?: number | 'never';
  /** Whether a server is one of those that are asked for. Throws Invalid (400). */
  keep(values: readonly string[], name: string): Test;
  /** The fields that `keep` looks at. */
  readonly looksAt?: readonly (keyof StoredServer)[];
  /** Where those are that it keeps. */
  lookup?(value: string): Lookup;
  readonly doc: string;
};

/** It is what the query says, word for word. */
const same = (field: keyof StoredServer): Pick<Filter, 'keep' | 'looksAt'> => ({
  looksAt: [field],
  keep:
    ([value]) =>
    (server) =>
      server[field] === value,
});

/** One of several words, in any case; none of them is an error. */
const words = (field: 'vm_state' | 'task_state'): Pick<Filter, 'keep' | 'looksAt'> => ({
  looksAt: [field],
  keep: (values) => {
    const wanted = values.map((value) => value.toLowerCase());
    return (server) => wanted.includes(server[field] ?? '');
  },
});

const truth = (of: Test, looksAt: readonly (keyof StoredServer)[]): Pick<Filter, 'keep' | 'looksAt'> => ({
  looksAt,
  keep: (values, name) => {
    const wanted = readBool({ [name]: values }, name);
    return (server) => of(server) === wanted;
  },
});

/** Tags stand in one value, with commas between them. */
const tagged = (judge: (has: (tag: string) => boolean, tags: readonly string[]) => boolean): Omit<Filter, 'doc'> => ({
  since: 26,
  looksAt: ['tags'],
  keep: (values) => {
    const wanted = values.flatMap((value) => value.split(','));
    return ({ tags }) => judge((tag) => tags.includes(tag), wanted);
  },
});

/** By a pattern in one of its addresses. */
const addressed = (version: 4 | 6): Pick<Filter, 'keep' | 'looksAt'> => ({
  looksAt: ['interfaces', 'moved_addresses'],
  keep: ([value]) => {
    const isFound = createPattern(value!);
    const all = (server: StoredServer) => Object.values(addressesOf(server)).flat();
    return (server) => all(server).some((one) => one.version === version && isFound(one.addr));
  },
});

/** By the last piece of a link, or the id itself. */
const ending = (value: string): string => value.split('/').at(-1)!;

/** Moments of a query, as ISO 8601 has them, with Z where no zone is said. Throws Invalid (400). */
export const momentOf = (text: string, name: string): string => {
  const moment = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(moment)) throw Invalid(`Invalid value for ${name}: "${text}" is no time as in ISO 8601.`);
  return new Date(moment).toISOString();
};

const changed = ({ updated_at, created_at }: StoredServer): string => new Date(updated_at ?? created_at).toISOString();

export const serverFilters: { readonly [name: string]: Filter } = {
  name: {
    looksAt: ['name'],
    keep: ([value]) => {
      const isFound = createPattern(value!);
      return ({ name }) => isFound(name);
    },
    doc: 'A regular expression that is found in its name.',
  },
  status: {
    looksAt: ['vm_state', 'task_state'],
    keep: (values) => {
      const wanted = values.map((value) => value.toUpperCase());
      return (server) => wanted.includes(statusOf(server));
    },
    doc: 'Its status; several may be named.',
  },
  flavor: {
    looksAt: ['flavor'],
    keep:
      ([value]) =>
      ({ flavor }) =>
        flavor.id === ending(value!),
    doc: 'Id of its flavor.',
  },
  image: {
    looksAt: ['image'],
    keep:
      ([value]) =>
      ({ image }) =>
        image === ending(value!),
    doc: 'Id of its image.',
  },
  ip: { ...addressed(4), doc: 'A regular expression that is found in one of its IPv4 addresses.' },
  ip6: { ...addressed(6), doc: 'The same of IPv6.' },
  reservation_id: { ...same('reservation_id'), doc: 'The request that made it.' },
  uuid: {
    looksAt: ['uuid'],
    everybody: 'never',
    keep:
      ([value]) =>
      ({ uuid }) =>
        uuid === value!.toLowerCase(),
    doc: 'Its id.',
  },
  user_id: { ...same('user_id'), everybody: 83, doc: 'Who made it.' },
  key_name: { ...same('key_name'), everybody: 83, doc: 'Its key pair.' },
  availability_zone: { ...same('availability_zone'), everybody: 83, doc: 'Its zone.' },
  config_drive: {
    ...truth(({ config_drive: given }) => given, ['config_drive']),
    everybody: 83,
    doc: 'Whether its guest gets a configdrive.',
  },
  vm_state: { ...words('vm_state'), everybody: 83, doc: 'What it is.' },
  task_state: { ...words('task_state'), everybody: 83, doc: 'What is being done with it.' },
  power_state: {
    looksAt: ['power_state'],
    everybody: 83,
    keep:
      ([value]) =>
      ({ power_state: state }) =>
        String(state) === value,
    doc: 'Its power, as a number.',
  },
  hostname: { ...same('hostname'), everybody: 'never', doc: 'What its guest is called.' },
  host: { ...same('host'), everybody: 'never', doc: 'Conductor of its node.' },
  node: {
    ...same('node_uuid'),
    everybody: 'never',
    lookup: (value) => ({ index: 'node', value }),
    doc: 'UUID of its node.',
  },
  locked: {
    ...truth(({ locked_by: by }) => by !== null, ['locked_by']),
    since: 73,
    doc: 'Whether somebody has locked it.',
  },
  tags: { ...tagged((has, tags) => tags.every(has)), doc: 'All of these tags.' },
  'tags-any': { ...tagged((has, tags) => tags.some(has)), doc: 'One of these tags.' },
  'not-tags': { ...tagged((has, tags) => !tags.every(has)), doc: 'Not all of these tags.' },
  'not-tags-any': { ...tagged((has, tags) => !tags.some(has)), doc: 'None of these tags.' },
  'changes-since': {
    looksAt: ['updated_at'],
    keep: ([value], name) => {
      const since = momentOf(value!, name);
      return (server) => changed(server) >= since;
    },
    doc: 'Changed since then; those that were deleted are among them.',
  },
  'changes-before': {
    since: 66,
    looksAt: ['updated_at'],
    keep: ([value], name) => {
      const before = momentOf(value!, name);
      return (server) => changed(server) <= before;
    },
    doc: 'Not changed since then.',
  },
};

/** What a query selects. */
export type Selection = {
  readonly keep: Test;
  readonly looksAt: readonly (keyof StoredServer)[];
  readonly lookup: Lookup | undefined;
  /** Those that are deleted count, too, if they were so since then (ISO 8601). */
  readonly goneSince: string | undefined;
};

const isOpen = ({ everybody = 1 }: Filter, version: number, isAdmin: boolean): boolean =>
  isAdmin || (everybody !== 'never' && everybody <= version);

/** Reads the filters of a query. Throws Invalid (400). */
export const readFilters = ({ query, version }: Pick<Call, 'query' | 'version'>, isAdmin: boolean): Selection => {
  const given = Object.entries(serverFilters).flatMap(([name, filter]) => {
    const values = query[name];
    return values && isOpen(filter, version, isAdmin) ? [{ name, filter, values }] : [];
  });
  const tests = given.map(({ name, filter, values }) => filter.keep(values, name));
  const looking = given.find(({ filter }) => filter.lookup);
  const since = query['changes-since']?.[0];
  return {
    keep: (server) => tests.every((test) => test(server)),
    looksAt: given.flatMap(({ filter }) => filter.looksAt ?? []),
    lookup: looking?.filter.lookup!(looking.values[0]!),
    goneSince: since === undefined ? undefined : momentOf(since, 'changes-since'),
  };
};
