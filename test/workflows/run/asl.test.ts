/** How fragments are filled in. What comes out for our own workflows is in definitions.test.ts. */
import { describe, expect, it } from 'vitest';

import { fillIn, type Fragments, type Story } from '../../../workflows/run/asl.ts';

const fragments: Fragments = {
  call: { Type: 'Task', Arguments: { Payload: { phase: '<state>', of: '<workflow>' } }, Catch: [{ Next: 'Fail' }] },
  patient: { Use: 'call', TimeoutSeconds: '{% ${<workflow>_timeout} %}' },
  boot: { Arguments: { Payload: { boot: 1 } }, Catch: [{ Next: 'Again' }] },
  round: { Use: 'about' },
  about: { Use: 'round' },
  odd: { Comment: '<other>' },
  wait: { Catch: [{ Next: '<next>' }] },
};

const story = (state: Story['States'][string]): Story => ({ Comment: 'A story.', States: { PowerOff: state } });
const filled = (state: Story['States'][string]) => fillIn('deploy', story(state), fragments).States['PowerOff'];

describe('a state that uses fragments', () => {
  it('has the members of the fragment, with the names of workflow and state in them', () => {
    expect(filled({ Use: 'call', Next: 'B' })).toEqual({
      Type: 'Task',
      Arguments: { Payload: { phase: 'PowerOff', of: 'deploy' } },
      Catch: [{ Next: 'Fail' }],
      Next: 'B',
    });
  });

  it('adds one fragment to the other, and its own members to both; lists are replaced', () => {
    expect(filled({ Use: ['call', 'boot'], Arguments: { Payload: { of: 'mine' } } })).toEqual({
      Type: 'Task',
      Arguments: { Payload: { phase: 'PowerOff', of: 'mine', boot: 1 } },
      Catch: [{ Next: 'Again' }],
    });
  });

  it('names what comes after the state where a fragment says so', () => {
    expect(filled({ Use: 'wait', Next: 'B' })).toMatchObject({ Catch: [{ Next: 'B' }] });
  });

  it('has what the fragments of a fragment say', () => {
    expect(filled({ Use: 'patient' })).toMatchObject({ Type: 'Task', TimeoutSeconds: '{% ${deploy_timeout} %}' });
  });
});

it('leaves a state that uses none, and everything around the states, as it is', () => {
  const given = story({ Type: 'Succeed', Comment: 'Over.' });
  expect(fillIn('deploy', given, fragments)).toEqual(given);
});

it.each([
  [{ Use: 'cal' }, 'there is no fragment "cal", only call, patient, boot, round, about, odd, wait'],
  [{ Use: ['call', 'toString'] }, 'there is no fragment "toString"'],
  [{ Use: 'round' }, 'fragment "round" uses itself'],
  [{ Use: 'odd' }, 'nothing is known to fill in for <other>'],
  [{ Use: 'wait' }, 'nothing is known to fill in for <next>'],
])('refuses %j and says where', (state, what) => {
  expect(() => filled(state)).toThrow(
    expect.objectContaining({
      name: 'InvalidDefinition',
      message: expect.stringContaining(`deploy.asl.json, state "PowerOff": ${what}`) as string,
    }),
  );
});
