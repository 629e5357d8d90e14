/**
 * What an expression refers to, read from its syntax tree, so that a misspelt variable or a `$states` field that is
 * not there is refused when the file is loaded and not in the middle of a deploy.
 */
import jsonata from 'jsonata';

import { compile, functions } from './expression.ts';

export type References = {
  /** Variables that are not functions and not bound inside the expression. */
  readonly variables: readonly string[];
  /** The first step after `$states`: input, result, ... */
  readonly fields: readonly string[];
  /** Functions that do not exist in Step Functions. */
  readonly unknownFunctions: readonly string[];
  /** Operators that came to JSONata after the version that Step Functions has. */
  readonly newerOperators: readonly string[];
  /** Whether `$random` is given a seed. */
  readonly seedsChance: boolean;
};

type Tree = { [name: string]: unknown };

const ownFunctions = Object.keys(
  functions({ now: 0, chance: { number: () => 0, uuid: () => '', token: () => '' } }),
).filter((name) => name !== 'eval');

const builtIn = new Map<string, boolean>([...ownFunctions.map((name) => [name, true] as const), ['eval', false]]);

const isFunction = async (name: string): Promise<boolean> => {
  const known = builtIn.get(name) ?? (await jsonata(`$${name}`).evaluate(undefined)) !== undefined;
  builtIn.set(name, known);
  return known;
};

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

const walk = (value: unknown, visit: (node: Tree) => void): void => {
  if (!isTree(value)) return;
  if (!Array.isArray(value)) visit(value);
  for (const child of Object.values(value)) walk(child, visit);
};

/** `$` and `$$` are the context item of a path; they are written without a name. */
const nameOf = (node: unknown): string | undefined =>
  isTree(node) && node['type'] === 'variable' && node['value'] !== '' && node['value'] !== '$'
    ? (node['value'] as string)
    : undefined;

/**
 * `a ?? b` and `a ?: b` are conditions in the tree, as `a ? b : c` is; where one stands, behind its operator, tells.
 */
const newerOperator = (node: Tree, text: string): string[] => {
  const at = Number(node['position']);
  const operator = text.slice(at - 2, at);
  return node['type'] === 'condition' && ['??', '?:'].includes(operator) ? [operator] : [];
};

/** The references of a `{% ... %}` string. Throws jsonata's error for what does not parse. */
export const references = async (text: string): Promise<References> => {
  const used = new Set<string>();
  const called = new Set<string>();
  const bound = new Set<string>();
  const fields = new Set<string>();
  const newerOperators: string[] = [];
  let seedsChance = false;
  walk(compile(text).ast(), (node) => {
    const name = nameOf(node);
    if (name) used.add(name);
    const procedure = nameOf(node['procedure']);
    if (procedure) called.add(procedure);
    if (procedure === 'random' && (node['arguments'] as unknown[]).length > 0) seedsChance = true;
    newerOperators.push(...newerOperator(node, text.slice(2, -2)));
    if (node['type'] === 'bind') bound.add(nameOf(node['lhs']) ?? '');
    if (node['type'] === 'lambda') for (const each of node['arguments'] as unknown[]) bound.add(nameOf(each) ?? '');
    for (const mark of ['focus', 'index']) if (typeof node[mark] === 'string') bound.add(node[mark]);
    const [first, second] = (node['type'] === 'path' ? node['steps'] : []) as [Tree?, Tree?];
    if (nameOf(first) === 'states' && second?.['type'] === 'name') fields.add(second['value'] as string);
  });
  const free = [...used].filter((name) => !bound.has(name) && name !== 'states');
  const known = await Promise.all(free.map(isFunction));
  const unknown = free.filter((_, index) => !known[index]);
  return {
    fields: [...fields],
    newerOperators,
    seedsChance,
    variables: unknown.filter((name) => !called.has(name)),
    unknownFunctions: unknown.filter((name) => called.has(name)),
  };
};
