import { describe, expect, it } from 'vitest';

import {
  actions,
  checkAction,
  impossible,
  readAction,
  type ActionName,
} from '../../../../layers/domain/compute/actions.ts';
import { vmStates, type TaskState, type VmState } from '../../../../layers/domain/compute/server-states.ts';
import { isFault } from '../../../../layers/domain/fault.ts';
import { hostile } from '../../../fakes/hostile.ts';

const refused = (ask: () => unknown): string => {
  try {
    ask();
    return 'none';
  } catch (error) {
    if (!isFault(error)) throw error;
    return `${error.code} ${error.message}`;
  }
};

const uuid = '00000000-0000-4000-8000-000000000001';
const serverIn = (vm_state: VmState, task_state: TaskState | null = null) =>
  ({ uuid, vm_state, task_state, locked_by: null, run: null, run_workflow: null }) as const;

describe('the body of an action', () => {
  it.each<[object, number, ActionName]>([
    [{ 'os-start': null }, 1, 'start'],
    [{ 'os-stop': null }, 1, 'stop'],
    [{ reboot: { type: 'SOFT' } }, 1, 'reboot_soft'],
    [{ reboot: { type: 'hard' } }, 1, 'reboot_hard'],
    [{ rescue: null }, 1, 'rescue'],
    [{ rescue: { adminPass: 'p' } }, 1, 'rescue'],
    [{ unrescue: null }, 1, 'unrescue'],
    [{ trigger_crash_dump: null }, 17, 'trigger_crash_dump'],
    [{ lock: null }, 1, 'lock'],
    [{ lock: { locked_reason: 'mine' } }, 73, 'lock'],
    [{ unlock: null }, 1, 'unlock'],
    [{ forceDelete: null }, 1, 'force_delete'],
    [{ 'os-resetState': { state: 'error' } }, 1, 'reset_state'],
  ])('%o at 2.%i is %s', (body, version, action) => {
    expect(readAction(body, version).action).toBe(action);
  });

  it.each(hostile.map((one) => [one]))('refuses a kind of reboot that is no text: %j', (type) => {
    expect(refused(() => readAction({ reboot: { type } }, 1))).toMatch(/^400 .*reboot/);
  });

  it('of a rebuild has the values that this version has', () => {
    const body = { imageRef: `http://x/v2/images/${uuid}`, preserve_ephemeral: true, 'OS-DCF:diskConfig': 'AUTO' };
    expect(readAction({ rebuild: body }, 1)).toEqual({
      action: 'rebuild',
      values: { imageRef: uuid, preserve_ephemeral: true, diskConfig: 'AUTO' },
    });
    const keyed = { rebuild: { imageRef: uuid, key_name: 'k' } };
    expect(refused(() => readAction(keyed, 53))).toBe('400 Unexpected arguments: rebuild.key_name.');
    expect(readAction(keyed, 54).values).toEqual({ imageRef: uuid, key_name: 'k' });
    const files = { rebuild: { imageRef: uuid, personality: [] } };
    expect(refused(() => readAction(files, 56))).toBe('none');
    expect(refused(() => readAction(files, 57))).toBe('400 Unexpected arguments: rebuild.personality.');
  });

  it.each([
    [{}, 1, '400 The body must have exactly one key'],
    [{ 'os-start': null, 'os-stop': null }, 1, '400 The body must have exactly one key'],
    [{ dance: null }, 1, '400 There is no such action: dance'],
    [{ constructor: null }, 1, '400 There is no such action: constructor'],
    [{ trigger_crash_dump: null }, 16, '400 There is no such action: trigger_crash_dump'],
    [{ reboot: { type: 'WARM' } }, 1, '400 Invalid value for reboot.type'],
    [{ reboot: null }, 1, '400 Invalid value for reboot'],
    [{ rebuild: {} }, 1, '400 Missing mandatory parameter: rebuild.imageRef.'],
    [{ rescue: { password: 'x' } }, 1, '400 Unexpected arguments: rescue.password.'],
    [{ 'os-resetState': { state: 'deleted' } }, 1, '400'],
    [{ resize: { flavorRef: '1' } }, 1, '501 resize is not possible on bare metal: a machine does not become'],
    [{ changePassword: { adminPass: 'x' } }, 1, '501 changePassword is not possible'],
  ])('%o at 2.%i is refused', (body, version, words) => {
    expect(refused(() => readAction(body, version))).toContain(words);
  });

  it('that no machine can do is no action as well', () => {
    const bodies = Object.values(actions).flatMap(({ body }) => body ?? []);
    expect(Object.keys(impossible).filter((body) => bodies.includes(body))).toEqual([]);
  });
});

/** compute-api.md 3: without the states that no machine is ever in. */
const allowed: { readonly [N in ActionName]?: readonly VmState[] } = {
  start: ['stopped'],
  stop: ['active', 'error'],
  reboot_soft: ['active'],
  reboot_hard: ['active', 'stopped', 'error'],
  rebuild: ['active', 'stopped', 'error'],
  rescue: ['active', 'stopped', 'error'],
  unrescue: ['rescued'],
  trigger_crash_dump: ['active', 'rescued', 'error'],
};

describe('an action', () => {
  it.each(Object.entries(allowed))('%s is possible in %s only', (action, states) => {
    const possible = vmStates.filter(
      (state) => refused(() => checkAction(action as ActionName, serverIn(state), false)) === 'none',
    );
    expect(possible).toEqual(states);
  });

  it('is refused in the words of Nova', () => {
    expect(refused(() => checkAction('stop', serverIn('stopped'), false))).toBe(
      `409 Cannot 'stop' instance ${uuid} while it is in vm_state stopped`,
    );
    expect(refused(() => checkAction('reboot_soft', serverIn('active', 'powering-off'), false))).toBe(
      `409 Cannot 'reboot' instance ${uuid} while it is in task_state powering-off`,
    );
  });

  it('that may interrupt another does, and a delete comes through always', () => {
    expect(refused(() => checkAction('reboot_hard', serverIn('active', 'rebooting'), false))).toBe('none');
    for (const state of vmStates) {
      expect(refused(() => checkAction('delete', serverIn(state, 'spawning'), false))).toBe('none');
    }
  });

  it('on a locked server is for administrators, but for those about locks', () => {
    const locked = { ...serverIn('active'), locked_by: 'owner' } as const;
    expect(refused(() => checkAction('delete', locked, false))).toBe(`409 Instance ${uuid} is locked`);
    expect(refused(() => checkAction('delete', locked, true))).toBe('none');
    expect(refused(() => checkAction('unlock', locked, false))).toBe('none');
  });
});
