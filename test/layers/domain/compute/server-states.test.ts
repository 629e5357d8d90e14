/** The table of compute-api.md 8, row by row. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { provisionStates } from '../../../../layers/domain/baremetal/transitions.ts';
import {
  serverState,
  statusOf,
  taskStates,
  vmStates,
  type NodeState,
  type ServerState,
} from '../../../../layers/domain/compute/server-states.ts';

type Before = Omit<ServerState, 'power_state'>;
const active: Before = { vm_state: 'active', task_state: null };
const fresh: Before = { vm_state: 'building', task_state: 'networking' };

const nodeIs = (
  provision_state: NodeState['provision_state'],
  power: string | null = 'power on',
  target: string | null = null,
) => ({ provision_state, power_state: power, target_power_state: target }) satisfies NodeState;

/** `vm_state task_state status`, and power_state if it counts. */
const told = (node: NodeState | undefined, before: Before) => {
  const state = serverState(node, before);
  return [state.vm_state, state.task_state ?? '-', statusOf(state)].join(' ');
};

describe('a server', () => {
  it.each([
    ['deploying', fresh, 'building spawning BUILD'],
    ['wait call-back', fresh, 'building spawning BUILD'],
    ['deploy hold', fresh, 'building spawning BUILD'],
    ['available', fresh, 'building networking BUILD'],
    ['active', fresh, 'active - ACTIVE'],
    ['deploy failed', fresh, 'error - ERROR'],
    ['error', active, 'error - ERROR'],
    ['deploying', active, 'active rebuild_spawning REBUILD'],
    ['wait call-back', { vm_state: 'stopped', task_state: 'rebuilding' }, 'stopped rebuild_spawning REBUILD'],
    ['rescuing', active, 'active rescuing ACTIVE'],
    ['rescue wait', active, 'active rescuing ACTIVE'],
    ['rescue', active, 'rescued - RESCUE'],
    ['unrescuing', active, 'rescued unrescuing RESCUE'],
    ['rescue failed', active, 'error - ERROR'],
    ['unrescue failed', active, 'error - ERROR'],
    ['servicing', active, 'active - ACTIVE'],
    ['service wait', active, 'active - ACTIVE'],
    ['service hold', active, 'active - ACTIVE'],
    ['service failed', active, 'active - ACTIVE'],
    ['deleting', active, 'active deleting ACTIVE'],
    ['deleting', { vm_state: 'error', task_state: null }, 'error deleting ERROR'],
    ['cleaning', active, 'deleted - DELETED'],
    ['clean wait', active, 'deleted - DELETED'],
    ['clean failed', active, 'deleted - DELETED'],
    ['manageable', active, 'active - ACTIVE'],
  ] as const)('on a node that is %s, and was %o, is %s', (state, before, expected) => {
    expect(told(nodeIs(state), before)).toBe(expected);
  });

  it.each([
    ['power on', null, 'active - ACTIVE'],
    ['power off', null, 'stopped - SHUTOFF'],
    [null, null, 'active - ACTIVE'],
    ['error', null, 'active - ACTIVE'],
    ['power on', 'soft rebooting', 'active rebooting REBOOT'],
    ['power on', 'rebooting', 'active rebooting_hard HARD_REBOOT'],
    ['power on', 'power off', 'active powering-off ACTIVE'],
    ['power on', 'soft power off', 'active powering-off ACTIVE'],
    ['power off', 'power on', 'stopped powering-on SHUTOFF'],
  ] as const)('on an active machine with %s, towards %s, is %s', (power, target, expected) => {
    expect(told(nodeIs('active', power, target), active)).toBe(expected);
  });

  it('reboots until the power is settled, though the machine is switched off and on meanwhile', () => {
    const before: Before = { vm_state: 'active', task_state: 'rebooting_hard' };
    expect(told(nodeIs('active', 'power off', 'power on'), before)).toBe('active rebooting_hard HARD_REBOOT');
    expect(told(nodeIs('active', 'power on'), before)).toBe('active - ACTIVE');
  });

  it('is deleted when its node does not have it any more', () => {
    expect(serverState(undefined, active)).toEqual({ vm_state: 'deleted', task_state: null, power_state: 0 });
  });

  it.each([
    ['power on', 1],
    ['power off', 4],
    ['error', 0],
    [null, 0],
  ])('of which the power is %s has power_state %i', (power, number) => {
    expect(serverState(nodeIs('active', power), active).power_state).toBe(number);
  });

  it('is in a known state whatever its node does, and seeing the same twice changes nothing', () => {
    const powers = fc.constantFrom(null, 'power on', 'power off', 'error', 'rebooting', 'soft rebooting');
    const nodes = fc.record({
      provision_state: fc.constantFrom(...provisionStates),
      power_state: powers,
      target_power_state: powers,
    });
    const befores = fc.record({
      vm_state: fc.constantFrom(...vmStates),
      task_state: fc.constantFrom(null, ...taskStates),
    });
    fc.assert(
      fc.property(nodes, befores, (node, before) => {
        const once = serverState(node, before);
        expect(vmStates).toContain(once.vm_state);
        expect([null, ...taskStates]).toContain(once.task_state);
        expect(serverState(node, once)).toEqual(once);
      }),
    );
  });
});
