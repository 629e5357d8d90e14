import { expect, it } from 'vitest';

import { resume } from '../../simulator/power.ts';
import { createApi, createLab, createServingLab, liveIso } from './lab.ts';

const image = { sha256: 'a', size: 1, written_at: 0 };
const boot = async ({ redfish }: ReturnType<typeof createLab>, target: string, enabled: string) =>
  redfish('PATCH', '/Systems/1', { Boot: { BootSourceOverrideTarget: target, BootSourceOverrideEnabled: enabled } });

it('goes from off through POST and load to the system on its disk', async () => {
  const lab = createLab();
  lab.machine.disk.image = image;
  await lab.reset('On');
  expect(lab.machine.phase).toBe('off');
  await lab.advance(2);
  expect(lab.machine.phase).toBe('post');
  while (lab.machine.phase === 'post') await lab.advance(1);
  expect(lab.machine.phase).toBe('load');
  await lab.advance(40);
  expect(lab.machine).toMatchObject({ phase: 'os', device: 'hdd', boots: [{ device: 'hdd', result: 'os' }] });
});

it('halts when there is nothing to boot from', async () => {
  const lab = createLab();
  await lab.reset('On');
  await lab.advance(200);
  expect(lab.machine).toMatchObject({ phase: 'halted', boots: [{ result: 'halted' }] });
});

it('boots once from the CD and the next time from the disk again', async () => {
  const lab = createLab(() => new Response(liveIso));
  lab.machine.disk.image = image;
  await lab.insert('http://images.test/live.iso');
  await boot(lab, 'Cd', 'Once');
  await lab.reset('On');
  await lab.advance(200);
  expect(lab.machine).toMatchObject({ phase: 'os', device: 'Cd', boot: { target: 'None', enabled: 'Disabled' } });
  await lab.reset('ForceRestart');
  await lab.advance(200);
  expect(lab.machine.device).toBe('hdd');
});

it('keeps a continuous override over restarts', async () => {
  const lab = createLab(() => new Response(liveIso));
  lab.machine.disk.image = image;
  await lab.insert('http://images.test/live.iso');
  await boot(lab, 'Cd', 'Continuous');
  for (const type of ['On', 'ForceRestart']) {
    await lab.reset(type);
    await lab.advance(200);
    expect(lab.machine).toMatchObject({ device: 'Cd', boot: { enabled: 'Continuous' } });
  }
});

it.each([
  ['are gone from the server', () => new Response('', { status: 404 }), 'answered 404'],
  ['are not ISO 9660', () => new Response(new Uint8Array(100_000)), 'CD001'],
  ['cannot be reached', () => Promise.reject(new TypeError('refused')), 'could not be fetched'],
])('halts when the media %s', async (_what, network, reason) => {
  const lab = createLab(network);
  await lab.insert('http://images.test/live.iso');
  await lab.reset('On');
  await lab.advance(200);
  expect(lab.machine.phase).toBe('halted');
  expect(lab.machine.boots[0]!.reason).toContain(reason);
});

it('halts when the media are removed while it loads from them, and says that this must not happen', async () => {
  const lab = createLab(() => new Response(liveIso));
  await lab.insert('http://images.test/live.iso');
  await lab.reset('On');
  while (lab.machine.phase !== 'load') await lab.advance(1);
  await lab.redfish('POST', '/Managers/1/VirtualMedia/Cd/Actions/VirtualMedia.EjectMedia');
  await lab.advance(60);
  expect(lab.machine).toMatchObject({ phase: 'halted', violations: [{ what: expect.stringContaining('ejected') }] });
});

it('knows a deploy ramdisk by its marker, also when the marker is cut in two by the network', async () => {
  const api = createApi();
  const marker = Buffer.from('INGOT-AGENT {"api_url": "http://api.test/"}');
  api.answers['/deploy.iso'] = () =>
    new Response(
      ReadableStream.from([liveIso.slice(0, 33_000), liveIso.slice(33_000), marker.subarray(0, 7), marker.subarray(7)]),
    );
  const { machine } = await createServingLab(api);
  expect(machine).toMatchObject({ phase: 'ramdisk', agent: { api_url: 'http://api.test' } });
});

it('needs a running system for a soft power off', async () => {
  const lab = createLab();
  await lab.reset('On');
  await lab.advance(200);
  await lab.reset('GracefulShutdown');
  await lab.advance(600);
  expect(lab.machine.phase).toBe('halted');
  await lab.reset('ForceOff');
  await lab.advance(4);
  lab.machine.disk.image = image;
  await lab.reset('On');
  await lab.advance(200);
  await lab.reset('GracefulShutdown');
  await lab.advance(5);
  expect(lab.machine.phase).toBe('os');
  await lab.advance(30);
  expect(lab.machine.phase).toBe('off');
});

it('writes down each power change with its cause and the phase in which power was cut', async () => {
  const lab = createLab();
  await lab.reset('On');
  await lab.advance(5);
  await lab.reset('ForceOff');
  await lab.advance(5);
  expect(lab.machine.timeline.map(({ from, to, cause }) => `${from} ${to} ${cause}`)).toEqual([
    'Off On On',
    'On Off ForceOff',
  ]);
  expect(lab.machine).toMatchObject({ boot_count: 1, boots: [{ cut: 'post', result: null }] });
});

it('does not cycle power for a reset that asks for what already is', async () => {
  const lab = createLab();
  await lab.reset('On');
  await lab.reset('On');
  await lab.advance(5);
  await lab.reset('On');
  await lab.advance(5);
  expect(lab.machine).toMatchObject({ boot_count: 1, resets: [{}, {}, {}] });
});

it('goes on from its record in the middle of POST', async () => {
  const before = createLab();
  before.machine.disk.image = image;
  await before.reset('On');
  await before.advance(10);
  const after = createLab();
  Object.assign(after.machine, structuredClone(before.machine));
  resume(after.world, after.machine);
  await after.advance(200);
  expect(after.machine).toMatchObject({ phase: 'os', boot_count: 1 });
});
