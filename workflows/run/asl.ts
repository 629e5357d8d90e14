/**
 * The state machines as Step Functions takes them. `<name>.asl.json` is a story written by hand, in which a state may
 * `Use` fragments: what many states have in common, such as the Retry ladder, stands once, in fragments.json here or in
 * that of an owner of runs (ADR 14). CDK, the runner of one machine and `npm run asl` all read them here.
 */
import { globSync, readFileSync } from 'node:fs';

import { Fault } from '../../layers/domain/fault.ts';

type Json = string | number | boolean | null | readonly Json[] | Members;
type Members = { readonly [name: string]: Json };

/** A member `Use` names one fragment or several: their members come first, then the state's own. */
export type Fragments = { readonly [name: string]: Members };

/** ASL, but for the states that `Use` fragments. */
export type Story = { readonly States: { readonly [state: string]: Members }; readonly [name: string]: Json };

const isObject = (value: Json | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects become one; of everything else the latter wins, lists too. */
const merge = (first: Members, second: Members): Members => {
  const merged: { [name: string]: Json } = { ...first };
  for (const [name, value] of Object.entries(second)) {
    const before = merged[name];
    merged[name] = isObject(before) && isObject(value) ? merge(before, value) : value;
  }
  return merged;
};

type Refuse = (what: string) => Fault;

const used = ({ Use: names = [] }: Members): readonly string[] =>
  (Array.isArray(names) ? names : [names]) as readonly string[];

/** `within`: the fragments that led here. */
const expand = (fragments: Fragments, state: Members, refuse: Refuse, within: readonly string[] = []): Members => {
  const parts = used(state).map((name) => {
    if (within.includes(name)) throw refuse(`fragment "${name}" uses itself`);
    const fragment = Object.hasOwn(fragments, name) ? fragments[name] : undefined;
    if (!fragment) throw refuse(`there is no fragment "${name}", only ${Object.keys(fragments).join(', ')}`);
    return expand(fragments, fragment, refuse, [...within, name]);
  });
  const { Use: _used, ...own } = state;
  return [...parts, own].reduce(merge, {});
};

/** `<name>` in a text. */
const fillNames = (state: Members, names: { readonly [name: string]: string }, refuse: Refuse): Members =>
  JSON.parse(
    JSON.stringify(state).replaceAll(/<(\w+)>/g, (placeholder, name: string) => {
      if (Object.hasOwn(names, name)) return names[name]!;
      throw refuse(`nothing is known to fill in for ${placeholder}`);
    }),
  ) as Members;

/**
 * The state machine of the workflow `name`: fragments in place of their names, and in them `<workflow>`, `<state>` and
 * `<next>` (the state's own) filled in. `${name}` stays, for CloudFormation's substitutions. Throws InvalidDefinition for what does not exist.
 */
export const fillIn = (name: string, story: Story, fragments: Fragments): Story => {
  const states = Object.entries(story.States).map(([state, members]) => {
    const refuse: Refuse = (what) =>
      new Fault('InvalidDefinition', 400, `${name}.asl.json, state "${state}": ${what}.`);
    const { Next: next } = members;
    const names = { workflow: name, state, ...(typeof next === 'string' && { next }) };
    return [state, fillNames(expand(fragments, members, refuse), names, refuse)];
  });
  return { ...story, States: Object.fromEntries(states) as Story['States'] };
};

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

/** Those of every run, and those of the runs of each owner. */
const readFragments = (): Fragments => {
  const owners = globSync('*/fragments.json', { cwd: new URL('../owners/', import.meta.url) });
  const files = ['fragments.json', ...owners.map((file) => `../owners/${file}`)];
  return Object.assign({}, ...files.map(read)) as Fragments;
};

/** The whole ASL text of a workflow. Throws InvalidDefinition. */
export const readDefinition = (name: string): string => {
  const story = read(`../${name}/${name}.asl.json`) as Story;
  return `${JSON.stringify(fillIn(name, story, readFragments()), null, 2)}\n`;
};
