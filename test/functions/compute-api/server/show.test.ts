/** GET /servers/{id} at each microversion (compute-api.md 1, 3), through the front door. */
import { describe, expect, it } from 'vitest';

import { hostAttributes, server as rows } from '../../../../layers/domain/compute/server.ts';
import { isKnown, wireName } from '../../../../layers/domain/fields.ts';
import { createCloud } from '../cloud.ts';
import { root, tenant } from '../front.ts';

const node = '11111111-1111-4111-8111-111111111111';
const at = (version: number) => (row: object) => isKnown(row, version);
/** The names on the wire of a table's fields at a version, without those that only some states have. */
const namesAt = (table: typeof rows | typeof hostAttributes, version: number): string[] =>
  Object.entries(table)
    .filter(([, row]) => at(version)(row))
    .map(([name, row]) => wireName(name, row))
    .filter((name) => name !== 'fault');

describe('a server', () => {
  it.each(Array.from({ length: 96 }, (_, index) => index + 1))(
    'has the fields of 2.%i, and no other',
    async (version) => {
      const { active, show } = await createCloud();
      const id = await active();
      const seen = Object.keys(await show(id, { version }));
      expect(seen.toSorted()).toEqual([...namesAt(rows, version), 'links'].toSorted());
      const bySystem = Object.keys(await show(id, { version, subject: root }));
      const all = new Set([...namesAt(rows, version), ...namesAt(hostAttributes, version), 'links']);
      expect(bySystem.toSorted()).toEqual([...all].toSorted());
    },
  );

  it('names its flavor until 2.46, and then tells it', async () => {
    const { active, show } = await createCloud();
    const id = await active();
    expect((await show(id, { version: 46 })).flavor).toEqual({
      id: 'small',
      links: [{ rel: 'bookmark', href: 'http://cloud.test/compute/flavors/small' }],
    });
    expect((await show(id, { version: 47 })).flavor).toMatchObject({ original_name: 'bm.small' });
  });

  it('keeps its flavor when that is deleted', async () => {
    const { active, show, request } = await createCloud();
    const id = await active();
    await request('DELETE /v2.1/flavors/small', { subject: root });
    expect((await show(id)).flavor).toMatchObject({ original_name: 'bm.small', vcpus: 2 });
  });

  it('shows addresses, times and where it is', async () => {
    const { active, show, force } = await createCloud();
    const id = await active();
    const seen = {
      network_name: 'private',
      mac_address: '52:54:00:aa:00:01',
      fixed_ips: [{ ip_address: '10.0.0.5', subnet_id: 's', floating_ips: ['198.51.100.7'] }],
    };
    await force(id, {
      node_uuid: node,
      host: 'conductor-1',
      availability_zone: 'rack-1',
      launched_at: '2026-01-01T10:20:30.400+00:00',
      interfaces: [
        { network_id: 'n', port_id: 'p', fixed_ip: null, tag: null, made: true, state: 'plugged', seen },
        { network_id: 'n', port_id: 'q', fixed_ip: null, tag: null, made: true, state: 'asked', seen: null },
      ],
    });
    const server = await show(id);
    expect(server.addresses).toEqual({
      private: [
        {
          addr: '10.0.0.5',
          version: 4,
          'OS-EXT-IPS:type': 'fixed',
          'OS-EXT-IPS-MAC:mac_addr': '52:54:00:aa:00:01',
        },
        {
          addr: '198.51.100.7',
          version: 4,
          'OS-EXT-IPS:type': 'floating',
          'OS-EXT-IPS-MAC:mac_addr': '52:54:00:aa:00:01',
        },
      ],
    });
    expect(server).toMatchObject({
      status: 'ACTIVE',
      created: '2026-01-01T00:00:00Z',
      updated: '2026-01-01T00:00:00Z',
      'OS-SRV-USG:launched_at': '2026-01-01T10:20:30.400000',
      'OS-SRV-USG:terminated_at': null,
      'OS-EXT-AZ:availability_zone': 'rack-1',
      hostId: expect.stringMatching(/^[0-9a-f]{56}$/),
      config_drive: 'True',
      progress: 100,
    });
    expect(await show(id, { subject: root })).toMatchObject({
      'OS-EXT-SRV-ATTR:host': 'conductor-1',
      'OS-EXT-SRV-ATTR:hypervisor_hostname': node,
      'OS-EXT-SRV-ATTR:instance_name': `instance-${id.slice(0, 8)}`,
      'OS-EXT-SRV-ATTR:launch_index': 0,
      host_status: 'UP',
    });
  });

  it('tells its tenant nothing of the machine', async () => {
    const { active, force, request } = await createCloud();
    const id = await active();
    await force(id, { node_uuid: node, host: 'conductor-1', tried: [node] });
    for (const line of [`GET /v2.1/servers/${id}`, 'GET /v2.1/servers/detail', 'GET /v2.1/servers']) {
      const { text } = await request(line);
      expect(text).not.toMatch(/conductor-1|11111111|hypervisor|tried|run_workflow/);
    }
  });

  it('in ERROR says why, to administrators in detail', async () => {
    const { booted, show, force } = await createCloud();
    const id = await booted();
    const fault = { code: 500, created: '2026-01-01T00:00:00.000+00:00', message: 'No valid host.', details: 'why' };
    await force(id, { fault });
    expect(await show(id)).not.toHaveProperty('fault');
    await force(id, { vm_state: 'error', task_state: null });
    const told = { code: 500, created: '2026-01-01T00:00:00Z', message: 'No valid host.' };
    const server = await show(id);
    expect(server).toMatchObject({ status: 'ERROR', fault: told });
    expect(server.fault).toEqual(told);
    expect(server).not.toHaveProperty('progress');
    expect((await show(id, { subject: tenant('eve', 'green', 'admin') })).fault).toEqual({ ...told, details: 'why' });
  });
});
