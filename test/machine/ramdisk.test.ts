/** deploy_interface `ramdisk`: the machine runs an ISO, its configdrive is a virtual USB stick, the disk is not touched. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Machine, type Site, startSite } from './site.ts';
import { until } from './system.ts';

/** Machines in this order; all but Supermicro have a slot for sticks. */
const profiles = ['plain', 'dell', 'hpe', 'lenovo', 'supermicro'];
const able = profiles.slice(0, -1);

let site: Site;

beforeAll(async () => {
  site = await startSite({ machines: profiles.length, profiles: profiles.join(), env: {} });
});

afterAll(async () => site?.stop());

const machineOf = (profile: string): Machine => site.machines.find((machine) => machine.profile === profile)!;

const deploy = async (machine: Machine) => {
  const instance_info = { boot_iso: site.images.live_iso };
  await site.enrol(machine, {}, { deploy_interface: 'ramdisk', instance_info, automated_clean: false });
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
  await site.provision(machine, 'provide');
  await site.reaches(machine, 'available');
  await site.provision(machine, 'active', { configdrive: { user_data: `for ${machine.name}` } });
};

/** Files of the stored configdrives of a node. */
const configdrives = (uuid: string) =>
  readdirSync(join(site.folder, 'objects')).filter((file) => file.startsWith(`configdrives%2F${uuid}`));

const mediaOf = async (machine: Machine) =>
  Object.values((await site.evidence(machine)).media)
    .filter((media) => media !== null)
    .map(({ image }) => image)
    .toSorted();

describe.concurrent('a ramdisk deploy', () => {
  it.each(able)('runs the ISO with the configdrive as a stick, and undeploy takes both out (%s)', async (profile) => {
    const machine = machineOf(profile);
    await deploy(machine);
    const { uuid } = await site.reaches(machine, 'active');
    const running = await until('the live system', async () => {
      const evidence = await site.evidence(machine);
      return evidence.phase === 'os' && evidence;
    });
    const cd = running.media[running.device!];
    expect(cd).toEqual({ image: site.images.live_iso, inserted: true });
    const stick = Object.values(running.media).find((media) => media && media !== cd);
    const image = expect.stringMatching(`/objects/configdrives/${uuid}/[0-9A-Z]+\\.img`) as string;
    expect(stick).toEqual({ image, inserted: true });
    expect(running).toMatchObject({ disk: { image: null, residue: false }, boots: [{ result: 'os' }] });
    expect(running.boots).toHaveLength(1);
    // What is stored for agents, and the image that the BMC presents.
    expect(configdrives(uuid)).toHaveLength(2);

    await site.provision(machine, 'deleted');
    expect(await site.reaches(machine, 'available')).toMatchObject({ instance_info: {}, power_state: 'power off' });
    expect(await mediaOf(machine)).toEqual([]);
    expect(await site.evidence(machine)).toMatchObject({ power: 'off', sessions: 0, violations: [] });
    // Whoever kept the link of the stick gets nothing any more.
    expect(configdrives(uuid)).toEqual([]);
  });

  it('fails with a sentence where the BMC has no slot for a stick, and gives the machine back', async () => {
    const machine = machineOf('supermicro');
    await deploy(machine);
    const { last_error: error } = await site.reaches(machine, 'deploy failed');
    expect(error).toMatch(
      /^Deploy failed in AttachConfigdrive: The BMC offers no virtual media of type USBStick beside the one for CDs\./,
    );
    expect(await mediaOf(machine)).toEqual([]);
    await site.provision(machine, 'deleted');
    await site.reaches(machine, 'available');
    expect(await site.evidence(machine)).toMatchObject({ power: 'off', sessions: 0, violations: [] });
  });
});
