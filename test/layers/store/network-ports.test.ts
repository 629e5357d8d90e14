/** Ports and what they hold: at once, with retries, and after their end. */
import { beforeEach, describe, expect, it } from 'vitest';

import type { AskedIp } from '../../../layers/domain/network/port.ts';
import { completeSubnet } from '../../../layers/domain/network/subnet.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import { networkKinds } from '../../../layers/store/kinds/networks.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { openChange, openChanges, settleChange } from '../../../layers/store/address-changes.ts';
import { changeFloatingIp, createFloatingIp, findFloatingIp } from '../../../layers/store/floating-ips.ts';
import {
  bindPort,
  changePort,
  createPort,
  findPort,
  removePort,
  unbindPort,
} from '../../../layers/store/network-ports.ts';
import { changeNetwork, createNetwork, removeNetwork } from '../../../layers/store/networks.ts';
import { usedBy } from '../../../layers/store/quotas.ts';
import { createSubnet, removeSubnet } from '../../../layers/store/subnets.ts';
import {
  giveBackPort,
  networksFor,
  portsOfServer,
  provideServerPort,
  vifOf,
} from '../../../layers/store/server-ports.ts';
import { countedUuid } from '../../../layers/platform/memory/ids.ts';

const project_id = 'red';
let platform = createMemoryPlatform();
beforeEach(() => {
  platform = createMemoryPlatform();
});

const newSubnet = async (network_id: string, cidr: string, more: object = {}) =>
  createSubnet(platform, {
    project_id,
    network_id,
    ip_version: cidr.includes(':') ? 6 : 4,
    cidr,
    ...completeSubnet({ cidr, ...more }),
    ...more,
  });

const site = async (...cidrs: string[]) => {
  const { uuid: network_id } = await createNetwork(platform, { project_id, name: 'private' });
  const subnets = [];
  for (const cidr of cidrs) subnets.push(await newSubnet(network_id, cidr));
  return { network_id, subnets };
};

const newPort = async (network_id: string, more: { fixed_ips?: AskedIp[]; mac_address?: string; uuid?: string } = {}) =>
  createPort(platform, { project_id, network_id, ...more });

const outcomes = async <T>(runs: readonly Promise<T>[]) => {
  const settled = await Promise.allSettled(runs);
  return {
    made: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    refused: settled.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).name] : [])),
  };
};

/** Everything in the table but what quotas of others and doors say. */
const contents = () => platform.table.items().map(({ pk, sk }) => `${pk} ${sk}`);

describe('two hundred ports at once on a pool of a hundred', () => {
  it('are a hundred with an address each, and a hundred refusals; and nothing is left behind', async () => {
    const { network_id } = await site();
    await newSubnet(network_id, '10.0.0.0/24', { allocation_pools: [{ start: '10.0.0.10', end: '10.0.0.109' }] });
    const before = contents();
    const { made, refused } = await outcomes(Array.from({ length: 200 }, async () => newPort(network_id)));
    const addresses = made.map(({ fixed_ips: [ip] }) => ip!.ip_address);
    expect([made.length, new Set(addresses).size]).toEqual([100, 100]);
    expect(refused).toEqual(Array.from({ length: 100 }, () => 'IpAddressGenerationFailure'));
    expect(new Set(made.map(({ mac_address: mac }) => mac)).size).toBe(100);
    expect((await usedBy(platform.table, project_id)).port).toBe(100);
    await Promise.all(made.map(async ({ uuid }) => removePort(platform, uuid)));
    expect(contents()).toEqual(before);
    const again = await outcomes(Array.from({ length: 100 }, async () => newPort(network_id)));
    expect(again.made).toHaveLength(100);
  });

  it('that all ask for the same address are one', async () => {
    const { network_id } = await site('10.0.0.0/24');
    const fixed_ips = [{ ip_address: '10.0.0.77' }];
    const { made, refused } = await outcomes(
      Array.from({ length: 50 }, async () => newPort(network_id, { fixed_ips })),
    );
    expect(made).toHaveLength(1);
    expect(new Set(refused)).toEqual(new Set(['IpAddressInUse']));
  });

  it('are no more than the quota lets', async () => {
    const kind = networkKinds.network_quota;
    await createRecord(platform, kind, newRecord(platform, kind, { uuid: project_id, port: 20 }));
    const { network_id } = await site('10.0.0.0/16');
    const { made, refused } = await outcomes(Array.from({ length: 50 }, async () => newPort(network_id)));
    expect([made.length, refused.length, new Set(refused)]).toEqual([20, 30, new Set(['OverQuota'])]);
  });
});

describe('what goes while ports come', () => {
  it('is either gone, and no port is on it, or it is there, and all ports are', async () => {
    const { network_id, subnets } = await site('10.0.0.0/24', '10.0.1.0/24');
    const ports = Array.from({ length: 20 }, async () => newPort(network_id));
    const removals = [removeSubnet(platform, subnets[0]!.uuid), removeSubnet(platform, subnets[1]!.uuid)];
    const [{ made }] = await Promise.all([outcomes(ports), outcomes(removals)]);
    const left = contents().filter((key) => key.endsWith(' subnet'));
    for (const { fixed_ips: ips } of made) {
      for (const { subnet_id: id } of ips) expect(left).toContain(`subnet#${id} subnet`);
    }
  });

  /** Runs `meanwhile` at the very moment when a record is about to be removed. */
  const justBefore = (record: string, meanwhile: () => Promise<unknown>) => {
    platform.table.onWrite = async (writes) => {
      if (!writes.some((write) => 'delete' in write && write.delete.sk === record)) return;
      platform.table.onWrite = undefined;
      await meanwhile();
    };
  };

  it('is looked at again if a port comes when it is about to go', async () => {
    const { network_id, subnets } = await site('10.0.0.0/24');
    justBefore('subnet', async () => newPort(network_id));
    await expect(removeSubnet(platform, subnets[0]!.uuid)).rejects.toMatchObject({ name: 'SubnetInUse' });
    const { network_id: bare } = await site();
    justBefore('network', async () => newPort(bare));
    await expect(removeNetwork(platform, bare)).rejects.toMatchObject({ name: 'NetworkInUse' });
  });

  it('is shared with nobody who came when it was about to be shared no more', async () => {
    const { uuid: network_id } = await createNetwork(platform, { project_id: 'ops', shared: true });
    platform.table.onWrite = async (writes) => {
      if (!writes.some((write) => 'put' in write && write.put['shared'] === undefined && write.put.sk === 'network'))
        return;
      platform.table.onWrite = undefined;
      await newPort(network_id);
    };
    const change = changeNetwork(platform, network_id, { shared: false }, () => undefined);
    await expect(change).rejects.toMatchObject({ name: 'InvalidSharedSetting' });
  });

  it('of networks likewise', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { network_id } = await site('10.0.0.0/24');
      const [gone, port] = await Promise.allSettled([removeNetwork(platform, network_id), newPort(network_id)]);
      const isThere = contents().includes(`network#${network_id} network`);
      expect(isThere).toBe(gone.status === 'rejected');
      expect(port.status === 'fulfilled' && !isThere).toBe(false);
    }
  });
});

describe('overlapping subnets', () => {
  it('that are made at once are one', async () => {
    const { network_id } = await site();
    const cidrs = ['10.0.0.0/24', '10.0.0.0/25', '10.0.0.128/25', '10.0.0.0/16'];
    const { made, refused } = await outcomes(cidrs.map(async (cidr) => newSubnet(network_id, cidr)));
    // The two halves may both come first.
    expect(made.length === 1 || (made.length === 2 && made.every(({ cidr }) => cidr.endsWith('/25')))).toBe(true);
    expect(new Set(refused)).toEqual(new Set(['InvalidInput']));
  });
});

const binding = { device_id: countedUuid(900), device_owner: 'compute:nova', host_id: countedUuid(901) };
const card = '52:54:00:aa:00:01';

describe('a port that becomes an interface', () => {
  it('has the MAC address of the card while a server has it, and is told of once', async () => {
    const { network_id } = await site('10.0.0.0/24', 'fd00:7::/64');
    const port = await newPort(network_id);
    const bound = await bindPort(platform, port.uuid, { ...binding, mac_address: card });
    expect(bound).toMatchObject({
      mac_address: card,
      status: 'ACTIVE',
      device_id: binding.device_id,
      device_owner: 'compute:nova',
      'binding:host_id': binding.host_id,
      fixed_ips: port.fixed_ips,
    });
    const again = await bindPort(platform, port.uuid, { ...binding, mac_address: card });
    expect(again.mac_address).toBe(card);
    await expect(bindPort(platform, port.uuid, { ...binding, device_id: countedUuid(902) })).rejects.toMatchObject({
      name: 'PortInUse',
    });
    expect((await portsOfServer(platform.table, binding.device_id)).map(({ uuid }) => uuid)).toEqual([port.uuid]);
    const free = await unbindPort(platform, port.uuid, binding.device_id);
    expect(free).toMatchObject({ status: 'DOWN', device_id: '', device_owner: '', 'binding:host_id': '' });
    expect(free.mac_address).toMatch(/^fa:16:3e:/);
    await unbindPort(platform, port.uuid, binding.device_id);
    expect(await findPort(platform.table, port.uuid)).toMatchObject({ mac_address: free.mac_address });
    await removePort(platform, port.uuid);
    expect(await newPort(network_id, { mac_address: card })).toMatchObject({ mac_address: card });
  });

  it('has the address that its card makes', async () => {
    const { network_id } = await site();
    await newSubnet(network_id, '2001:db8::/64', { ipv6_address_mode: 'slaac', ipv6_ra_mode: 'slaac' });
    const port = await newPort(network_id, { mac_address: '52:54:00:aa:00:02' });
    expect(port.fixed_ips[0]!.ip_address).toBe('2001:db8::5054:ff:feaa:2');
    const bound = await bindPort(platform, port.uuid, { ...binding, mac_address: card });
    expect(bound.fixed_ips[0]!.ip_address).toBe('2001:db8::5054:ff:feaa:1');
  });

  it('is not made again under its UUID', async () => {
    const { network_id } = await site('10.0.0.0/24');
    const uuid = countedUuid(950);
    await newPort(network_id, { uuid });
    await expect(newPort(network_id, { uuid })).rejects.toMatchObject({ code: 409 });
    expect((await usedBy(platform.table, project_id)).port).toBe(1);
  });
});

describe('floating addresses', () => {
  const external = async () => {
    const { uuid } = await createNetwork(platform, { project_id: 'ops', name: 'public', 'router:external': true });
    await newSubnet(uuid, '203.0.113.0/28');
    return uuid;
  };
  const permit = () => undefined;

  it('stand for one address each, and are told to who has the port', async () => {
    const floating_network_id = await external();
    const { network_id } = await site('10.0.0.0/24');
    const port = await newPort(network_id);
    const values = { project_id, floating_network_id };
    const one = await createFloatingIp(platform, { ...values, port_id: port.uuid }, permit);
    expect(one).toMatchObject({ port_id: port.uuid, fixed_ip_address: port.fixed_ips[0]!.ip_address });
    await expect(createFloatingIp(platform, { ...values, port_id: port.uuid }, permit)).rejects.toMatchObject({
      name: 'FloatingIPPortAlreadyAssociated',
    });
    const told = (await openChange(platform.table, port.uuid))!;
    await changeFloatingIp(platform, one.uuid, { set: {}, wish: { port_id: null } }, permit);
    expect(await settleChange(platform.table, told)).toBe(false);
    const newer = (await openChange(platform.table, port.uuid))!;
    expect(await settleChange(platform.table, newer)).toBe(true);
    expect(await settleChange(platform.table, newer)).toBe(true);
    expect(await openChanges(platform.table, { limit: 10 })).toEqual([]);
  });

  it('stand for nothing when their port goes, or its address', async () => {
    const floating_network_id = await external();
    const { network_id } = await site('10.0.0.0/24');
    const port = await newPort(network_id);
    const { uuid } = await createFloatingIp(platform, { project_id, floating_network_id, port_id: port.uuid }, permit);
    const other = [{ ip_address: '10.0.0.200' }];
    await changePort(platform, port.uuid, () => ({ fixed_ips: other }));
    const free = await findFloatingIp(platform.table, uuid);
    expect([free.port_id, free.fixed_ip_address]).toEqual([null, null]);
    await changeFloatingIp(platform, uuid, { set: {}, wish: { port_id: port.uuid } }, permit);
    await removePort(platform, port.uuid);
    expect((await findFloatingIp(platform.table, uuid)).port_id).toBeNull();
  });

  it('are in the VIF of the port', async () => {
    const floating_network_id = await external();
    const { network_id } = await site('192.168.1.0/24', 'fd00:7::/64');
    const port = await newPort(network_id);
    const floating = await createFloatingIp(platform, { project_id, floating_network_id, port_id: port.uuid }, permit);
    const vif = await vifOf(platform.table, await findPort(platform.table, port.uuid));
    expect(vif).toMatchObject({
      id: port.uuid,
      address: port.mac_address,
      network: { id: network_id, mtu: 1500 },
      subnets: [
        {
          cidr: '192.168.1.0/24',
          version: 4,
          gateway: '192.168.1.1',
          dhcp: false,
          ips: [
            {
              address: port.fixed_ips[0]!.ip_address,
              type: 'fixed',
              version: 4,
              floating_ips: [{ address: floating.floating_ip_address, type: 'floating', version: 4 }],
            },
          ],
        },
        {
          cidr: 'fd00:7::/64',
          version: 6,
          ips: [{ address: port.fixed_ips[1]!.ip_address, version: 6, floating_ips: [] }],
        },
      ],
    });
  });

  it('are given to as many at once as there are', async () => {
    const floating_network_id = await external();
    const { made, refused } = await outcomes(
      Array.from({ length: 30 }, async () => createFloatingIp(platform, { project_id, floating_network_id }, permit)),
    );
    expect([made.length, new Set(made.map((one) => one.floating_ip_address)).size]).toEqual([13, 13]);
    expect(new Set(refused)).toEqual(new Set(['IpAddressGenerationFailure']));
  });
});

it('the networks of a project are its own and the shared ones, not those for floating addresses', async () => {
  const own = await createNetwork(platform, { project_id, name: 'own' });
  const shared = await createNetwork(platform, { project_id: 'ops', name: 'shared', shared: true });
  await createNetwork(platform, { project_id: 'ops', name: 'public', 'router:external': true });
  await createNetwork(platform, { project_id: 'blue', name: 'other' });
  expect((await networksFor(platform.table, project_id)).map(({ uuid }) => uuid)).toEqual([own.uuid, shared.uuid]);
});

describe('the port of a server', () => {
  const uuid = countedUuid(950);
  const server = binding.device_id;

  it('is made once, however often and by how many it is asked for', async () => {
    const { network_id } = await site('10.0.0.0/24');
    const ask = async () => provideServerPort(platform, { uuid, project_id, network_id });
    const made = await Promise.all([ask(), ask(), ask()]);
    await bindPort(platform, uuid, binding);
    expect(new Set([...made, await ask()].map(({ fixed_ips: [ip] }) => ip!.ip_address)).size).toBe(1);
    expect((await usedBy(platform.table, project_id)).port).toBe(1);
  });

  it('is on no network of somebody else', async () => {
    const { network_id } = await site('10.0.0.0/24');
    const ask = provideServerPort(platform, { uuid, project_id: 'blue', network_id });
    await expect(ask).rejects.toMatchObject({ name: 'NetworkNotFound' });
    await newPort(network_id, { uuid });
    const taken = provideServerPort(platform, { uuid, project_id: 'blue', network_id });
    await expect(taken).rejects.toMatchObject({ name: 'NetworkNotFound' });
  });

  it('goes with the server if it was made for it, and stays if not; asked again, nothing changes', async () => {
    const { network_id } = await site('10.0.0.0/24');
    for (const made of [true, false]) {
      await newPort(network_id, { uuid });
      await bindPort(platform, uuid, binding);
      await giveBackPort(platform, { port: uuid, server: countedUuid(999), made });
      expect(await findPort(platform.table, uuid)).toMatchObject({ device_id: server });
      await giveBackPort(platform, { port: uuid, server, made });
      await giveBackPort(platform, { port: uuid, server, made });
      expect(contents().includes(`network_port#${uuid} network_port`)).toBe(!made);
    }
    expect(await findPort(platform.table, uuid)).toMatchObject({ device_id: '', status: 'DOWN' });
  });
});
