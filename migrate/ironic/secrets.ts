/**
 * What the API of a source shows as ******: where it is known from, and how it takes its place. Only what is masked is
 * taken from there, so that a record is as the API has it.
 */
import { mask } from '../../layers/domain/masking.ts';
import type { Values } from './api.ts';
import type { ResourceName } from './fields.ts';

export type Secrets = {
  /**
   * By UUID, as far as they are known: the fields that have secrets, with them; of a node, where it is known, also of when
   * (updated_at) and of which instance (instance_uuid) they are.
   */
  of(name: ResourceName, records: readonly Values[]): Promise<ReadonlyMap<string, Values>>;
  /** Whether an empty secret is none, as in a database. In a form it is one that nobody has filled in. */
  readonly emptyIsNone?: boolean;
};

export const noSecrets: Secrets = { of: async () => new Map() };

/** Whether a text is, or has in it, what Ironic shows in place of a secret. */
export const isHidden = (value: unknown): boolean => typeof value === 'string' && value.includes(mask);

export type Path = readonly string[];

/** Without these a machine could not be reached, or a record would not do what it did. Of instances it can be done without. */
export const neededOf = (missing: readonly Path[]): readonly Path[] =>
  missing.filter(([field]) => field !== 'instance_info');

/** For people. */
export const pathText = (paths: readonly Path[]): string => paths.map((path) => path.join('.')).join(', ');

type Filled = {
  readonly value: unknown;
  /** Where nothing is known of what is masked: `['driver_info', 'redfish_password']`. */
  readonly missing: readonly Path[];
};

/** Whether it is an object or a list. */
export const hasParts = (value: unknown): value is Values => typeof value === 'object' && value !== null;

const within = (clear: unknown, name: string): unknown =>
  hasParts(clear) && Object.hasOwn(clear, name) ? clear[name] : undefined;

/** A value as it is shown, with what is known put where a mask is; a mask that stays is left out, and told. */
export const fill = (shown: unknown, clear: unknown, path: Path, emptyIsNone = false): Filled => {
  if (isHidden(shown)) {
    const known = (clear ?? '') !== '' && !isHidden(clear);
    if (known) return { value: clear, missing: [] };
    const none = emptyIsNone && (clear === '' || clear === null);
    return { value: undefined, missing: none ? [] : [path] };
  }
  if (!hasParts(shown)) return { value: shown, missing: [] };
  const parts = Object.entries(shown).map(([name, value]) => ({
    name,
    ...fill(value, within(clear, name), [...path, name], emptyIsNone),
  }));
  const missing = parts.flatMap((part) => part.missing);
  if (Array.isArray(shown)) return { value: parts.map(({ value }) => value), missing };
  const kept = parts.filter(({ value }) => value !== undefined);
  return { value: Object.fromEntries(kept.map(({ name, value }) => [name, value])), missing };
};

/** What one knows over what another knows, where both know of an object its parts. */
const over = (first: unknown, second: unknown): unknown => {
  if (!hasParts(first) || !hasParts(second) || Array.isArray(first) !== Array.isArray(second)) return first ?? second;
  const names = [...new Set([...Object.keys(second), ...Object.keys(first)])];
  const parts = names.map((name) => [name, over(within(first, name), within(second, name))] as const);
  return Array.isArray(first) ? parts.map(([, value]) => value) : Object.fromEntries(parts);
};

/** Several places; what an earlier one knows counts. */
export const firstOf = (places: readonly Secrets[]): Secrets => ({
  of: async (name, records) => {
    const found = new Map<string, Values>();
    for (const place of places) {
      for (const [uuid, known] of await place.of(name, records)) {
        found.set(uuid, over(found.get(uuid), known) as Values);
      }
    }
    return found;
  },
});
