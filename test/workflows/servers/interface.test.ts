import { beforeEach, describe, expect, it } from 'vitest';

import { changePort } from '../../../layers/store/network-ports.ts';
import { openChanges } from '../../../layers/store/address-changes.ts';
import { Fault, Unavailable } from '../../../layers/domain/fault.ts';
import { root } from '../../functions/network-api/front.ts';
import { createStage, type Stage } from './stage.ts';

let stage: Stage;
let node: string;
let network: string;
let uuid: string;
beforeEach(async () => {
  stage = await createStage();
  node = await stage.addNode();
  network = await stage.addNetwork();
  uuid = await stage.boots({ networks: [{ uuid: network }] });
  await stage.settle(60);
});

const attach = async (asked: object = { net_id: network }) =>
  stage.request(`POST /v2.1/servers/${uuid}/os-interface`, { body: { interfaceAttachment: asked } });
const detach = async (port: string) => stage.request(`DELETE /v2.1/servers/${uuid}/os-interface/${port}`);

const addressesTold = async () =>
  (JSON.parse((await stage.readNode(node)).instance_info['fixed_ips'] as string) as { address: string }[]).map(
    ({ address }) => address,
  );

const shown = async () =>
  ((await stage.show(uuid)).addresses['private'] ?? []).map(({ addr }: { addr: string }) => addr);

describe('an interface that is attached', () => {
  it('is on the next card of the machine, and the node is told of its addresses', async () => {
    const { status, body } = await attach();
    expect(status).toBe(200);
    const port = body.interfaceAttachment.port_id as string;
    const run = (await stage.readServer(uuid))!.run!;
    await stage.settle(60);
    expect(await stage.entered('server-interface', run)).toEqual([
      'PlugPorts',
      'UnplugPorts',
      'WriteMetadata',
      'Settle',
      'Settled',
      'Done',
    ]);
    expect(await stage.vifs(node)).toContain(port);
    const ports = await stage.ports();
    const cards = (await stage.cards(node)).ports.map(({ address }) => address);
    expect(ports.map(({ mac_address: mac }) => mac).toSorted()).toEqual(cards.toSorted());
    const addresses = ports.flatMap(({ fixed_ips: ips }) => ips.map(({ ip_address: ip }) => ip)).toSorted();
    expect((await addressesTold()).toSorted()).toEqual(addresses);
    expect((await shown()).toSorted()).toEqual(addresses);
    expect((await stage.readServer(uuid))!.interfaces.map(({ state }) => state)).toEqual(['plugged', 'plugged']);
  });

  it.each(['flat', 'noop'])('to a machine without a card for it (%s) is refused at once', async (network_interface) => {
    await stage.changeNode(node, { network_interface });
    await attach();
    // Whether the first is plugged by then or not.
    const answers = [await attach(), await stage.settle(60), await attach()].flatMap((answer) => answer ?? []);
    for (const { status, text } of answers) {
      expect(status).toBe(400);
      expect(text).toContain('its machine has no network card left');
    }
    expect((await stage.readServer(uuid))!.interfaces).toHaveLength(2);
    expect(await stage.ports()).toHaveLength(2);
  });

  it('in place of one that is about to go needs no other card', async () => {
    await attach();
    await stage.settle(60);
    const [first] = (await stage.readServer(uuid))!.interfaces;
    await detach(first!.port_id);
    expect((await attach()).status).toBe(200);
    await stage.settle(120);
    expect((await stage.readServer(uuid))!.interfaces.map(({ state }) => state)).toEqual(['plugged', 'plugged']);
  });

  it('whose card somebody else takes meanwhile is taken back', async () => {
    stage.meddling.phase = async ({ workflow, phase }) => {
      if (workflow !== 'server-interface' || phase !== 'PlugPorts') return;
      stage.meddling.phase = undefined;
      await stage.operator(`POST /v1/nodes/${node}/vifs`, { id: 'theirs' });
    };
    expect((await attach()).status).toBe(200);
    await stage.settle(60);
    expect((await stage.readServer(uuid))!.interfaces).toHaveLength(1);
    expect(await stage.ports()).toHaveLength(1);
    expect((await stage.show(uuid)).status).toBe('ACTIVE');
  });

  it('needs the machines to be asked', async () => {
    stage.meddling.call = () => {
      throw Unavailable('Nobody answers.');
    };
    const [{ status }] = await Promise.all([attach(), stage.settle(60)]);
    expect(status).toBe(503);
    expect(await stage.ports()).toHaveLength(1);
  });

  it('to a machine that is taken away meanwhile is taken back, too', async () => {
    stage.meddling.call = async ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/vifs')) return;
      stage.meddling.call = undefined;
      expect(await stage.ports()).toHaveLength(2);
      await stage.changeNode(node, { provision_state: 'available', instance_uuid: null });
    };
    await attach();
    await stage.settle(60);
    expect([await stage.readServer(uuid), await stage.ports()]).toEqual([undefined, []]);
  });

  it('with another one at once is plugged by one run', async () => {
    const wide = await stage.addNode({}, 4);
    const other = await stage.boots({ networks: [{ uuid: network }] });
    await stage.settle(60);
    uuid = other;
    node = wide;
    expect([(await attach()).status, (await attach()).status]).toEqual([200, 200]);
    await stage.settle(60);
    expect((await stage.readServer(uuid))!.interfaces.map(({ state }) => state)).toEqual([
      'plugged',
      'plugged',
      'plugged',
    ]);
    expect(await stage.vifs(wide)).toHaveLength(3);
  });
});

describe('an interface that is detached', () => {
  it('is unplugged, and goes if it was made for the server', async () => {
    const [port] = await stage.ports();
    expect((await detach(port!.uuid)).status).toBe(202);
    await stage.settle(60);
    expect([await stage.vifs(node), await stage.ports()]).toEqual([[], []]);
    expect([await addressesTold(), await shown()]).toEqual([[], []]);
  });

  it('is free again if it was there before', async () => {
    const own = await stage.addPort(network);
    await attach({ port_id: own });
    await stage.settle(60);
    expect(await stage.vifs(node)).toContain(own);
    await detach(own);
    await stage.settle(60);
    expect(await stage.vifs(node)).not.toContain(own);
    const port = (await stage.ports()).find((one) => one.uuid === own);
    expect(port).toMatchObject({ device_id: '', status: 'DOWN' });
  });
});

describe('a server that is deleted in the middle of an attach', () => {
  it('leaves nothing', async () => {
    stage.meddling.phase = async ({ workflow, phase }) => {
      if (workflow !== 'server-interface' || phase !== 'PlugPorts') return;
      stage.meddling.phase = undefined;
      await stage.request(`DELETE /v2.1/servers/${uuid}`);
    };
    await attach();
    await stage.settle(120);
    expect(await stage.readServer(uuid)).toBeUndefined();
    expect([await stage.vifs(node), await stage.ports()]).toEqual([[], []]);
  });
});

describe('addresses that change', () => {
  const change = async () => {
    const [port] = await stage.ports();
    await changePort(stage.tenants, port!.uuid, () => ({ fixed_ips: [{ ip_address: '10.0.0.99' }] }));
  };

  it('are told to the node, and shown', async () => {
    await change();
    await stage.sync();
    await stage.settle(60);
    expect([await addressesTold(), await shown()]).toEqual([['10.0.0.99'], ['10.0.0.99']]);
    expect(await openChanges(stage.tenants.table, { limit: 10 })).toEqual([]);
  });

  /** Whoever switches the machine does not come to an end. */
  const switching = async (ask: () => Promise<unknown>) => {
    stage.meddling.phase = ({ workflow }) => {
      if (workflow === 'power') throw new Fault('Pending', 503, 'Not yet.');
    };
    await ask();
    await stage.settle(5);
  };

  it('are told at once if the Network API changes them, and its other changes are no news', async () => {
    const [port] = await stage.ports();
    const put = async (values: object) =>
      stage.network(`PUT /v2.0/ports/${port!.uuid}`, { subject: root, body: { port: values } });
    await put({ name: 'x' });
    expect(await stage.busy()).toEqual([]);
    expect((await put({ fixed_ips: [{ ip_address: '10.0.0.99' }] })).status).toBe(200);
    await stage.settle(60);
    expect([await addressesTold(), await shown()]).toEqual([['10.0.0.99'], ['10.0.0.99']]);
  });

  it('are told later while the server has a run', async () => {
    await switching(async () => stage.request(`POST /v2.1/servers/${uuid}/action`, { body: { 'os-stop': null } }));
    await change();
    await stage.sync();
    await stage.settle(5);
    expect(await openChanges(stage.tenants.table, { limit: 10 })).toHaveLength(1);
    stage.meddling.phase = undefined;
    await stage.settle(120);
    await stage.sync();
    await stage.settle(60);
    expect([await addressesTold(), await openChanges(stage.tenants.table, { limit: 10 })]).toEqual([['10.0.0.99'], []]);
  });

  it('are told later while the node is locked', async () => {
    await switching(async () => stage.operator(`PUT /v1/nodes/${node}/states/power`, { target: 'rebooting' }));
    expect((await stage.readNode(node)).reservation).not.toBeNull();
    await change();
    await stage.sync();
    await stage.settle(30);
    expect(await openChanges(stage.tenants.table, { limit: 10 })).toHaveLength(1);
    stage.meddling.phase = undefined;
    await stage.settle(120);
    expect([await addressesTold(), await openChanges(stage.tenants.table, { limit: 10 })]).toEqual([['10.0.0.99'], []]);
  });

  it('keep nobody from doing something with the server', async () => {
    await change();
    stage.meddling.phase = ({ workflow }) => {
      if (workflow === 'server-metadata') throw new Fault('Pending', 503, 'Not yet.');
    };
    await stage.sync();
    await stage.settle(5);
    const { status } = await stage.request(`POST /v2.1/servers/${uuid}/action`, { body: { 'os-stop': null } });
    expect(status).toBe(202);
    stage.meddling.phase = undefined;
    await stage.settle(60);
    expect((await stage.show(uuid)).status).toBe('SHUTOFF');
    await stage.sync();
    await stage.settle(60);
    expect([await addressesTold(), await openChanges(stage.tenants.table, { limit: 10 })]).toEqual([['10.0.0.99'], []]);
  });

  it('of a port that no server has are nobody’s business', async () => {
    await change();
    await stage.request(`DELETE /v2.1/servers/${uuid}`);
    await stage.settle(60);
    await stage.sync();
    expect(await openChanges(stage.tenants.table, { limit: 10 })).toEqual([]);
  });

  it('of a server that has lost its node, which nobody heard of, end in its deletion', async () => {
    stage.loseEvents(true);
    await stage.changeNode(node, { provision_state: 'available', instance_uuid: null });
    await stage.settle(10);
    stage.loseEvents(false);
    await change();
    await stage.sync();
    await stage.settle(60);
    expect(await stage.readServer(uuid)).toBeUndefined();
    await stage.sync();
    expect([await openChanges(stage.tenants.table, { limit: 10 }), await stage.ports()]).toEqual([[], []]);
  });
});

describe('a floating address', () => {
  const floatingTold = async () =>
    (JSON.parse((await stage.readNode(node)).instance_info['floating_ips'] as string) as { address: string }[]).map(
      ({ address }) => address,
    );
  const make = async (collection: string, values: object) => {
    const body = { [collection.slice(0, -1)]: values };
    const answer = await stage.network(`POST /v2.0/${collection}`, { subject: root, body });
    expect(answer.status).toBe(201);
    return answer.body[collection.slice(0, -1)] as { id: string; floating_ip_address: string };
  };
  const floating = async (port_id: string | null) => {
    const { id: floating_network_id } = await make('networks', { name: 'public', 'router:external': true });
    await make('subnets', { network_id: floating_network_id, ip_version: 4, cidr: '203.0.113.0/24' });
    return make('floatingips', { floating_network_id, port_id, project_id: 'red' });
  };

  it('is shown and told to the node as soon as it is given to a server, and as soon as it is taken away', async () => {
    const [port] = await stage.ports();
    const fixed = port!.fixed_ips[0]!.ip_address;
    const { id, floating_ip_address: address } = await floating(null);
    const give = async (port_id: string | null) => {
      const { status } = await stage.network(`PUT /v2.0/floatingips/${id}`, { body: { floatingip: { port_id } } });
      expect(status).toBe(200);
      await stage.settle(30);
    };
    await give(port!.uuid);
    expect([await floatingTold(), await shown()]).toEqual([[address], [fixed, address]]);
    await give(null);
    expect([await floatingTold(), await shown()]).toEqual([[], [fixed]]);
    expect(await openChanges(stage.tenants.table, { limit: 10 })).toEqual([]);
  });

  it('that is made for a server, and one that is deleted, are told at once, too', async () => {
    const [port] = await stage.ports();
    const { id, floating_ip_address: address } = await floating(port!.uuid);
    await stage.settle(30);
    expect(await floatingTold()).toEqual([address]);
    await stage.network(`DELETE /v2.0/floatingips/${id}`);
    await stage.settle(30);
    expect(await floatingTold()).toEqual([]);
  });

  it('is given although nobody can start the run that tells of it; server-sync does', async () => {
    const [port] = await stage.ports();
    stage.meddling.start = () => {
      throw new Error('Nobody starts anything.');
    };
    const { floating_ip_address: address } = await floating(port!.uuid);
    expect(await stage.busy()).toEqual([uuid]);
    stage.meddling.start = undefined;
    await stage.sync();
    await stage.settle(30);
    expect(await floatingTold()).toEqual([address]);
  });
});
