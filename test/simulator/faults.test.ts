import { expect, it } from 'vitest';

import { createFaults, type ActiveFault } from '../../simulator/faults.ts';
import { createMachine } from '../../simulator/machine.ts';
import { createLab } from './lab.ts';

const one = createMachine(1, 1, 'plain');
const other = createMachine(1, 2, 'plain');

it('strikes the named machine as often as it was told to', () => {
  const faults = createFaults([], () => {});
  faults.add('m0001', { name: 'bmc_503', count: 2 });
  expect(faults.strikes('bmc_503', other)).toBeUndefined();
  expect(faults.strikes('bmc_500', one)).toBeUndefined();
  expect(faults.strikes('bmc_503', one)).toMatchObject({ name: 'bmc_503' });
  expect(faults.strikes('bmc_503', one)).toBeDefined();
  expect(faults.strikes('bmc_503', one)).toBeUndefined();
});

it('strikes the operations it was meant for only', () => {
  const faults = createFaults([], () => {});
  faults.add(null, { name: 'bmc_503', op: 'PATCH ' });
  expect(faults.strikes('bmc_503', one, 'GET /redfish/v1')).toBeUndefined();
  expect(faults.strikes('bmc_503', one, 'PATCH /redfish/v1/Systems/1')).toBeDefined();
});

it('strikes with the probability it was given, the same way for the same seed', () => {
  const struck = () => {
    const machine = createMachine(3, 1, 'plain');
    const faults = createFaults([], () => {});
    faults.add(null, { name: 'bmc_503', probability: 0.3 });
    return Array.from({ length: 200 }, () => Boolean(faults.strikes('bmc_503', machine)));
  };
  const count = struck().filter(Boolean).length;
  expect(count).toBeGreaterThan(30);
  expect(count).toBeLessThan(90);
  expect(struck()).toEqual(struck());
});

it('tells what is on, so that it can be saved, and forgets what was removed', () => {
  let saved: ActiveFault[] = [];
  const faults = createFaults([], (active) => (saved = active));
  const { id } = faults.add('m0001', { name: 'bmc_slow' });
  faults.add('m0002', { name: 'bmc_503' });
  expect(saved).toMatchObject([{ name: 'bmc_slow', seconds: 10, count: null }, { name: 'bmc_503' }]);
  expect(faults.remove({ machine: 'm0002' })).toBe(1);
  expect(faults.remove({ id })).toBe(1);
  expect(saved).toEqual([]);
});

it('refuses unknown names and nonsense', () => {
  const faults = createFaults([], () => {});
  expect(() => faults.add(null, { name: 'constructor' })).toThrow('There is no fault');
  expect(() => faults.add(null, { name: 'bmc_503', probability: 2 })).toThrow('probability');
  expect(() => faults.add(null, { name: 'bmc_503', count: 'x' })).toThrow('count');
});

it.each([
  ['bmc_503', { status: 503 }],
  ['bmc_500', { status: 500, body: undefined }],
  ['bmc_hangs', { body: 'hang' }],
  ['bmc_drops', { body: 'drop' }],
  ['bmc_unauthorized', { status: 401 }],
])('lets the BMC answer as %s says, and does not carry out what was asked', async (name, expected) => {
  const { world, machine, reset, advance } = createLab();
  world.faults.add(null, { name });
  expect(await reset('On')).toMatchObject(expected);
  await advance(5);
  expect(machine.phase).toBe('off');
});

it('carries out a request whose answer is lost', async () => {
  const { world, machine, reset, advance } = createLab();
  world.faults.add(null, { name: 'bmc_drops_answer', op: 'POST' });
  expect((await reset('On')).body).toBe('drop');
  await advance(5);
  expect(machine.phase).toBe('post');
});

it('answers late when the BMC is slow', async () => {
  const { world, redfish, advance } = createLab();
  world.faults.add(null, { name: 'bmc_slow', seconds: 30 });
  let status = 0;
  void redfish('GET', '/Systems').then((reply) => (status = reply.status));
  await advance(29);
  expect(status).toBe(0);
  await advance(1);
  expect(status).toBe(200);
});

it('reports the old power state for a while', async () => {
  const { world, machine, redfish, reset, advance } = createLab();
  world.faults.add(null, { name: 'power_state_stale', seconds: 20, count: 1 });
  await reset('On');
  await advance(5);
  expect(machine.phase).toBe('post');
  expect((await redfish('GET', '/Systems/1')).body.PowerState).toBe('Off');
  await advance(20);
  expect((await redfish('GET', '/Systems/1')).body.PowerState).toBe('On');
});

it('accepts a reset and ignores it', async () => {
  const { world, machine, reset, advance } = createLab();
  world.faults.add(null, { name: 'reset_ignored', count: 1 });
  expect((await reset('On')).status).toBe(204);
  await advance(10);
  expect(machine).toMatchObject({ phase: 'off', resets: [{ type: 'On', status: 204 }] });
});

it('passes over a boot override once and consumes it', async () => {
  const { world, machine, redfish, reset, insert, advance } = createLab();
  machine.disk.image = { sha256: 'a', size: 1, written_at: 0 };
  world.faults.add(null, { name: 'boot_once_ignored', count: 1 });
  await insert('http://images.test/live.iso');
  await redfish('PATCH', '/Systems/1', { Boot: { BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' } });
  await reset('On');
  await advance(200);
  expect(machine).toMatchObject({ device: 'hdd', boot: { enabled: 'Disabled' } });
});
