import { beforeEach, describe, expect, it } from 'vitest';

import { Fault } from '../../../layers/domain/fault.ts';
import { bmcFault } from '../../../layers/bmc/faults.ts';
import { unpack } from '../../../layers/configdrive/packed.ts';
import { readVolume } from '../../layers/configdrive/iso-reader.ts';
import { root } from '../../functions/compute-api/front.ts';
import { createStage, type Stage } from './stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});

const runOf = async (uuid: string): Promise<string> => (await stage.readServer(uuid))!.run!;

/** What the tenant's machine was told. */
const driveOf = async (node: string) => {
  const [key] = stage.machines.objects.keys().filter((name) => name.startsWith(`configdrives/${node}/`));
  return readVolume(Buffer.from(await unpack((await stage.machines.objects.get(key!))!)), 1).files;
};

describe('a server', () => {
  it('gets a machine, and is what that is', async () => {
    const node = await stage.addNode();
    const uuid = await stage.boots();
    const run = await runOf(uuid);
    await stage.settle(60);
    expect(await stage.entered('server-create', run)).toEqual([
      'Schedule',
      'Claim',
      'Claimed',
      'PlugPorts',
      'WriteMetadata',
      'Validate',
      'BuildConfigdrive',
      'Deploy',
      'WaitForDeploy',
      'Active',
      'Up',
      'Done',
    ]);
    expect(await stage.show(uuid)).toMatchObject({
      status: 'ACTIVE',
      'OS-EXT-STS:vm_state': 'active',
      'OS-EXT-STS:task_state': null,
      'OS-EXT-STS:power_state': 1,
      'OS-SRV-USG:launched_at': expect.any(String),
      'OS-EXT-AZ:availability_zone': 'nova',
    });
    expect(await stage.readServer(uuid)).toMatchObject({ run: null, node_uuid: node, tried: [node] });
  });

  it('is told of at its node, under the names that Nova uses', async () => {
    const node = await stage.addNode();
    const uuid = await stage.boots({ name: 'web' });
    await stage.settle(60);
    const { instance_uuid, instance_info } = await stage.readNode(node);
    expect(instance_uuid).toBe(uuid);
    expect(instance_info).toMatchObject({
      image_source: stage.image,
      display_name: 'web',
      project_id: 'red',
      user_id: 'ann',
      flavor_name: 'bm.small',
      flavor_id: 'small',
      root_gb: '40',
      vcpus: '2',
      memory_mb: '4096',
      local_gb: '100',
      fixed_ips: '[]',
      floating_ips: '[]',
    });
  });

  it('is told of in less where an operator wants that, and never in less than a deploy needs', async () => {
    const modest = await createStage({ env: { INGOT_INSTANCE_INFO_LEAVE_OUT: 'user_name, project_name' } });
    const node = await modest.addNode();
    await modest.boots();
    await modest.settle(60);
    const told = Object.keys((await modest.readNode(node)).instance_info);
    expect(told).toContain('display_name');
    expect(told.filter((key) => key.endsWith('_name') && key !== 'display_name')).toEqual(['flavor_name']);
    await expect(createStage({ env: { INGOT_INSTANCE_INFO_LEAVE_OUT: 'image_source' } })).rejects.toThrow(
      'image_source: what may be left out is display_name,',
    );
  });

  it('has its network on the cards of the machine, and its guest is told of it', async () => {
    const node = await stage.addNode();
    const network = await stage.addNetwork();
    const uuid = await stage.boots({ networks: [{ uuid: network }] });
    await stage.settle(60);
    const [port] = await stage.ports();
    const { ports: cards } = await stage.cards(node);
    expect(port).toMatchObject({
      device_id: uuid,
      device_owner: 'compute:nova',
      'binding:host_id': node,
      status: 'ACTIVE',
      mac_address: cards[0]!.address,
    });
    expect(await stage.vifs(node)).toEqual([port!.uuid]);
    const address = port!.fixed_ips[0]!.ip_address;
    expect((await stage.show(uuid)).addresses).toEqual({
      private: [
        {
          addr: address,
          version: 4,
          'OS-EXT-IPS:type': 'fixed',
          'OS-EXT-IPS-MAC:mac_addr': cards[0]!.address,
        },
      ],
    });
    expect(JSON.parse((await stage.readNode(node)).instance_info['fixed_ips'] as string)).toMatchObject([{ address }]);
    const drive = await driveOf(node);
    expect(JSON.parse(drive['openstack/latest/network_data.json']!)).toMatchObject({
      links: [{ vif_id: port!.uuid, type: 'phy', ethernet_mac_address: cards[0]!.address }],
      networks: [{ type: 'ipv4', ip_address: address, network_id: network }],
    });
  });

  it('has the cards counted off where the machine remembers no VIFs', async () => {
    const node = await stage.addNode({ network_interface: 'noop' });
    const network = await stage.addNetwork();
    await stage.boots({ networks: [{ uuid: network }, { uuid: network }] });
    await stage.settle(60);
    const { ports: cards } = await stage.cards(node);
    const macs = (await stage.ports()).map(({ mac_address: mac }) => mac);
    expect(macs.toSorted()).toEqual(cards.map(({ address }) => address).toSorted());
    expect(await stage.vifs(node)).toEqual([]);
  });

  it('brings a port of its own to the machine, and takes no other', async () => {
    const node = await stage.addNode();
    const network = await stage.addNetwork();
    const port = await stage.addPort(network);
    const uuid = await stage.boots({ networks: [{ port }] });
    await stage.settle(60);
    expect((await stage.ports()).map(({ uuid: id, device_id }) => [id, device_id])).toEqual([[port, uuid]]);
    expect(await stage.vifs(node)).toEqual([port]);
  });

  it('finds no VIFs on its machine that somebody else left', async () => {
    const node = await stage.addNode();
    await stage.operator(`POST /v1/nodes/${node}/vifs`, { id: 'left-behind' });
    const network = await stage.addNetwork();
    await stage.boots({ networks: [{ uuid: network }] });
    await stage.settle(60);
    expect(await stage.vifs(node)).toEqual((await stage.ports()).map(({ uuid }) => uuid));
  });

  it('has its password, its key and what else it asked for in its configdrive, and the password nowhere else', async () => {
    const node = await stage.addNode();
    await stage.request('POST /v2.1/os-keypairs', {
      body: { keypair: { name: 'k', type: 'ssh', public_key: stage.publicKey } },
    });
    const uuid = await stage.boots({
      adminPass: 'Hush-hush-1',
      key_name: 'k',
      metadata: { role: 'db' },
      user_data: Buffer.from('#cloud-config\n').toString('base64'),
    });
    await stage.settle(60);
    const drive = await driveOf(node);
    expect(JSON.parse(drive['openstack/latest/meta_data.json']!)).toMatchObject({
      uuid,
      name: 's1',
      hostname: 's1',
      meta: { role: 'db' },
      public_keys: { k: stage.publicKey },
      admin_pass: 'Hush-hush-1',
      project_id: 'red',
      availability_zone: 'nova',
    });
    expect(drive['openstack/latest/user_data']).toBe('#cloud-config\n');
    const everywhere = [
      stage.travelled,
      stage.tenants.table.items(),
      stage.machines.table.items(),
      stage.tenants.log.lines,
    ];
    expect(JSON.stringify(everywhere)).not.toContain('Hush-hush-1');
  });

  it('gets no configdrive that it did not ask for', async () => {
    const node = await stage.addNode();
    await stage.boots({ config_drive: false });
    await stage.settle(60);
    expect((await stage.readNode(node)).instance_info['configdrive']).toBeUndefined();
  });

  it('of which another machine is tried when one is taken costs no build', async () => {
    const [first, second] = [await stage.addNode(), await stage.addNode()];
    const uuid = await stage.boots();
    let rival: string | undefined;
    stage.meddling.call = async ({ method, path }) => {
      if (method !== 'PATCH' || rival !== undefined) return;
      rival = path.split('/').at(-1)!;
      await stage.changeNode(rival, { instance_uuid: '99999999-2222-4333-8444-555555555555' });
    };
    await stage.settle(60);
    const server = await stage.readServer(uuid);
    expect(server).toMatchObject({ vm_state: 'active', node_uuid: rival === first ? second : first });
    expect(server!.tried).toHaveLength(1);
  });
});

describe('a build that fails', () => {
  /** Machines whose deploy fails in this way. */
  const failing = (error: Fault, times = Infinity) => {
    let left = times;
    stage.meddling.phase = ({ workflow, phase }) => {
      if (workflow === 'deploy' && phase === 'Validate' && left > 0) {
        left -= 1;
        throw error;
      }
    };
  };
  const broken = bmcFault('BmcAuthFailed', 'The BMC at 10.0.0.1 refuses the password of node rack-7.');

  it('is undone, and another machine is tried', async () => {
    const nodes = [await stage.addNode(), await stage.addNode()];
    const network = await stage.addNetwork();
    const uuid = await stage.boots({ networks: [{ uuid: network }] });
    const run = await runOf(uuid);
    failing(broken, 1);
    await stage.settle(600);
    const { node_uuid: node, tried, vm_state } = (await stage.readServer(uuid))!;
    expect([vm_state, tried.toSorted(), tried.at(-1)]).toEqual(['active', nodes.toSorted(), node]);
    const other = nodes.find((one) => one !== node)!;
    expect(await stage.readNode(other)).toMatchObject({
      provision_state: 'available',
      instance_uuid: null,
      instance_info: {},
    });
    expect(await stage.vifs(other)).toEqual([]);
    const [port, ...more] = await stage.ports();
    expect([port!['binding:host_id'], more]).toEqual([node, []]);
    const entered = await stage.entered('server-create', run);
    expect(entered.slice(entered.indexOf('Active'), -3)).toEqual([
      'Active',
      'Undo',
      'Undone',
      'WaitForUndeploy',
      'Undeployed',
      'Undone',
      'Reschedule',
      'Rescheduled',
      'Schedule',
      'Claim',
      'Claimed',
      'PlugPorts',
      'WriteMetadata',
      'Validate',
      'BuildConfigdrive',
      'Deploy',
      'WaitForDeploy',
    ]);
  });

  it('is tried on three machines at most; its tenant learns nothing of them', async () => {
    for (let at = 0; at < 5; at += 1) await stage.addNode();
    const uuid = await stage.boots();
    failing(broken);
    await stage.settle(600);
    expect((await stage.readServer(uuid))!.tried).toHaveLength(3);
    const told = await stage.show(uuid);
    expect(told).toMatchObject({
      status: 'ERROR',
      'OS-EXT-STS:task_state': null,
      fault: {
        code: 500,
        message: `No valid host was found. Exhausted all hosts available for retrying build failures for instance ${uuid}.`,
      },
    });
    expect(JSON.stringify(told)).not.toMatch(/rack-7|10\.0\.0\.1|BMC/);
    const { fault } = await stage.show(uuid, { subject: root });
    expect(fault.details).toMatch(/^Build of the server failed in Active: Node .* is deploy failed: .*rack-7/);
    for (const node of await stage.nodes()) {
      expect(node).toMatchObject({ provision_state: 'available', instance_uuid: null, instance_info: {} });
    }
  });

  it('tells administrators what happened on which machine, and tenants that it did', async () => {
    await stage.addNode();
    const uuid = await stage.boots();
    failing(broken);
    await stage.settle(600);
    const [action] = (await stage.request(`GET /v2.1/servers/${uuid}/os-instance-actions`)).body.instanceActions;
    const path = `GET /v2.1/servers/${uuid}/os-instance-actions/${action.request_id}`;
    const tenant = await stage.request(path);
    expect(JSON.stringify(tenant.body)).not.toMatch(/rack-7|10\.0\.0\.1/);
    const { events } = (await stage.request(path, { subject: root })).body.instanceAction;
    const told = (events as { event: string; result: string; details: string | null }[]).map(
      ({ event, result, details }) => [event, result, details ?? ''],
    );
    expect(told).toContainEqual(['Active', 'Error', expect.stringContaining('rack-7')]);
    expect(told).toContainEqual(['Schedule', 'Error', expect.stringContaining('"filter":"RetryFilter","count":1')]);
    expect(told[0]).toEqual(['Schedule', 'Success', expect.stringContaining('1 fit')]);
  });

  it.each([
    ['there is no machine', async () => {}, 'No valid host was found. There are not enough hosts available.'],
    [
      'all machines are of another class',
      async () => void (await stage.addNode({ resource_class: 'other' })),
      'No valid host was found. There are not enough hosts available.',
    ],
  ])('when %s says so', async (_what, prepare, message) => {
    await prepare();
    const uuid = await stage.boots();
    await stage.settle(60);
    expect((await stage.show(uuid)).fault).toMatchObject({ code: 500, message });
  });

  it('because of its network is not tried again, and says why', async () => {
    const nodes = [await stage.addNode(), await stage.addNode()];
    const network = await stage.addNetwork();
    const uuid = await stage.boots({ networks: [{ uuid: network, fixed_ip: '10.0.0.7' }] });
    await stage.addPort(network, { fixed_ips: [{ ip_address: '10.0.0.7' }] });
    await stage.settle(60);
    const { status, fault } = await stage.show(uuid);
    expect([status, fault.message]).toEqual(['ERROR', expect.stringContaining('10.0.0.7')]);
    expect((await stage.readServer(uuid))!.tried).toHaveLength(1);
    for (const node of nodes) expect(await stage.readNode(node)).toMatchObject({ instance_uuid: null });
    expect(await stage.ports()).toHaveLength(1);
  });

  it('because the machine has too few cards goes to one that has enough', async () => {
    await stage.addNode({}, 1);
    const wide = await stage.addNode({}, 2);
    const network = await stage.addNetwork();
    const uuid = await stage.boots({ networks: [{ uuid: network }, { uuid: network }] });
    await stage.settle(600);
    expect(await stage.readServer(uuid)).toMatchObject({ vm_state: 'active', node_uuid: wide });
  });

  it('because an operator aborts the deploy is undone, and another machine is tried', async () => {
    const nodes = [await stage.addNode(), await stage.addNode()];
    const uuid = await stage.boots();
    // A deploy that waits for its agent.
    stage.meddling.phase = ({ workflow, phase, node }) => {
      if (workflow === 'deploy' && phase === 'Validate') throw new Fault('Pending', 503, `Wait for ${node}.`);
    };
    await stage.settle(30);
    const { node_uuid: first } = (await stage.readServer(uuid))!;
    const run = (await stage.readNode(first!)).run!;
    await stage.changeNode(first!, { provision_state: 'wait call-back', reservation: null });
    stage.meddling.phase = undefined;
    expect((await stage.operator(`PUT /v1/nodes/${first}/states/provision`, { target: 'abort' })).status).toBe(202);
    await stage.settle(600);
    expect(await stage.readServer(uuid)).toMatchObject({
      vm_state: 'active',
      tried: [first, nodes.find((node) => node !== first)],
    });
    expect(run).toBeTruthy();
    expect(await stage.readNode(first!)).toMatchObject({ provision_state: 'available', instance_uuid: null });
  });

  it('because an operator takes the node away in the middle goes to another one', async () => {
    const nodes = [await stage.addNode(), await stage.addNode()];
    const uuid = await stage.boots();
    stage.meddling.phase = ({ workflow, phase }) => {
      if (workflow === 'deploy' && phase === 'Validate') throw new Fault('Pending', 503, 'Wait.');
    };
    await stage.settle(30);
    const { node_uuid: first } = (await stage.readServer(uuid))!;
    await stage.changeNode(first!, {
      provision_state: 'manageable',
      target_provision_state: null,
      reservation: null,
      run: null,
      run_workflow: null,
      instance_uuid: null,
      instance_info: {},
    });
    stage.meddling.phase = undefined;
    await stage.settle(600);
    expect(await stage.readServer(uuid)).toMatchObject({
      vm_state: 'active',
      node_uuid: nodes.find((node) => node !== first),
    });
  });
});

describe('while machines cannot be reached', () => {
  it('a run goes on by itself when they can', async () => {
    await stage.addNode();
    const uuid = await stage.boots();
    let calls = 0;
    stage.meddling.call = () => {
      calls += 1;
      if (calls > 2 && calls < 12) throw new Fault('Unavailable', 503, 'The Bare Metal API could not be asked.');
    };
    await stage.settle(600);
    expect((await stage.readServer(uuid))!.vm_state).toBe('active');
  });

  it('an event that is lost is missed by nobody for long', async () => {
    await stage.addNode();
    const uuid = await stage.boots();
    stage.loseEvents(true);
    await stage.settle(200);
    expect((await stage.readServer(uuid))!.vm_state).toBe('building');
    await stage.settle(200);
    expect((await stage.readServer(uuid))!.vm_state).toBe('active');
  });
});
