/** The provision states and the verbs as tables, and the state machine as a picture for Graphviz. */
import { states, type StateRow } from '../layers/domain/baremetal/states.ts';
import { provisionStates, transitions, type ProvisionState } from '../layers/domain/baremetal/transitions.ts';
import { bodyKeys, verbs, type Verb, type VerbRow } from '../layers/domain/baremetal/verbs.ts';
import { table } from './markdown.ts';

const verbNames = Object.keys(verbs) as Verb[];

const askedBy = (event: string): Verb[] => verbNames.filter((verb) => verbs[verb].event === event);

const quote = (text: string): string => JSON.stringify(text);

const shapes: { readonly [I in StateRow['is']]: string } = {
  resting: 'style=bold',
  working: 'style=rounded',
  waiting: 'style="rounded,dashed"',
  held: 'style=diagonals',
  failed: 'color=red',
};

const label = (state: ProvisionState): string => {
  const { workflow } = states[state];
  return workflow && states[state].is !== 'failed' ? `${state}\\n(${workflow})` : state;
};

/** A run that works has the lock: events of its own may have the names of those that clients cause. */
const askable = (state: ProvisionState): boolean => states[state].is !== 'working';

const edge = (from: ProvisionState, event: string, to: string): string => {
  const asked = askable(from) ? askedBy(event) : [];
  const drawn = asked.length > 0 ? `label=${quote(asked.join(', '))}` : `label=${quote(event)}, style=dotted`;
  return `  ${quote(from)} -> ${quote(to)} [${drawn}];`;
};

/** `dot -Tsvg docs/states.dot`. */
export const statesPicture = (): string => {
  const nodes = provisionStates.map(
    (state) => `  ${quote(state)} [label="${label(state)}", ${shapes[states[state].is]}];`,
  );
  const edges = provisionStates.flatMap((from) =>
    Object.entries(transitions[from]).map(([event, to]) => edge(from, event, to)),
  );
  return [
    '// Made from layers/domain/baremetal. Bold boxes rest, rounded ones work, dashed ones wait for the agent, those with',
    '// cut corners are held by a step, red ones have failed; in brackets whose run it is. Solid arrows are targets that',
    '// clients ask for, dotted ones events of the run.',
    'digraph states {',
    '  node [shape=box, fontname="sans-serif"];',
    '  edge [fontname="sans-serif", fontsize=10];',
    ...nodes,
    ...edges,
    '}',
    '',
  ].join('\n');
};

const code = (text: string): string => `\`${text}\``;
const yes = (value: unknown): string => (value ? 'yes' : '');
const list = (values: readonly string[]): string => values.map(code).join(', ');
const from = (since: number | undefined, text: string): string => (since ? `${text} (1.${since})` : text);

const changes = ({ editable, unassigned, unwired, deletable }: StateRow): string =>
  Object.entries({ node: editable, hardware: unassigned, wiring: unwired, delete: deletable })
    .flatMap(([what, allowed]) => (allowed ? [what] : []))
    .join(', ');

const targetsOf = (state: ProvisionState): string[] =>
  askable(state) ? verbNames.filter((verb) => verbs[verb].event in transitions[state]) : [];

const nameOf = (state: ProvisionState): string => {
  const { was } = states[state];
  return was ? `${code(state)} (below 1.${was.below} ${was.as ?? 'null'})` : code(state);
};

/** What each state is, and which targets it takes. */
export const stateTable = (): string =>
  table(
    ['state', 'is', 'workflow', 'heads for', 'may be changed', 'lookup', 'heartbeat', 'takes the targets'],
    provisionStates.map((state) => {
      const row = states[state];
      const { is, workflow = '', target = '', lookup, heartbeat = '' } = row;
      return [nameOf(state), is, workflow, target, changes(row), yes(lookup), heartbeat, list(targetsOf(state))];
    }),
  );

const sinceOf = ({ since = 1, sinceFrom = {} }: VerbRow): string =>
  [`1.${since}`, ...Object.entries(sinceFrom).map(([state, later]) => `${state}: 1.${later}`)].join(', ');

const bodyOf = ({ body = {} }: VerbRow): string =>
  bodyKeys.flatMap((key) => (body[key] ? [from(body[key].since, code(key))] : [])).join(', ');

const refusals = ({ awake, unprotected }: VerbRow): string =>
  [...(awake ? ['maintenance'] : []), ...(unprotected ? ['protected'] : [])].join(', ');

/** What each verb needs and does. */
export const verbTable = (): string =>
  table(
    [
      'target',
      'since',
      'event',
      'workflow',
      'takes along',
      'needs one of',
      'refused in',
      'interfaces that must be ready',
    ],
    verbNames.map((verb) => {
      const row: VerbRow = verbs[verb];
      const { event, workflow, needs = [], interfaces = [] } = row;
      const begun = workflow ? code(workflow) : '';
      return [code(verb), sinceOf(row), event, begun, bodyOf(row), list(needs), refusals(row), interfaces.join(', ')];
    }),
  );
