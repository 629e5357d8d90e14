/** The provision state machine as a picture for Graphviz, and the verbs as a table. */
import { provisionStates, transientStates, transitions, verbs, waitStates } from '../layers/domain/states.ts';
import { table } from './markdown.ts';

const quote = (text: string): string => JSON.stringify(text);
/** Events that a client causes; all others are Ingot's own. */
const asked: ReadonlySet<string> = new Set(Object.values(verbs).map(({ event }) => event));
const isOneOf = (states: readonly string[], state: string): boolean => states.includes(state);

const shape = (state: string): string => {
  if (isOneOf(waitStates, state)) return 'style=dashed';
  if (isOneOf(transientStates, state)) return 'style=rounded';
  return state.endsWith('failed') || state === 'error' ? 'color=red' : 'style=bold';
};

/** `dot -Tsvg docs/states.dot`: bold boxes rest, rounded ones work, dashed ones wait for the agent, red ones failed. */
export const statesPicture = (): string => {
  const nodes = provisionStates.map((state) => `  ${quote(state)} [${shape(state)}];`);
  const edges = Object.entries(transitions).flatMap(([from, events]) =>
    Object.entries(events).map(
      ([event, to]) =>
        `  ${quote(from)} -> ${quote(to)} [label=${quote(event)}${asked.has(event) ? '' : ', style=dotted'}];`,
    ),
  );
  return [
    '// Made from layers/domain/states.ts. Solid arrows are asked for by clients, dotted ones are taken by Ingot.',
    'digraph states {',
    '  node [shape=box, fontname="sans-serif"];',
    '  edge [fontname="sans-serif", fontsize=10];',
    ...nodes,
    ...edges,
    '}',
    '',
  ].join('\n');
};

/** Verb, microversion, event of the state machine, workflow that it starts. */
export const verbTable = (): string =>
  table(
    ['target', 'since', 'event', 'workflow'],
    Object.entries(verbs).map(([verb, row]) => [
      `\`${verb}\``,
      `1.${'since' in row ? row.since : 1}`,
      row.event,
      'workflow' in row ? `\`${row.workflow}\`` : '',
    ]),
  );
