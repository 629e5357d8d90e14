/**
 * Secrets in the middle of what is stored: arguments of steps, properties of volumes. Each is sealed where it stands, so
 * that what is copied from record to record stays sealed, and only the proxy has it in plain when it gives it to a machine.
 */
import { isSecretName, mask } from '../domain/masking.ts';
import type { Opener, Sealer } from '../platform/platform.ts';

/** Then the owner, which it was sealed for, a dot, and the sealed JSON. */
const form = 'sealed-here.';

type Visit = (value: unknown) => Promise<unknown>;

/** The value with what `visit` makes of everything under the name of a secret, at any depth, in lists too. */
const withParts = async (value: unknown, visit: Visit): Promise<unknown> => {
  if (Array.isArray(value)) return Promise.all(value.map(async (inner) => withParts(inner, visit)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(async ([name, inner]) => [
    name,
    await (isSecretName(name) ? visit(inner) : withParts(inner, visit)),
  ]);
  return Object.fromEntries(await Promise.all(entries)) as unknown;
};

const isSealed = (value: unknown): value is string => typeof value === 'string' && value.startsWith(form);

/** What is sealed in a stored value. */
const partsOf = async (stored: unknown): Promise<ReadonlySet<unknown>> => {
  const found = new Set<unknown>();
  await withParts(stored, async (value) => isSealed(value) && found.add(value));
  return found;
};

/** Whose it is (the UUID of a record), and what kind of secret: one kind does not open as another. */
export type Place = { readonly owner: string; readonly name: string };

/**
 * The value with its secrets sealed; those that are sealed in `stored`, what was there before, stay as they are. Throws
 * TooLarge (413).
 */
export const sealParts = async (
  sealer: Sealer,
  { owner, name }: Place,
  value: unknown,
  stored?: unknown,
): Promise<unknown> => {
  const known = await partsOf(stored);
  return withParts(value, async (plain) => {
    if (plain === null || plain === '' || plain === mask || known.has(plain)) return plain;
    return `${form}${owner}.${await sealer.seal(JSON.stringify(plain), { node: owner, name })}`;
  });
};

/** The value with its secrets in plain; `conceal` hears each. Throws Unsealable (500). */
export const openParts = async (
  opener: Opener,
  name: string,
  value: unknown,
  conceal: (plain: string) => void,
): Promise<unknown> =>
  withParts(value, async (sealed) => {
    if (!isSealed(sealed)) return sealed;
    const dot = sealed.indexOf('.', form.length);
    const plain = JSON.parse(
      await opener.open(sealed.slice(dot + 1), { node: sealed.slice(form.length, dot), name }),
    ) as unknown;
    conceal(typeof plain === 'string' ? plain : JSON.stringify(plain));
    return plain;
  });
