import { describe, expect, it } from 'vitest';

import { states } from '../../../../layers/domain/baremetal/states.ts';
import { nextState, provisionStates, type ProvisionState } from '../../../../layers/domain/baremetal/transitions.ts';
import { bodyKeys, verbs, verbsTaking, type Verb } from '../../../../layers/domain/baremetal/verbs.ts';

const names = Object.keys(verbs) as Verb[];
const from = (verb: Verb): ProvisionState[] => provisionStates.filter((state) => nextState(state, verbs[verb].event));

describe('the verbs', () => {
  it.each(names)('%s leads on from some state', (verb) => {
    expect(from(verb)).not.toEqual([]);
  });

  it.each(names)('%s begins a run or does something about the one that is there, not both', (verb) => {
    const { workflow, instead } = verbs[verb];
    expect([workflow, instead].filter((value) => value !== undefined)).toHaveLength(1);
  });

  it.each(names)('%s begins a run of the workflow whose state it leads into', (verb) => {
    const entered = from(verb).map((state) => states[nextState(state, verbs[verb].event)!]);
    const working = entered.filter(({ is }) => is === 'working').map(({ workflow }) => workflow);
    expect(new Set(working)).toEqual(new Set(verbs[verb].instead ? [] : [verbs[verb].workflow]));
  });

  it.each(names)('%s needs nothing that it does not take', (verb) => {
    const { body = {}, needs = [] } = verbs[verb];
    expect(Object.keys(body)).toEqual(expect.arrayContaining([...needs]));
  });

  it.each(names)('%s is later in a state only than in general, and comes from there', (verb) => {
    const { since = 1, sinceFrom = {} } = verbs[verb];
    expect(from(verb)).toEqual(expect.arrayContaining(Object.keys(sinceFrom)));
    expect(Object.values(sinceFrom).every((later) => later > since)).toBe(true);
  });

  it('take along each key, the plan only where one is made', () => {
    for (const key of bodyKeys) expect(verbsTaking(key)).not.toEqual([]);
    for (const kind of ['clean', 'deploy', 'service'] as const) {
      for (const verb of verbsTaking(`${kind}_steps`)) expect(verbs[verb].steps).toBe(kind);
    }
  });

  it('that are given up or go on have a workflow to do it with', () => {
    const about = names.filter((verb) => verbs[verb].instead).flatMap(from);
    expect(about.every((state) => states[state].workflow !== undefined)).toBe(true);
  });
});
