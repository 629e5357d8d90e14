/** Hypervisors (compute-api.md 6), through the front door, over the real Bare Metal API. */
import { describe, expect, it } from 'vitest';

import { computeKinds } from '../../../layers/store/kinds/compute.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { ann } from './front.ts';
import { createMachines, secrets, told } from './machines.ts';

const at = '/v2.1/os-hypervisors';
const properties = { cpus: 8, memory_mb: '65536', local_gb: 480, cpu_arch: 'x86_64' };
const instance = '11111111-2222-4333-8444-555555555555';

/** A free machine and one that has a server. */
const withMachines = async () => {
  const machines = createMachines();
  const { platform, store } = machines;
  const free = await store({ ...secrets, properties, conductor_group: 'rack' });
  const uuid = 'abcdef00-2222-4333-8444-0123456789ab';
  const busy = { provision_state: 'active', instance_uuid: instance, maintenance: true } as const;
  const used = await store({ uuid, properties, ...busy });
  const server = newRecord(platform, computeKinds.server, { uuid: instance, name: 's1', tenant_id: 'red' });
  await createRecord(platform, computeKinds.server, server);
  return { ...machines, free: free.uuid, used: used.uuid };
};

const service = { id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/), host: 'ingot' };

describe('a hypervisor', () => {
  it('is a machine, known by the UUID of its node, from 2.88 on without capacity', async () => {
    const { ask, free } = await withMachines();
    expect((await ask(`GET ${at}/${free}`)).body).toEqual({
      hypervisor: {
        id: free,
        hypervisor_hostname: free,
        state: 'up',
        status: 'enabled',
        hypervisor_type: 'ironic',
        hypervisor_version: 1,
        host_ip: '',
        service: { ...service, disabled_reason: null },
        uptime: null,
      },
    });
  });

  it('has the size of the machine until 2.87, all of it used if a server is there', async () => {
    const { ask, free, used } = await withMachines();
    const size = { vcpus: 8, memory_mb: 65_536, local_gb: 480, current_workload: 0 };
    expect((await ask(`GET ${at}/${free}`, { version: 87 })).body.hypervisor).toMatchObject({
      ...size,
      vcpus_used: 0,
      memory_mb_used: 0,
      local_gb_used: 0,
      free_ram_mb: 65_536,
      free_disk_gb: 480,
      disk_available_least: 480,
      running_vms: 0,
      cpu_info: {},
    });
    const { hypervisor } = (await ask(`GET ${at}/${used}`, { version: 53 })).body;
    expect(hypervisor).toMatchObject({
      ...size,
      vcpus_used: 8,
      memory_mb_used: 65_536,
      local_gb_used: 480,
      free_ram_mb: 0,
      free_disk_gb: 0,
      running_vms: 1,
      status: 'disabled',
    });
    expect(hypervisor).not.toHaveProperty('uptime');
  });

  it('is known by a number until 2.52, and so is its service', async () => {
    const { ask, used } = await withMachines();
    const { hypervisors } = (await ask(`GET ${at}/detail`, { version: null })).body;
    const [, second] = hypervisors;
    expect(second).toMatchObject({
      id: expect.any(Number),
      hypervisor_hostname: used,
      cpu_info: '',
      service: { id: expect.any(Number) },
    });
    expect(Number.isSafeInteger(second.id)).toBe(true);
    const { hypervisor } = (await ask(`GET ${at}/${second.id}`, { version: 52 })).body;
    expect(hypervisor.hypervisor_hostname).toBe(used);
    for (const id of ['7', 'x', used]) {
      expect(await ask(`GET ${at}/${id}`, { version: 52 })).toMatchObject({
        status: 404,
        body: { itemNotFound: { message: `Compute host ${id} could not be found.` } },
      });
    }
  });

  it('that is not there is missing, also by the name of a node', async () => {
    const { ask } = await withMachines();
    expect((await ask(`GET ${at}/${instance}`)).body.itemNotFound.message).toBe(
      `Compute host ${instance} could not be found.`,
    );
    expect((await ask(`GET ${at}/${secrets.name}`)).status).toBe(400);
  });

  it('is down while its BMC is not reached', async () => {
    const { ask, store } = createMachines();
    const { uuid } = await store({ power_state: 'error' });
    expect((await ask(`GET ${at}/${uuid}`)).body.hypervisor.state).toBe('down');
  });

  it('tells the server on it, if that is one of ours', async () => {
    const { ask, store, used, free } = await withMachines();
    const { uuid: foreign } = await store({ provision_state: 'active', instance_uuid: free });
    const servers = [{ name: 'instance-11111111', uuid: instance }];
    expect((await ask(`GET ${at}/${used}?with_servers=true`)).body.hypervisor.servers).toEqual(servers);
    const { hypervisors } = (await ask(`GET ${at}?with_servers=1`)).body;
    expect(hypervisors.map((one: { servers?: object }) => one.servers)).toEqual([undefined, servers, undefined]);
    expect((await ask(`GET ${at}/${foreign}?with_servers=1`)).body.hypervisor).not.toHaveProperty('servers');
    expect((await ask(`GET ${at}/${used.slice(0, 13)}/servers`, { version: 52 })).body.hypervisors[0].servers).toEqual(
      servers,
    );
  });

  it('has no uptime: 501 until 2.87, and then no such path', async () => {
    const { ask, free } = await withMachines();
    expect((await ask(`GET ${at}/${free}/uptime`, { version: 87 })).status).toBe(501);
    expect((await ask(`GET ${at}/${instance}/uptime`, { version: 87 })).status).toBe(404);
    expect((await ask(`GET ${at}/${free}/uptime`, { version: 88 })).status).toBe(404);
  });
});

describe('hypervisors', () => {
  it('are listed briefly or whole', async () => {
    const { ask, free, used } = await withMachines();
    expect((await ask(`GET ${at}`)).body).toEqual({
      hypervisors: [
        { id: free, hypervisor_hostname: free, state: 'up', status: 'enabled' },
        { id: used, hypervisor_hostname: used, state: 'up', status: 'disabled' },
      ],
    });
    expect((await ask(`GET ${at}/detail`)).body.hypervisors).toHaveLength(2);
  });

  it('have pages from 2.33 on', async () => {
    const { ask, free, used } = await withMachines();
    const first = (await ask(`GET ${at}?limit=1`)).body;
    expect(first.hypervisors[0].id).toBe(free);
    expect(first.hypervisors_links).toEqual([
      { rel: 'next', href: `http://cloud.test/compute${at}?limit=1&marker=${free}` },
    ]);
    const second = (await ask(`GET ${at}?limit=1&marker=${free}`)).body;
    expect(second.hypervisors[0].id).toBe(used);
    expect((await ask(`GET ${at}?limit=1`, { version: 32 })).body.hypervisors).toHaveLength(2);
    for (const marker of ['x', instance]) {
      expect(await ask(`GET ${at}?marker=${marker}`)).toMatchObject({
        status: 400,
        body: { badRequest: { message: `marker [${marker}] not found` } },
      });
    }
  });

  it('are found by a part of their names', async () => {
    const { ask, used } = await withMachines();
    const ids = async (line: string, version: number) =>
      (await ask(line, { version })).body.hypervisors.map(
        (one: { hypervisor_hostname: string }) => one.hypervisor_hostname,
      );
    for (const part of [used, used.slice(0, 13).toUpperCase()]) {
      expect(await ids(`GET ${at}?hypervisor_hostname_pattern=${part}`, 53)).toEqual([used]);
      expect(await ids(`GET ${at}/${part}/search`, 52)).toEqual([used]);
    }
    for (const line of [`GET ${at}/nowhere/search`, `GET ${at}/nowhere/servers`]) {
      expect((await ask(line, { version: 52 })).body.itemNotFound.message).toBe(
        "No hypervisor matching 'nowhere' could be found.",
      );
      expect((await ask(line, { version: 53 })).status).toBe(404);
    }
    expect((await ask(`GET ${at}?hypervisor_hostname_pattern=${instance}`)).status).toBe(404);
    expect((await ask(`GET ${at}?hypervisor_hostname_pattern=a&limit=1`)).status).toBe(400);
  });

  it('have a sum until 2.87', async () => {
    const { ask } = await withMachines();
    expect((await ask(`GET ${at}/statistics`, { version: 87 })).body.hypervisor_statistics).toEqual({
      count: 2,
      vcpus: 16,
      memory_mb: 131_072,
      local_gb: 960,
      vcpus_used: 8,
      memory_mb_used: 65_536,
      local_gb_used: 480,
      free_ram_mb: 65_536,
      free_disk_gb: 480,
      disk_available_least: 480,
      current_workload: 0,
      running_vms: 1,
    });
    expect(
      (await createMachines().ask(`GET ${at}/statistics`, { version: 87 })).body.hypervisor_statistics,
    ).toMatchObject({ count: 0, vcpus: 0 });
    // It is the name of none.
    expect((await ask(`GET ${at}/statistics`, { version: 88 })).status).toBe(404);
  });

  it('of more than a page of the Bare Metal API are all counted', async () => {
    const { ask, store } = createMachines();
    await Promise.all(Array.from({ length: 1001 }, async () => store({ properties: { cpus: 1 } })));
    expect((await ask(`GET ${at}/statistics`, { version: 1 })).body.hypervisor_statistics).toMatchObject({
      count: 1001,
      vcpus: 1001,
    });
  });

  it('tell nothing of a node but its UUID, its size and its state', async () => {
    const { ask, free, used } = await withMachines();
    const lines = ['', '/detail', `/${free}`, `/${used}?with_servers=1`, `/${free}/search`, '/statistics'];
    for (const version of [1, 52, 53, 87, 96]) {
      for (const line of lines) {
        const { text } = await ask(`GET ${at}${line}`, { version });
        expect(text).not.toMatch(told);
      }
    }
  });

  it('are none of a tenant’s business', async () => {
    const { request, free, paths } = await withMachines();
    for (const line of [
      '',
      '/detail',
      '/statistics',
      `/${free}`,
      `/${free}/uptime`,
      `/${free}/search`,
      `/${free}/servers`,
    ]) {
      const { status, body } = await request(`GET ${at}${line}`, { version: 52, subject: ann });
      expect([line, status]).toEqual([line, 403]);
      expect(body.forbidden.message).toMatch(/^Policy doesn't allow os_compute_api:os-hypervisors:/);
    }
    expect(paths()).toEqual([]);
  });

  it('are not told while the Bare Metal API is not there, and why is in the log alone', async () => {
    const { ask, platform } = await withMachines();
    platform.apis.served.baremetal = async () => ({ statusCode: 503, body: 'secret reason' });
    const { status, text } = await ask(`GET ${at}`);
    expect(status).toBe(503);
    expect(text).not.toContain('secret');
  });
});
