/**
 * Replacement fields in the arguments of rules: "{inventory[cpu][count]}", "{node.name}", "{item}". Rules are written
 * for Python's str.format, so values become text as Python writes it. Secrets become the mask.
 */
import { isSecretName, mask, maskSecrets } from '../masking.ts';

/** What fields can name, each a JSON value. */
export type Scope = { readonly [name in 'node' | 'inventory' | 'plugin_data' | 'item']?: unknown };

const roots = ['node', 'inventory', 'plugin_data', 'item'] as const;

const anyField = new RegExp(`\\{(?:${roots.join('|')})[.[}]`);

/** Whether a text names anything that is only known when a rule meets a machine. */
export const hasFields = (text: string): boolean => anyField.test(text);

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;

/** A value inside a list or an object, where texts have quotes. */
const inside = (value: unknown): string => (typeof value === 'string' ? quote(value) : asText(value));

/** A value as Python's str() writes it: None, True, ['a', 1]. */
export const asText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(inside).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, one]) => `${quote(name)}: ${inside(one)}`)
    .join(', ')}}`;
};

const field = /^(\w+)((?:\.[\w-]+|\[[^[\]{}]+\])*)$/;
const step = /\.([\w-]+)|\[([^[\]{}]+)\]/g;

/** The value that a field names; undefined if there is none. */
const lookUp = (scope: Scope, root: (typeof roots)[number], path: string): unknown => {
  let found: unknown = scope[root];
  for (const [, dotted, bracketed] of path.matchAll(step)) {
    const key = dotted ?? bracketed!;
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    if (isSecretName(key)) return mask;
    found = (found as Record<string, unknown>)[key];
  }
  return maskSecrets(found);
};

const isRoot = (name: string | undefined, scope: Scope): name is (typeof roots)[number] =>
  (roots as readonly string[]).includes(name ?? '') && Object.hasOwn(scope, name!);

/** Texts that are no format at all stay as they are, as upstream: "^[0-9]{2}$" is a regular expression. */
const format = (text: string, scope: Scope, missing: string[]): string => {
  const absent: string[] = [];
  let broken = false;
  const made = text.replaceAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (found: string, inner: string | undefined) => {
    if (found === '{{' || found === '}}') return found[0]!;
    const [, root, path = ''] = field.exec(inner ?? '') ?? [];
    if (!isRoot(root, scope)) broken = true;
    if (broken) return found;
    const value = lookUp(scope, root as (typeof roots)[number], path);
    if (value === undefined) absent.push(found);
    return asText(value);
  });
  if (broken) return text;
  missing.push(...absent);
  return made;
};

/**
 * The value with every replacement field in its texts replaced, at any depth. A field that names nothing becomes None
 * and is added to `missing`.
 */
export const interpolate = (value: unknown, scope: Scope, missing: string[]): unknown => {
  if (typeof value === 'string') return format(value, scope, missing);
  if (Array.isArray(value)) return value.map((one) => interpolate(one, scope, missing));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [format(name, scope, missing), interpolate(one, scope, missing)]),
  );
};
