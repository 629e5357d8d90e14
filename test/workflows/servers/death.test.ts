/**
 * The process dies at the effects of a run of a server (each write, call of the Bare Metal API, callback and journal entry,
 * before and after it happened) and another one takes over: it has to end the same, with nothing left behind.
 */
import { describe, expect, it } from 'vitest';

import type { Death } from '../mortal.ts';
import { createStage, type Stage } from './stage.ts';

/** Lets another process go on whenever one has died, until no run owns a server any more. */
const play = async (stage: Stage): Promise<void> => {
  for (let round = 0; round < 20; round += 1) {
    if (stage.dead()) {
      await stage.restart();
      await stage.sync();
    }
    await stage.settle(120);
    if (!stage.dead() && (await stage.busy()).length === 0) return;
  }
};

/** A life for each effect is the longest test there is: `npm test` takes every fifth, `npm run test:crash` each. */
const every = process.env['INGOT_DEATHS'] === 'all' ? 1 : 5;

const moments = (effects: number): number[] =>
  Array.from({ length: effects }, (_, at) => at + 1).filter((at) => at % every === 0);

const prepare = async (death?: Death) => {
  const stage = await createStage(death ? { death } : {});
  const network = await stage.addNetwork();
  const own = await stage.addPort(network);
  const nodes = [await stage.addNode(), await stage.addNode()];
  return { stage, network, own, nodes };
};

type Prepared = Awaited<ReturnType<typeof prepare>>;

/** The server that was asked for. Whose answer was lost looks it up, as clients do. */
const asks = async ({ stage, network, own }: Prepared): Promise<string> => {
  try {
    return await stage.boots({ networks: [{ uuid: network }, { port: own }] });
  } catch (error) {
    if (!stage.dead()) throw error;
    await stage.restart();
    const { body } = await stage.request('GET /v2.1/servers');
    expect(body.servers).toHaveLength(1);
    await stage.sync();
    return body.servers[0].id as string;
  }
};

const creates = async (death?: Death) => {
  const all = await prepare(death);
  const uuid = await asks(all);
  await play(all.stage);
  return { ...all, uuid };
};

const expectActive = async ({ stage, nodes, own, uuid }: Prepared & { uuid: string }) => {
  const server = (await stage.readServer(uuid))!;
  expect(server).toMatchObject({ vm_state: 'active', task_state: null, run: null });
  expect(server.tried).toEqual([server.node_uuid]);
  const states = await Promise.all(nodes.map(async (node) => stage.readNode(node)));
  expect(states.flatMap(({ instance_uuid: instance }) => instance ?? [])).toEqual([uuid]);
  const ports = await stage.ports();
  expect(ports.map(({ device_id }) => device_id)).toEqual([uuid, uuid]);
  expect((await stage.vifs(server.node_uuid!)).toSorted()).toEqual(ports.map(({ uuid: id }) => id).toSorted());
  expect(ports.some((port) => port.uuid === own)).toBe(true);
};

const expectNothing = async ({ stage, own, uuid }: Prepared & { uuid: string }) => {
  expect(await stage.readServer(uuid)).toBeUndefined();
  for (const node of await stage.nodes()) {
    expect(node).toMatchObject({ provision_state: 'available', instance_uuid: null, instance_info: {} });
    expect(await stage.vifs(node.uuid)).toEqual([]);
  }
  expect((await stage.ports()).map(({ uuid: id, device_id }) => [id, device_id])).toEqual([[own, '']]);
  expect(await stage.used()).toEqual({ instances: 0, cores: 0, ram: 0 });
};

const counted = async (story: () => Promise<{ readonly stage: Stage }>): Promise<number> =>
  (await story()).stage.effects();

const creating = await counted(async () => creates());

describe.each(['before', 'after'] as const)('a create whose process dies %s an effect', (when) => {
  it.each(moments(creating))('number %i ends active, on one machine', async (at) => {
    await expectActive(await creates({ at, when }));
  });
});

/** The server is deleted when its create has come so far. */
const deletes = async (death?: Death, during?: string) => {
  const all = await prepare(death);
  const { stage } = all;
  const boots = asks(all);
  let isAsked = false;
  stage.meddling.phase = async ({ workflow, phase, server }) => {
    if (workflow !== 'server-create' || phase !== during || isAsked) return;
    isAsked = true;
    await stage.request(`DELETE /v2.1/servers/${server}`).catch(() => undefined);
  };
  const uuid = await boots;
  await play(stage);
  // Whose answer was lost asks again, if it is still there.
  for (let tries = 0; tries < 2 && (await stage.readServer(uuid)); tries += 1) {
    await stage.request(`DELETE /v2.1/servers/${uuid}`).catch(() => undefined);
    await play(stage);
  }
  return { ...all, uuid };
};

const deleting = await counted(async () => deletes());

describe('a delete whose process dies after an effect', () => {
  it.each(moments(deleting).filter((at) => at > creating))('number %i leaves nothing', async (at) => {
    await expectNothing(await deletes({ at, when: 'after' }));
  });
});

const during = await counted(async () => deletes(undefined, 'PlugPorts'));

describe('a delete in the middle of a create whose process dies after an effect', () => {
  it.each(moments(during))('number %i leaves nothing', async (at) => {
    await expectNothing(await deletes({ at, when: 'after' }, 'PlugPorts'));
  });
});
