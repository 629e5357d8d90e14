/** Events of nodes that come late, twice, in the wrong order, or are about nobody's server. */
import { beforeEach, describe, expect, it } from 'vitest';

import { createStage, type Stage } from '../../workflows/servers/stage.ts';

let stage: Stage;
let node: string;
let uuid: string;
beforeEach(async () => {
  stage = await createStage();
  node = await stage.addNode();
  uuid = await stage.boots();
  await stage.settle(60);
});

const remove = async () => {
  await stage.request(`DELETE /v2.1/servers/${uuid}`);
  await stage.settle(60);
  expect(await stage.readServer(uuid)).toBeUndefined();
};

const claimed = async (instance: string) => {
  await stage.changeNode(node, { instance_uuid: instance });
  await stage.settle(60);
  return (await stage.readNode(node)).instance_uuid;
};

describe('a claim that comes late', () => {
  it('for a server that is deleted is given back', async () => {
    await remove();
    expect(await claimed(uuid)).toBeNull();
  });

  it('under whose name something is deployed is left alone: an operator gave his instance an old UUID', async () => {
    await remove();
    await stage.changeNode(node, { provision_state: 'active', instance_uuid: uuid });
    await stage.settle(60);
    expect(await stage.readNode(node)).toMatchObject({ provision_state: 'active', instance_uuid: uuid });
  });

  it('for somebody else’s instance is left alone', async () => {
    const theirs = '99999999-2222-4333-8444-555555555555';
    await remove();
    expect(await claimed(theirs)).toBe(theirs);
  });

  it('for a server that found no machine is known when that is deleted', async () => {
    const poor = await stage.boots();
    await stage.settle(60);
    expect((await stage.show(poor)).status).toBe('ERROR');
    const late = await stage.addNode();
    await stage.changeNode(late, { instance_uuid: poor });
    await stage.settle(60);
    expect((await stage.readServer(poor))!.node_uuid).toBe(late);
    uuid = poor;
    await remove();
    expect((await stage.readNode(late)).instance_uuid).toBeNull();
  });
});

describe('an event', () => {
  it('that comes twice, or when all has changed again, does no harm', async () => {
    const before = await stage.readServer(uuid);
    for (const type of ['node.power_state', 'node.provision_state', 'node.instance']) await stage.replay(type);
    expect(await stage.readServer(uuid)).toEqual(before);
    expect((await stage.show(uuid)).status).toBe('ACTIVE');
  });

  it('comes again as long as machines cannot be asked', async () => {
    stage.meddling.call = () => {
      throw Object.assign(new Error('Nobody answers.'), { name: 'Unavailable' });
    };
    await stage.changeNode(node, { power_state: 'power off' });
    await stage.settle(10);
    expect((await stage.show(uuid)).status).toBe('ACTIVE');
    stage.meddling.call = undefined;
    await stage.settle(10);
    expect((await stage.show(uuid)).status).toBe('SHUTOFF');
  });

  it.each([
    ['a node that somebody rescues', { provision_state: 'rescue' }, 'RESCUE'],
    ['a node that is serviced', { provision_state: 'servicing' }, 'ACTIVE'],
    ['a node whose power is off', { power_state: 'power off' }, 'SHUTOFF'],
  ] as const)('of %s makes its server %s', async (_what, set, status) => {
    await stage.changeNode(node, set);
    await stage.settle(10);
    expect((await stage.show(uuid)).status).toBe(status);
  });
});

describe('who calls', () => {
  it.each([null, {}, { workflow: 'deploy', phase: 'Validate' }, { 'detail-type': 'node.instance', detail: {} }])(
    'is not heard with %j',
    async (event) => {
      await expect(stage.call(event)).rejects.toMatchObject({ name: 'PhaseUnknown' });
    },
  );

  it('says nothing more than is agreed, in an event or for a phase', async () => {
    const [event] = stage.past('node.instance');
    await expect(stage.call(event)).resolves.toEqual({});
    const more = { ...event, detail: { ...event!.detail, more: 1 } };
    await expect(stage.call(more)).rejects.toMatchObject({ name: 'PhaseUnknown' });
    const call = { workflow: 'server-power', phase: 'AskGuest', server: uuid, run: 'a-run' };
    await expect(stage.call(call)).rejects.toMatchObject({ name: 'Superseded' });
    await expect(stage.call({ ...call, more: 1 })).rejects.toMatchObject({ name: 'PhaseUnknown' });
  });
});
