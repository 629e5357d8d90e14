/**
 * BIOS settings and firmware of a node, as its BMC told them: an item each in the node's partition. They are written by
 * the run that holds the node's lock and by nobody else, only where something changed.
 */
import type { Bios } from '../domain/bios.ts';
import type { Firmware } from '../domain/firmware.ts';
import type { BiosSetting } from '../bmc/settings.ts';
import type { Firmware as SeenFirmware } from '../bmc/inventory.ts';
import { maxWrites } from '../platform/limits.ts';
import { isoTime, nodeKey, nodePartition, type StoredNode } from './nodes.ts';
import type { Platform } from '../platform/platform.ts';
import { equals, type Item, type Table, type Write } from '../platform/table.ts';

type Times = { readonly created_at: string | null; readonly updated_at: string | null };
type Kind = 'bios' | 'firmware';

const begins = (kind: Kind) => `${kind}#`;
const keyOf = (node: string, kind: Kind, name: string) => ({ pk: nodePartition(node), sk: begins(kind) + name });
const toRecord = <R>({ pk: _pk, sk: _sk, ...rest }: Item): R => rest as unknown as R;

const list = async <R>(table: Table, node: string, kind: Kind): Promise<R[]> =>
  (await table.query({ partition: nodePartition(node), begins: begins(kind) })).map((item) => toRecord<R>(item));

/** All settings of the node with this UUID, by name. */
export const listBios = async (table: Table, node: string): Promise<Bios[]> => list<Bios>(table, node, 'bios');

/** Bytes of a name that fit into a key; no BMC has longer ones. */
const longestName = 1000;
const fits = (name: string): boolean => name !== '' && Buffer.byteLength(name) <= longestName;

/** The setting of this name; undefined if there is none. */
export const readBios = async (table: Table, node: string, name: string): Promise<Bios | undefined> => {
  if (!fits(name)) return undefined;
  const item = await table.get(keyOf(node, 'bios', name));
  return item && toRecord<Bios>(item);
};

/** All components of the node with this UUID, by name. */
export const listFirmware = async (table: Table, node: string): Promise<Firmware[]> =>
  list<Firmware>(table, node, 'firmware');

type Needs = Pick<Platform, 'table' | 'clock'>;

/** The node, locked by the run that writes. */
type Holder = Pick<StoredNode, 'uuid' | 'reservation'>;

const same = (a: object, b: object): boolean => {
  const plain = (record: object) =>
    JSON.stringify(Object.entries({ ...record, updated_at: null }).sort(([x], [y]) => (x < y ? -1 : 1)));
  return plain(a) === plain(b);
};

/** A second write to the same key would be refused: of two parts of one name the last one counts. */
const byName = <S>(seen: readonly S[], nameOf: (one: S) => string) =>
  new Map(seen.filter((one) => fits(nameOf(one))).map((one) => [nameOf(one), one]));

/** Every transaction holds only while the run still has the lock. Throws ConditionFailed when it has lost it. */
const writeAll = async ({ table }: Needs, { uuid, reservation }: Holder, writes: readonly Write[]): Promise<void> => {
  const locked: Write = { check: nodeKey(uuid), when: [equals('reservation', reservation ?? '')] };
  const room = maxWrites - 1;
  for (let at = 0; at < writes.length; at += room) await table.write([locked, ...writes.slice(at, at + room)]);
};

/** Makes the stored records those that were seen: new and changed ones are written, others removed. */
const keep = async <S, R extends Times>(
  needs: Needs,
  holder: Holder,
  kind: Kind,
  seen: ReadonlyMap<string, S>,
  record: (one: S, before: R | undefined) => Omit<R, keyof Times>,
): Promise<void> => {
  const { uuid } = holder;
  const items = await needs.table.query({ partition: nodePartition(uuid), begins: begins(kind) });
  const stored = new Map(items.map((item) => [item.sk.slice(begins(kind).length), toRecord<R>(item)]));
  const now = isoTime(needs.clock.now());
  const puts = [...seen].flatMap(([name, one]): Write[] => {
    const before = stored.get(name);
    const after = { ...record(one, before), created_at: before?.created_at ?? now, updated_at: before ? now : null };
    return before && same(before, after) ? [] : [{ put: { ...keyOf(uuid, kind, name), ...after } }];
  });
  const gone = [...stored.keys()].filter((name) => !seen.has(name));
  await writeAll(needs, holder, [...puts, ...gone.map((name) => ({ delete: keyOf(uuid, kind, name) }))]);
};

/** As Ironic shows values: always text. */
const textOf = (value: unknown): string | null => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Keeps the settings as a BMC told them. May be repeated. Throws ConditionFailed if `holder` has lost the lock. */
export const keepBios = async (needs: Needs, holder: Holder, settings: readonly BiosSetting[]): Promise<void> =>
  keep<BiosSetting, Bios>(
    needs,
    holder,
    'bios',
    byName(settings, ({ name }) => name),
    ({ value, allowable_values: values, ...rest }) => ({
      ...rest,
      value: textOf(value),
      allowable_values: values && values.map((one) => textOf(one) ?? ''),
    }),
  );

/**
 * Keeps the components as a BMC told them; the version that was found first stays, and so does what was flashed. May be
 * repeated. Throws ConditionFailed if `holder` has lost the lock.
 */
export const keepFirmware = async (needs: Needs, holder: Holder, components: readonly SeenFirmware[]): Promise<void> =>
  keep<SeenFirmware, Firmware>(
    needs,
    holder,
    'firmware',
    byName(components, ({ component }) => component),
    (seen, before) => ({
      ...seen,
      initial_version: before?.initial_version ?? seen.current_version,
      last_version_flashed: before?.last_version_flashed ?? null,
    }),
  );
