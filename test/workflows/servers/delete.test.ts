import { beforeEach, describe, expect, it } from 'vitest';

import { bmcFault } from '../../../layers/bmc/faults.ts';
import { Fault } from '../../../layers/domain/fault.ts';
import { root } from '../../functions/compute-api/front.ts';
import { createStage, type Stage } from './stage.ts';

let stage: Stage;
let network: string;
beforeEach(async () => {
  stage = await createStage();
  network = await stage.addNetwork();
});

/** A server that is active, with a port that was made for it and one that was there before. */
const active = async () => {
  const node = await stage.addNode();
  const own = await stage.addPort(network);
  const uuid = await stage.boots({ networks: [{ uuid: network }, { port: own }] });
  await stage.settle(60);
  expect((await stage.show(uuid)).status).toBe('ACTIVE');
  return { node, own, uuid };
};

const remove = async (uuid: string) => expect((await stage.request(`DELETE /v2.1/servers/${uuid}`)).status).toBe(204);

const isGone = async (uuid: string) => (await stage.request(`GET /v2.1/servers/${uuid}`)).status === 404;

/** Nothing of any server is anywhere but `ports`, which were there before. */
const expectNothingLeft = async (ports: readonly string[] = []) => {
  for (const node of await stage.nodes()) {
    expect(node).toMatchObject({ instance_uuid: null, instance_info: {} });
    expect(await stage.vifs(node.uuid)).toEqual([]);
  }
  const left = await stage.ports();
  expect(left.map(({ uuid, device_id, device_owner }) => [uuid, device_id, device_owner])).toEqual(
    ports.map((uuid) => [uuid, '', '']),
  );
  expect(await stage.used()).toEqual({ instances: 0, cores: 0, ram: 0 });
  expect(stage.machines.objects.keys().filter((key) => key.startsWith('configdrives/'))).toEqual([]);
};

describe('a server that is deleted', () => {
  it('gives back its machine and its ports, and is gone', async () => {
    const { node, own, uuid } = await active();
    await remove(uuid);
    const { run } = (await stage.readServer(uuid))!;
    await stage.settle(60);
    expect(await isGone(uuid)).toBe(true);
    expect(await stage.entered('server-delete', run!)).toEqual([
      'GiveBack',
      'GivenBack',
      'WaitForUndeploy',
      'Undeployed',
      'GivenBack',
      'Remove',
      'Removed',
      'Done',
    ]);
    expect((await stage.readNode(node)).provision_state).toBe('available');
    await expectNothingLeft([own]);
  });

  it('is gone although its machine fails to be cleaned afterwards', async () => {
    const { node, own, uuid } = await active();
    stage.meddling.phase = ({ workflow, phase }) => {
      if (workflow === 'clean' && phase !== 'Fail') throw bmcFault('BmcAuthFailed', 'Nothing goes.');
    };
    await remove(uuid);
    await stage.settle(60);
    expect(await isGone(uuid)).toBe(true);
    expect((await stage.readNode(node)).provision_state).toBe('clean failed');
    await expectNothingLeft([own]);
  });

  it('is gone when its node is', async () => {
    const { node, own, uuid } = await active();
    stage.loseEvents(true);
    await stage.changeNode(node, { maintenance: true });
    await stage.operator(`PATCH /v1/nodes/${node}`, [{ op: 'remove', path: '/instance_uuid' }]);
    await stage.operator(`DELETE /v1/nodes/${node}`);
    expect(await stage.nodes()).toEqual([]);
    await remove(uuid);
    await stage.settle(60);
    expect(await isGone(uuid)).toBe(true);
    await expectNothingLeft([own]);
  });

  it('is gone although its machine fails to be undeployed, which takes the instance off it all the same', async () => {
    const { node, own, uuid } = await active();
    stage.meddling.phase = ({ workflow, phase }) => {
      if (workflow === 'undeploy' && phase !== 'Fail') throw bmcFault('BmcAuthFailed', 'The BMC refuses.');
    };
    await remove(uuid);
    await stage.settle(60);
    expect(await isGone(uuid)).toBe(true);
    expect((await stage.readNode(node)).provision_state).toBe('error');
    await expectNothingLeft([own]);
  });

  it('is in error while an operator protects its machine, and can be deleted after that', async () => {
    const { node, own, uuid } = await active();
    await stage.changeNode(node, { protected: true });
    await remove(uuid);
    await stage.settle(60);
    const told = await stage.show(uuid);
    expect(told).toMatchObject({
      status: 'ERROR',
      fault: { message: expect.stringContaining('Delete the server again') },
    });
    expect(JSON.stringify(told)).not.toMatch(new RegExp(`${node}|protected`));
    expect((await stage.show(uuid, { subject: root })).fault.details).toContain('is protected');
    await stage.changeNode(node, { protected: false });
    await remove(uuid);
    await stage.settle(60);
    expect(await isGone(uuid)).toBe(true);
    await expectNothingLeft([own]);
  });

  it('and was never given a machine is gone at once', async () => {
    const uuid = await stage.boots({ networks: [{ uuid: network }] });
    await stage.settle(60);
    expect((await stage.show(uuid)).status).toBe('ERROR');
    await remove(uuid);
    await stage.settle();
    expect(await isGone(uuid)).toBe(true);
    await expectNothingLeft();
  });
});

describe('a server whose node is taken away by an operator', () => {
  it.each(['deleted', 'undeploy'])('(%s) is deleted, with its ports', async (target) => {
    const { node, own, uuid } = await active();
    await stage.operator(`PUT /v1/nodes/${node}/states/provision`, { target });
    await stage.settle(60);
    expect(await isGone(uuid)).toBe(true);
    await expectNothingLeft([own]);
  });
});

describe('a delete during create', () => {
  const phases = [
    'Schedule',
    'Claim',
    'PlugPorts',
    'WriteMetadata',
    'Validate',
    'BuildConfigdrive',
    'Deploy',
    'Active',
  ];

  it.each(phases)('before %s leaves nothing', async (at) => {
    await stage.addNode();
    const own = await stage.addPort(network);
    stage.meddling.phase = async ({ workflow, phase, server }) => {
      if (workflow !== 'server-create' || phase !== at) return;
      stage.meddling.phase = undefined;
      await remove(server!);
    };
    const uuid = await stage.boots({ networks: [{ uuid: network }, { port: own }] });
    await stage.settle(600);
    expect(await isGone(uuid)).toBe(true);
    await expectNothingLeft([own]);
  });

  /** Every request to the Bare Metal API that a create makes: the delete comes before it is answered. */
  it('leaves nothing, whichever request is on its way', async () => {
    for (let number = 1; ; number += 1) {
      stage = await createStage();
      network = await stage.addNetwork();
      await stage.addNode();
      const own = await stage.addPort(network);
      const uuid = await stage.boots({ networks: [{ uuid: network }, { port: own }] });
      let calls = 0;
      stage.meddling.call = async () => {
        calls += 1;
        if (calls !== number) return;
        await remove(uuid);
        // What the delete does is done while this request is still on its way.
        await stage.others();
      };
      await stage.settle(600);
      if (calls < number) break;
      expect([number, await isGone(uuid)]).toEqual([number, true]);
      await expectNothingLeft([own]);
    }
  });

  it('of which another machine is tried just now leaves nothing', async () => {
    for (let at = 0; at < 3; at += 1) await stage.addNode();
    const own = await stage.addPort(network);
    const uuid = await stage.boots({ networks: [{ uuid: network }, { port: own }] });
    stage.meddling.phase = async ({ workflow, phase }) => {
      if (workflow === 'deploy' && phase !== 'Fail') throw bmcFault('BmcAuthFailed', 'No.');
      if (workflow === 'server-create' && phase === 'Undeployed') {
        stage.meddling.phase = undefined;
        await remove(uuid);
      }
    };
    await stage.settle(600);
    expect(await isGone(uuid)).toBe(true);
    await expectNothingLeft([own]);
  });

  it('waits while the node is locked, and then undeploys it', async () => {
    const node = await stage.addNode();
    const uuid = await stage.boots();
    stage.meddling.phase = ({ workflow, phase }) => {
      if (workflow === 'deploy' && phase === 'Validate') throw new Fault('Pending', 503, 'Wait.');
    };
    await stage.settle(30);
    await remove(uuid);
    await stage.settle(60);
    expect((await stage.show(uuid))['OS-EXT-STS:task_state']).toBe('deleting');
    stage.meddling.phase = undefined;
    await stage.settle(120);
    expect(await isGone(uuid)).toBe(true);
    expect((await stage.readNode(node)).provision_state).toBe('available');
    await expectNothingLeft();
  });
});
