import fc from 'fast-check';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import {
  isFailed,
  isInWork,
  isTransient,
  stateAsOf,
  states,
  statesThatAre,
  transition,
  type StateRow,
} from '../../../../layers/domain/baremetal/states.ts';
import {
  nextState,
  provisionStates,
  transitions,
  type ProvisionEvent,
  type ProvisionState,
} from '../../../../layers/domain/baremetal/transitions.ts';

const eventsOf = (state: ProvisionState) => Object.keys(transitions[state]) as ProvisionEvent[];
const all = (is: StateRow['is']) => provisionStates.filter((state) => states[state].is === is);

describe('the states', () => {
  it('can all be reached from enroll', () => {
    const reached = new Set<ProvisionState>(['enroll']);
    for (const state of reached) for (const event of eventsOf(state)) reached.add(nextState(state, event)!);
    expect([...reached].toSorted()).toEqual(provisionStates.toSorted());
  });

  it('that work or wait can fail, within their workflow', () => {
    for (const state of [...all('working'), ...all('waiting')]) {
      const failed = states[nextState(state, 'fail')!];
      expect([state, failed.is]).toEqual([state, state === 'verifying' ? 'resting' : 'failed']);
      expect(failed.workflow ?? 'verify').toBe(states[state].workflow);
    }
  });

  it.each(all('waiting'))('%s goes on where its workflow works', (state) => {
    expect(states[nextState(state, 'resume')!]).toMatchObject({ is: 'working', workflow: states[state].workflow });
  });

  it.each(all('held'))('%s goes on where its workflow waits', (state) => {
    expect(states[nextState(state, 'unhold')!]).toMatchObject({ is: 'waiting', workflow: states[state].workflow });
  });

  it.each(provisionStates)('%s belongs to a workflow unless it rests', (state) => {
    expect(states[state].workflow === undefined).toBe(states[state].is === 'resting');
  });
});

describe('transition', () => {
  const at = (provision_state: ProvisionState, target: string | null = null) => ({
    uuid: 'u',
    provision_state,
    target_provision_state: target,
  });

  it.each<[ProvisionState, string | null, ProvisionEvent, ProvisionState, string | null]>([
    ['available', null, 'deploy', 'deploying', 'active'],
    ['deploying', 'active', 'wait', 'wait call-back', 'active'],
    ['cleaning', 'manageable', 'wait', 'clean wait', 'manageable'],
    ['clean wait', 'manageable', 'resume', 'cleaning', 'manageable'],
    ['clean wait', 'manageable', 'abort', 'clean failed', 'manageable'],
    ['cleaning', 'manageable', 'hold', 'clean hold', 'manageable'],
    ['clean hold', 'manageable', 'unhold', 'clean wait', 'manageable'],
    ['cleaning', 'manageable', 'manage', 'manageable', null],
    ['verifying', 'manageable', 'fail', 'enroll', null],
    ['deleting', 'available', 'fail', 'error', null],
    ['deleting', 'available', 'clean', 'cleaning', 'available'],
  ])('%s, heading for %s: %s leads to %s, heading for %s', (from, target, event, to, next) => {
    expect(transition(at(from, target), event)).toEqual({ provision_state: to, target_provision_state: next });
  });

  it("takes the caller's own target", () => {
    expect(transition(at('manageable'), 'clean', { target: 'manageable' })).toEqual({
      provision_state: 'cleaning',
      target_provision_state: 'manageable',
    });
  });

  it('refuses an event that does not fit', () => {
    expect(() => transition(at('available'), 'rescue')).toThrow('Event rescue does not fit node u in state available.');
  });

  it('leaves a node with a target exactly as long as it does not rest, whatever happens to it', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (choices) => {
        let node = at('enroll');
        for (const choice of choices) {
          const events = eventsOf(node.provision_state);
          node = { uuid: 'u', ...transition(node, events[choice % events.length]!) };
          const rests = states[node.provision_state].is === 'resting' || node.provision_state === 'error';
          expect([node.provision_state, node.target_provision_state === null]).toEqual([node.provision_state, rests]);
        }
      }),
    );
  });
});

describe('what follows from a row', () => {
  const at = (provision_state: ProvisionState) => ({ provision_state });

  it('tells states that end by themselves from those that stay', () => {
    expect(provisionStates.filter((state) => isTransient(at(state)))).toHaveLength(14);
    expect((['deploy hold', 'active', 'error'] as const).some((state) => isTransient(at(state)))).toBe(false);
  });

  it('tells what is being worked on', () => {
    expect(provisionStates.filter((state) => isInWork(at(state), 'clean'))).toEqual(['cleaning', 'clean wait']);
  });

  it('knows failures, of which one has another name', () => {
    const named = provisionStates.filter((state) => state.endsWith(' failed'));
    expect(provisionStates.filter((state) => isFailed(at(state))).toSorted()).toEqual([...named, 'error'].toSorted());
  });

  it('shows older microversions states that they know', () => {
    expect([1, 2].map((version) => stateAsOf('available', version))).toEqual([null, 'available']);
    expect([38, 39].map((version) => stateAsOf('inspect wait', version))).toEqual(['inspecting', 'inspect wait']);
    expect(stateAsOf('active', 1)).toBe('active');
  });

  it('lists states in the order in which refusals name them', () => {
    expect(statesThatAre('deletable')).toEqual(['enroll', 'manageable', 'available', 'adopt failed']);
    expect(statesThatAre('unwired')).toEqual(['enroll', 'inspecting', 'inspect wait', 'manageable']);
  });
});

describe('what a state is', () => {
  const root = new URL('../../../../', import.meta.url);
  const files = globSync('{functions,layers,workflows,local,infra,simulator,scripts,bench}/**/*.ts', {
    cwd: root.pathname,
    exclude: ['layers/domain/baremetal/**'],
  });
  const isState = (text: string) => Object.hasOwn(transitions, text);
  const texts = (source: string) => [...source.matchAll(/'([^'\n]*)'/g)].map(([, text]) => text!);
  const several = (found: readonly string[]) => new Set(found).size > 1;

  /** Ways to say of several states what belongs into their rows; each finds what it is about in a source. */
  const ways: { readonly [way: string]: (source: string) => boolean } = {
    'a list': (source) =>
      [...source.matchAll(/\[([^[\]]*)\]/g)].some(([, list]) => several(texts(list!)) && texts(list!).every(isState)),
    'a table': (source) => several([...source.matchAll(/'(\w+ [\w-]+)':/g)].map(([, key]) => key!).filter(isState)),
    'a chain of comparisons': (source) =>
      [...source.matchAll(/(\S+) [!=]== '([^']+)' (?:\|\||&&)\s+\1 [!=]== '([^']+)'/g)].some(
        ([, , one, other]) => isState(one!) && isState(other!),
      ),
    'a part of the name': (source) =>
      [...source.matchAll(/\.(startsWith|endsWith)\('([^']+)'\)/g)].some(([, how, part]) =>
        several(provisionStates.filter((state) => state[how as 'startsWith'](part!))),
      ),
    'a regular expression': (source) => /\/[^/\n]*\b(?:wait|hold|failed|call-back|ing)\$[^/\n]*\//.test(source),
  };

  /**
   * The demo is a client: which verb it sends from where is its plan, not what a state is. Allocations and servers have
   * states of their own, two of them with the name of a node's.
   */
  const excused = new Set(['local/demo/node.ts', 'workflows/allocate/phases.ts', 'layers/domain/compute/actions.ts']);

  it.each(Object.keys(ways))('is nowhere said by %s', (way) => {
    const found = files.filter((file) => !excused.has(file) && ways[way]!(readFileSync(new URL(file, root), 'utf8')));
    expect(found).toEqual([]);
  });

  it.each([
    ['a list', "const held = [...waits, 'clean hold', 'deploy hold'];"],
    ['a table', "const by = { 'clean hold': 'clean', 'deploy hold': 'deploy' };"],
    ['a chain of comparisons', "if (at === 'cleaning' || at === 'clean wait') return;"],
    ['a part of the name', "const isFailure = (at: string) => at.endsWith(' failed');"],
    ['a regular expression', 'states.filter((at) => /ing$|wait$|call-back$/.test(at))'],
  ])('would be found if it was said by %s', (way, source) => {
    expect(Object.keys(ways).filter((each) => ways[each]!(source))).toEqual([way]);
  });
});
