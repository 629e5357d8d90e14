import { expect, it } from 'vitest';

import { createPhases } from '../../../local/demo/phases.ts';
import type { StateEvent } from '../../../local/states/history.ts';

const node = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';

const open = () => {
  const shown: string[] = [];
  const phases = createPhases({
    say: () => undefined,
    tell: () => undefined,
    finish: (text) => shown.push(`finished ${text}`),
    show: (name, what) => shown.push(`${name} ${what}`),
    close: () => undefined,
  });
  const event = (is: StateEvent['is'], state: string, at: number, more: Partial<StateEvent> = {}) =>
    phases.receive({ workflow: 'deploy', name: `${node}-01KAN1SVZ00000000000000003`, at, is, state, ...more });
  return { phases, shown, event };
};

it('says of a machine which phase its workflow is in, and how long one took', () => {
  const { phases, shown, event } = open();
  phases.follow(node, 'm0001', true);
  event('entered', 'PowerOff', 1000);
  event('exited', 'PowerOff', 2500);
  event('entered', 'AttachBootMedia', 2500);
  expect(shown).toEqual([
    'm0001 deploy: PowerOff',
    'finished m0001  deploy: PowerOff  1.5 s',
    'm0001 deploy: AttachBootMedia',
  ]);
});

it('tells why a phase is tried again', () => {
  const { phases, shown, event } = open();
  phases.follow(node, 'm0001', false);
  event('entered', 'PowerOff', 0);
  event('retried', 'PowerOff', 1, { error: 'BmcBusy', seconds: 10 });
  event('exited', 'PowerOff', 2);
  expect(shown).toEqual(['m0001 deploy: PowerOff', 'm0001 deploy: PowerOff (again in 10 s: BmcBusy)']);
});

it('leaves out choices, ends, and nodes that nobody follows', () => {
  const { phases, shown, event } = open();
  event('entered', 'PowerOff', 0);
  phases.follow(node, 'm0001', true);
  event('entered', 'Plan', 0);
  event('exited', 'Plan', 0);
  expect(shown).toEqual([]);
});
