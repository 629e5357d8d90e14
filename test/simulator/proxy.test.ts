/** The real proxy against simulated machines of all makers, over TLS: two readings of Redfish that must agree. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { pemFingerprints } from '../../layers/bmc/trust.ts';
import type { Machine } from '../../simulator/machine.ts';
import { profileNames } from '../../simulator/profiles.ts';
import { createSimulator, type Simulator } from '../../simulator/simulator.ts';
import { currentBios } from '../../simulator/settings.ts';
import { enrol } from '../functions/bmc-proxy/fixture.ts';

let stateDir: string;
let simulator: Simulator;

beforeAll(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'ingot-simulator-'));
  simulator = await createSimulator({
    machines: profileNames.length,
    port: 0,
    controlPort: 0,
    ownPorts: 0,
    stateDir,
    seed: 1,
    scale: 0.001,
    apiUrl: 'http://127.0.0.1:9',
    profiles: profileNames,
  });
});
afterAll(async () => {
  await simulator.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

/** The machine of this maker, and the proxy that asks it. */
const enrolMachine = async (profile: string) => {
  const machine: Machine = [...simulator.machines.values()].find((one) => one.profile === profile)!;
  const list = await fetch(`http://127.0.0.1:${simulator.controlPort}/machines`);
  const { machines } = (await list.json()) as { machines: { name: string; address: string; certificate: string }[] };
  const { address, certificate } = machines.find(({ name }) => name === machine.name)!;
  const driver_info = {
    redfish_address: address,
    redfish_username: machine.username,
    redfish_verify_ca: `sha256:${pemFingerprints(certificate)[0]}`,
  };
  const { ask } = await enrol({ driver_info, password: machine.password });
  return { ask, machine };
};

const start = async ({ ask, machine }: Awaited<ReturnType<typeof enrolMachine>>, run: string) => {
  const boots = machine.boot_count;
  await vi.waitFor(
    async () => {
      const power = { target: 'power on', how: 'hard' } as const;
      expect(await ask('power.ensure', power, { op_id: run, deadline_ms: 3000 })).toMatchObject({ status: 'done' });
    },
    { timeout: 60_000 },
  );
  await vi.waitFor(() => expect([machine.boot_count, machine.phase]).toEqual([boots + 1, 'halted']), {
    timeout: 60_000,
  });
};

describe.each(profileNames)('with %s', (profile) => {
  it('takes inventory and versions of the firmware', async () => {
    const { ask, machine } = await enrolMachine(profile);
    expect(await ask('inventory.get', {})).toMatchObject({
      observed: {
        inventory: {
          interfaces: [{ mac_address: machine.mac, speed_mbps: 25_000, has_carrier: true }],
          disks: [{ name: 'Disk 1', size: 480 * 10 ** 9 }],
          memory: { physical_mb: 65_536 },
          cpu: { count: 32, architecture: 'x86_64', model_name: 'Simulated CPU' },
          system_vendor: { serial_number: machine.serial },
          boot: { current_boot_mode: 'uefi' },
        },
      },
    });
    expect(await ask('firmware.get', {})).toMatchObject({
      observed: { components: [{ component: 'bios' }, { component: 'bmc' }, { component: 'nic:NIC1' }] },
    });
    expect(await ask('vmedia.get', {})).toMatchObject({
      observed: { media: expect.arrayContaining([expect.anything()]) },
    });
  });

  it('boots from its virtual drive, and leaves nothing behind that would boot from it again', async () => {
    const enrolled = await enrolMachine(profile);
    const { ask, machine } = enrolled;
    const done = async (op: Parameters<typeof ask>[0], params: object, op_id: string) =>
      vi.waitFor(
        async () =>
          expect(await ask(op, params as never, { op_id, deadline_ms: 3000 })).toMatchObject({ status: 'done' }),
        { timeout: 30_000 },
      );
    const image = `http://127.0.0.1:${simulator.controlPort}/images/deploy.iso`;
    await done('vmedia.insert', { slot: 'cd', image }, 'in');
    await done('boot.ensure', { device: 'cdrom', persistence: 'once' }, 'cd');
    await done('power.ensure', { target: 'power on' }, 'cd-on');
    const drive = Object.keys(machine.media).find((id) => machine.media[id] !== null);
    await vi.waitFor(() => expect(machine.boots.at(-1)!.device).toBe(drive), { timeout: 30_000 });
    await done('power.ensure', { target: 'power off' }, 'cd-off');
    await done('vmedia.eject', { slot: 'all' }, 'out');
    await done('boot.clear', {}, 'clear');
    expect(Object.values(machine.media).filter(Boolean)).toEqual([]);
    const { target, enabled } = machine.boot;
    expect([enabled, target].join(' ')).not.toMatch(/^(Once|Continuous) (Usb)?Cd$/);
    expect(machine.auth_failures).toBe(0);
    expect(machine.resets.map(({ type }) => type)).toEqual(['On', 'ForceOff']);
  });

  it('changes lamps and interrupts', async () => {
    const { ask, machine } = await enrolMachine(profile);
    const listed = await ask('indicator.list', {});
    const { indicators } = (listed as Extract<typeof listed, { status: 'done' }>).observed;
    expect(indicators.map(({ component }) => component)).toContain('chassis');
    for (const { component, name } of indicators) {
      const wanted = { component, name, state: 'on' } as const;
      expect(await ask('indicator.ensure', wanted, { op_id: component })).toMatchObject({
        observed: { changed: true },
      });
    }
    expect(await ask('nmi.inject', {})).toMatchObject({ status: 'done' });
    expect(machine.resets.filter(({ type }) => type === 'Nmi')).toHaveLength(1);
  });

  it('is restarted without ever being off, as far as it offers that', async () => {
    const { ask, machine } = await enrolMachine(profile);
    const power = { target: 'power on', how: 'hard' } as const;
    await vi.waitFor(
      async () =>
        expect(await ask('power.ensure', power, { op_id: 'up', deadline_ms: 3000 })).toMatchObject({ status: 'done' }),
      { timeout: 5000 },
    );
    await vi.waitFor(() => expect(machine.phase).toBe('halted'), { timeout: 5000 });
    const [before, boots] = [machine.timeline.length, machine.boot_count];
    expect(await ask('power.restart', { how: 'hard' }, { op_id: 'again' })).toMatchObject({
      status: 'done',
      observed: { changed: true },
    });
    await vi.waitFor(() => expect([machine.boot_count, machine.phase]).toEqual([boots + 1, 'halted']), {
      timeout: 5000,
    });
    const soft = await ask('power.restart', { how: 'soft' }, { op_id: 'softly' }).catch((error: unknown) => error);
    expect(soft).toMatchObject(profile === 'hpe' ? { name: 'BmcUnsupported' } : { status: 'done' });
    expect(machine.timeline.slice(before)).toEqual([]);
    expect(machine.resets.map(({ type }) => type)).toContain('ForceRestart');
    const off = { target: 'power off', how: 'hard' } as const;
    await vi.waitFor(
      async () =>
        expect(await ask('power.ensure', off, { op_id: 'off', deadline_ms: 3000 })).toMatchObject({ status: 'done' }),
      { timeout: 5000 },
    );
  });

  it('changes the BIOS and secure boot with the next start', async () => {
    const enrolled = await enrolMachine(profile);
    const { ask, machine } = enrolled;
    const settings = [
      { name: 'BootTimeout', value: '30' },
      { name: 'ProcTurboMode', value: 'Disabled' },
    ];
    const taken = { status: 'done', observed: { changed: true, reboot_needed: true } };
    expect(await ask('bios.ensure', { settings })).toMatchObject(taken);
    const known = await ask('secure_boot.get', {});
    const has = profile !== 'supermicro';
    expect(known).toMatchObject({ observed: { enabled: has ? false : null } });
    const secure = await ask('secure_boot.ensure', { enabled: true }).catch((error: unknown) => error);
    expect(secure).toMatchObject(has ? taken : { name: 'BmcUnsupported' });
    await start(enrolled, 'start');
    expect(currentBios(machine)).toMatchObject({ BootTimeout: 30, ProcTurboMode: 'Disabled' });
    expect(await ask('secure_boot.get', {})).toMatchObject({ observed: { enabled: has ? true : null } });
    expect(await ask('bios.ensure', { settings }, { op_id: 'again' })).toMatchObject({
      observed: { changed: false, reboot_needed: false },
    });
    const read = await ask('bios.get', {});
    expect(read).toMatchObject({
      observed: {
        settings: expect.arrayContaining([
          expect.objectContaining({ name: 'BootTimeout', value: 30, upper_bound: has ? 60 : null }),
        ]),
      },
    });
    expect(await ask('bios.reset', {})).toMatchObject(taken);
    expect(machine.settings!.pending).toMatchObject({ BootTimeout: 5 });
  });

  it('sets the boot mode, or says where else it is set', async () => {
    const { ask, machine } = await enrolMachine(profile);
    const asked = await ask('mode.ensure', { mode: 'bios' }).catch((error: unknown) => error);
    const refused = { message: expect.stringContaining('BIOS setting BootMode') };
    expect(asked).toMatchObject(profile === 'hpe' ? refused : { status: 'done', observed: { changed: true } });
    expect(machine.boot.mode).toBe(profile === 'hpe' ? 'UEFI' : 'Legacy');
  });
});
