/**
 * Compares every record of a source with what is here, as both APIs show it: secrets are ****** in both, so of them only
 * that they are there. What is only here is told too. What legitimately differs is told in the table of fields.
 */
import { cutText } from '../../layers/domain/foreign-text.ts';
import type { Field } from '../../layers/domain/fields.ts';
import { isSame } from '../../layers/domain/values.ts';
import { eachAtOnce } from '../../layers/domain/at-once.ts';
import type { Ironic, Values } from './api.ts';
import { besideOf } from './beside.ts';
import { type Entry, type EntryKind, listed } from './entry.ts';
import { isFenced } from './fence.ts';
import { type IronicResource, type ResourceName, resources } from './fields.ts';
import { reportedValue } from './masked.ts';
import { nameOf, readShown, type Replacement } from './record.ts';
import { hasParts, isHidden } from './secrets.ts';

export type Difference = {
  readonly kind: EntryKind;
  readonly uuid: string;
  readonly name: string | null;
  readonly field: string;
  readonly source: unknown;
  readonly here: unknown;
};

/** A record that is here, and not at the source. */
export type Other = Pick<Difference, 'kind' | 'uuid' | 'name'>;

/** Records of a page, what differs of them, and what no page of the source had. */
export type Compared = {
  readonly count: number;
  readonly differences: readonly Difference[];
  readonly others: readonly Other[];
};

export type Sides = {
  readonly source: Ironic;
  readonly here: Ironic;
  readonly replacements: readonly Replacement[];
  readonly running: boolean;
};

const atOnce = 8;

const isThere = (value: unknown): boolean => (value ?? '') !== '';

/** Whether two values are the same as far as both show them: of a secret, that there is one. */
const isAlike = (a: unknown, b: unknown): boolean => {
  if (isHidden(a) || isHidden(b)) return isThere(a) && isThere(b);
  if (!hasParts(a) || !hasParts(b) || Array.isArray(a) !== Array.isArray(b)) return isSame(a, b);
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => isAlike(a[name], b[name]));
};

/** Sets come in any order. */
const isSet = new Set(['traits', 'candidate_nodes']);

/** A value as the field has it: null where there is none, or what stands for that. */
const normal = (name: string, { schema, default: otherwise = null }: Field, value: unknown): unknown => {
  const given = value ?? otherwise;
  if (isSet.has(name) && Array.isArray(given)) return given.map(String).toSorted();
  // Addresses in lower case, and whatever else is written in several ways.
  return given === null ? null : (schema.safeParse(given).data ?? given);
};

const comparedFields = ({ fields, left, moving }: IronicResource): string[] =>
  Object.entries(fields)
    .filter(([name, { computed }]) => !computed && !Object.hasOwn(left, name) && !Object.hasOwn(moving, name))
    .map(([name]) => name);

/** An interface that nobody chose is the default of its driver. */
const isUnchosen = (name: string, value: unknown): boolean => name.endsWith('_interface') && (value ?? null) === null;

const compareRecord = (name: ResourceName, shown: Values, here: Values, replacements: readonly Replacement[]) => {
  const resource: IronicResource = resources[name];
  const { masked } = readShown(name, shown, {}, replacements);
  return comparedFields(resource).flatMap((field): Difference[] => {
    // What an older version has no field for is here as it began.
    if (masked[field] === undefined || isUnchosen(field, masked[field])) return [];
    const row = resource.fields[field]!;
    const [a, b] = [normal(field, row, masked[field]), normal(field, row, here[field])];
    if (resource.secrets.includes(field) ? isAlike(a, b) : isSame(a, b)) return [];
    const secret = resource.secrets.includes(field) ? true : row.masked;
    return [
      {
        kind: name,
        uuid: shown['uuid'] as string,
        name: nameOf(shown),
        field,
        source: reportedValue(secret, a),
        here: reportedValue(secret, b),
      },
    ];
  });
};

const itemPath = (name: ResourceName, uuid: string): string =>
  `${resources[name].path.replace(/\?.*$|\/detail$/, '')}/${uuid}`;

const told = ['created_at', 'severity', 'event_type', 'event', 'user', 'project', 'state', 'duration_seconds'] as const;

/** What tells entries apart: in both they have UUIDs of their own. */
const fingerprint = ({ record }: Entry): string =>
  JSON.stringify(told.map((field) => (field === 'event' ? cutText(record[field] as string) : (record[field] ?? null))));

const compareBeside = async ({ source, here }: Sides, node: Values): Promise<Difference[]> => {
  const uuid = node['uuid'] as string;
  const [theirs, ours] = [await besideOf({ ironic: source }, uuid), await besideOf({ ironic: here }, uuid)];
  const known = new Set(ours.filter(({ kind }) => kind === 'history').map(fingerprint));
  const inventory = ours.find(({ kind }) => kind === 'inventory');
  const differs = (entry: Entry): boolean =>
    entry.kind === 'history' ? !known.has(fingerprint(entry)) : !isSame(entry.record, inventory?.record);
  return theirs.filter(differs).map(({ kind, uuid: own, record }) => ({
    kind,
    uuid: own,
    name: nameOf(node),
    field: kind === 'history' ? 'entry' : 'inventory',
    source: kind === 'history' ? reportedValue(undefined, record['event']) : 'there',
    here: kind === 'history' || !inventory ? 'missing' : 'another',
  }));
};

const compareOne = async (sides: Sides, name: ResourceName, shown: Values): Promise<Difference[]> => {
  const uuid = shown['uuid'] as string;
  const about = { kind: name, uuid, name: nameOf(shown) };
  const reply = await sides.here.ask('GET', itemPath(name, uuid));
  if (reply.status === 404) return [{ ...about, field: 'record', source: 'there', here: 'missing' }];
  const here = reply.status === 200 ? (reply.body as Values) : await sides.here.read(itemPath(name, uuid));
  const differences = compareRecord(name, shown, here, sides.replacements);
  if (name !== 'node') return differences;
  const open = { ...about, field: 'fence', source: 'not in maintenance by a move', here: 'moved' };
  return [...differences, ...(sides.running && !isFenced(shown) ? [open] : []), ...(await compareBeside(sides, shown))];
};

/** Page by page. Throws what asking throws. */
export const verify = async function* (sides: Sides): AsyncGenerator<Compared> {
  for (const name of listed) {
    const known = new Set<unknown>();
    for await (const { records } of sides.source.pages(name)) {
      const found = await eachAtOnce(records, atOnce, async (one) => compareOne(sides, name, one));
      for (const { uuid } of records) known.add(uuid);
      yield { count: records.length, differences: found.flat(), others: [] };
    }
    for await (const { records } of sides.here.pages(name)) {
      const others = records
        .filter(({ uuid }) => !known.has(uuid))
        .map((one) => ({ kind: name, uuid: one['uuid'] as string, name: nameOf(one) }));
      if (others.length > 0) yield { count: 0, differences: [], others };
    }
  }
};
