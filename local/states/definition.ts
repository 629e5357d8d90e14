/** Loads a state machine from its ASL file, or refuses it with a sentence that names the file, the state and the field. */
import { createHash } from 'node:crypto';

import type { z } from 'zod';

import { Fault } from '../../layers/domain/fault.ts';
import { check, type Refuse } from './check.ts';
import {
  machine as machineSchema,
  refusals,
  resources,
  stateTypes,
  type Machine,
  type Scope,
  type State,
} from './language.ts';

/** `hash` identifies the text after substitution; a running execution keeps the definition it began with. */
export type Definition = {
  readonly workflow: string;
  readonly hash: string;
  readonly text: string;
  readonly machine: Machine;
};

const refuser =
  (file: string): Refuse =>
  (state, what) =>
    new Fault('InvalidDefinition', 400, `${file}${state === undefined ? '' : `, state "${state}"`}: ${what}.`);

/** CloudFormation's DefinitionSubstitutions: plain replacement in the text. Throws InvalidDefinition for an unknown name. */
const substitute = (text: string, substitutions: Readonly<Record<string, string>>, refuse: Refuse) =>
  text.replaceAll(/\$\{(\w+)\}/g, (placeholder, name: string) => {
    const value = substitutions[name];
    if (value === undefined) throw refuse(undefined, `${placeholder} has no substitution`);
    return value;
  });

const describe = (issue: z.core.$ZodIssue): string => {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const field = issue.keys[0]!;
    return `field "${path ? `${path}.` : ''}${field}" ${refusals[field] ?? 'is not supported here'}`;
  }
  if (path.endsWith('ProcessorConfig.Mode')) return `field "${path}" ${refusals['DISTRIBUTED']}`;
  if (path === 'Resource') return `field "Resource" must be one of ${Object.values(resources).join(', ')}`;
  return `field "${path}" is not right: ${issue.message}`;
};

const parse = <T>(schema: z.ZodType<T>, value: unknown, refuse: Refuse, state?: string): T => {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  // A JSONPath field usually comes with others that miss their JSONata counterpart: name the cause, not the effect.
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0]!;
  throw refuse(state, describe(issue));
};

const parseState = (name: string, value: unknown, refuse: Refuse): State => {
  const type = (value as { Type?: unknown } | null)?.Type;
  if (typeof type !== 'string' || !Object.hasOwn(stateTypes, type)) {
    throw refuse(name, `Type ${JSON.stringify(type)} is not one of ${Object.keys(stateTypes).join(', ')}`);
  }
  const state = parse<{ Type: string }>(stateTypes[type as State['Type']], value, refuse, name) as State;
  if (state.Type === 'Parallel')
    return { ...state, Branches: state.Branches.map((scope) => parseScope(scope, refuse)) };
  if (state.Type === 'Map') return { ...state, ItemProcessor: parseScope(state.ItemProcessor, refuse) };
  return state;
};

const parseScope = <T extends { StartAt: string; States: object }>(scope: T, refuse: Refuse): T & Scope => ({
  ...scope,
  States: Object.fromEntries(
    Object.entries(scope.States).map(([name, value]) => [name, parseState(name, value, refuse)]),
  ),
});

/** Step Functions' quota of a definition, bytes of UTF-8. */
const largest = 1_048_576;

/** Also of what was stored in the journal: no substitutions are left in there. */
const parseText = (file: string, text: string): Machine => {
  const refuse = refuser(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(undefined, `is not JSON: ${(error as Error).message}`);
  }
  if ((value as { QueryLanguage?: unknown } | null)?.QueryLanguage !== 'JSONata') {
    throw refuse(undefined, 'field "QueryLanguage" must be "JSONata"; JSONPath is not spoken here');
  }
  return parseScope(parse(machineSchema, value, refuse), refuse);
};

/**
 * A definition whose text was checked when it was loaded the first time (from the journal).
 * Throws InvalidDefinition if this version no longer speaks it.
 */
export const reloadDefinition = (workflow: string, hash: string, text: string): Definition => ({
  workflow,
  hash,
  text,
  machine: parseText(`definition of ${workflow} in the journal`, text),
});

/**
 * The machine of an ASL text. `file` is what messages call it. Throws the Fault InvalidDefinition (400) for whatever
 * Step Functions would refuse, and for whatever this interpreter does not have.
 */
export const loadDefinition = async (
  workflow: string,
  file: string,
  text: string,
  substitutions: Readonly<Record<string, string>> = {},
): Promise<Definition> => {
  const refuse = refuser(file);
  const substituted = substitute(text, substitutions, refuse);
  const size = Buffer.byteLength(substituted);
  if (size > largest) throw refuse(undefined, `has ${size} bytes; a definition may have ${largest}`);
  const machine = parseText(file, substituted);
  await check(machine, refuse);
  return { workflow, text: substituted, machine, hash: createHash('sha256').update(substituted).digest('hex') };
};
