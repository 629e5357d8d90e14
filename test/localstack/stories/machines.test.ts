/** Simulated machines, several at once: their BMCs are asked by the deployed proxy, their agents call the deployed API. */
import { describe, expect, inject, it } from 'vitest';

import { siteOf } from '../clients.ts';

const site = siteOf(inject('deployment'));

describe('machines, all at the same time', () => {
  it.concurrent.each(site.machines.slice(0, 4))(
    '$name gets its image and its configdrive, and is empty again afterwards',
    async (machine) => {
      await site.enrol(machine);
      await site.provision(machine, 'manage');
      await site.reaches(machine, 'manageable');
      await site.provision(machine, 'provide');
      await site.reaches(machine, 'available');

      const hello = `wörld of ${machine.name}`;
      await site.provision(machine, 'active', { configdrive: { meta_data: { hello }, user_data: '#!/bin/sh\n' } });
      expect(await site.reaches(machine, 'active')).toMatchObject({ power_state: 'power on', last_error: null });
      const { power, disk } = await site.evidence(machine);
      expect([power, disk.image?.sha256]).toEqual(['on', site.images.demo_raw.sha256]);
      expect(disk.configdrive?.files['openstack/latest/meta_data.json']?.text).toContain(hello);

      await site.provision(machine, 'deleted');
      await site.reaches(machine, 'available');
      const after = await site.evidence(machine);
      expect([after.power, after.disk.image, after.disk.configdrive, after.violations]).toEqual([
        'off',
        null,
        null,
        [],
      ]);
    },
  );
});
