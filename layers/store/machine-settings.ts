/**
 * BIOS settings and firmware of a node, as its BMC told them: an item each in the node's partition. They are written by
 * the run that holds the node's lock and by nobody else, only where something changed.
 */
import type { Firmware as SeenFirmware } from '../bmc/inventory.ts';
import type { BiosSetting } from '../bmc/settings.ts';
import type { Bios } from '../domain/bios.ts';
import type { Firmware } from '../domain/firmware.ts';
import { isoTime } from '../domain/values.ts';
import { maxWrites } from '../platform/limits.ts';
import type { Platform } from '../platform/platform.ts';
import { equals, type Table, type Write } from '../platform/table.ts';
import type { Several } from './kinds/companion.ts';
import { companions } from './kinds/companions.ts';
import { keyOf } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';
import type { StoredNode } from './nodes.ts';

type Times = { readonly created_at: string | null; readonly updated_at: string | null };

const list = async <R extends object>(table: Table, kind: Several<R>, node: string): Promise<R[]> =>
  (await table.query(kind.all(node))).map(kind.of);

/** All settings of the node with this UUID, by name. */
export const listBios = async (table: Table, node: string): Promise<Bios[]> => list(table, companions.bios, node);

/** Bytes of a name that fit into a key; no BMC has longer ones. */
const longestName = 1000;
const fits = (name: string): boolean => name !== '' && Buffer.byteLength(name) <= longestName;

/** The setting of this name; undefined if there is none. */
export const readBios = async (table: Table, node: string, name: string): Promise<Bios | undefined> => {
  if (!fits(name)) return undefined;
  const item = await table.get(companions.bios.key(node, name));
  return item && companions.bios.of(item);
};

/** All components of the node with this UUID, by name. */
export const listFirmware = async (table: Table, node: string): Promise<Firmware[]> =>
  list(table, companions.firmware, node);

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
  const locked: Write = { check: keyOf(kinds.node, uuid), when: [equals('reservation', reservation ?? '')] };
  const room = maxWrites - 1;
  for (let at = 0; at < writes.length; at += room) await table.write([locked, ...writes.slice(at, at + room)]);
};

/** Makes the stored records those that were seen: new and changed ones are written, others removed. */
const keep = async <S, R extends Times>(
  needs: Needs,
  holder: Holder,
  kind: Several<R>,
  seen: ReadonlyMap<string, S>,
  record: (one: S, before: R | undefined) => Omit<R, keyof Times>,
): Promise<void> => {
  const { uuid } = holder;
  const items = await needs.table.query(kind.all(uuid));
  const stored = new Map(items.map((item) => [kind.id(item), kind.of(item)]));
  const now = isoTime(needs.clock.now());
  const puts = [...seen].flatMap(([name, one]): Write[] => {
    const before = stored.get(name);
    const after = { ...record(one, before), created_at: before?.created_at ?? now, updated_at: before ? now : null };
    return before && same(before, after) ? [] : [{ put: kind.item(uuid, name, after as R) }];
  });
  const gone = [...stored.keys()].filter((name) => !seen.has(name));
  await writeAll(needs, holder, [...puts, ...gone.map((name) => ({ delete: kind.key(uuid, name) }))]);
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
    companions.bios,
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
    companions.firmware,
    byName(components, ({ component }) => component),
    (seen, before) => ({
      ...seen,
      initial_version: before?.initial_version ?? seen.current_version,
      last_version_flashed: before?.last_version_flashed ?? null,
    }),
  );
