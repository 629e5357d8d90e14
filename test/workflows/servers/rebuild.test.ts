import { beforeEach, describe, expect, it } from 'vitest';

import { bmcFault } from '../../../layers/bmc/faults.ts';
import { createStage, type Stage } from './stage.ts';

let stage: Stage;
let node: string;
let uuid: string;
beforeEach(async () => {
  stage = await createStage();
  node = await stage.addNode();
  const network = await stage.addNetwork();
  uuid = await stage.boots({ networks: [{ uuid: network }] });
  await stage.settle(60);
});

const rebuild = async (more: object = {}) => {
  const body = { rebuild: { imageRef: stage.image, ...more } };
  const answer = await stage.request(`POST /v2.1/servers/${uuid}/action`, { body });
  expect([answer.status, answer.text]).toEqual([202, expect.any(String)]);
  return { run: (await stage.readServer(uuid))!.run!, server: answer.body.server };
};

describe('a server that is rebuilt', () => {
  it('has the image written anew, on the same machine with the same addresses', async () => {
    const before = await stage.show(uuid);
    const { run, server } = await rebuild();
    expect(server.status).toBe('REBUILD');
    await stage.settle(60);
    const after = await stage.show(uuid);
    expect(after).toMatchObject({ status: 'ACTIVE', addresses: before.addresses, hostId: before.hostId });
    expect(await stage.entered('server-rebuild', run)).toEqual([
      'WriteMetadata',
      'Validate',
      'BuildConfigdrive',
      'Rebuild',
      'WaitForDeploy',
      'Active',
      'Up',
      'Done',
    ]);
  });

  it('has another image, and the node is told of it and of what is kept', async () => {
    const image = await stage.addImage({ name: 'other' });
    await rebuild({ imageRef: image, preserve_ephemeral: true, name: 'new' });
    await stage.settle(60);
    expect((await stage.readNode(node)).instance_info).toMatchObject({
      image_source: image,
      preserve_ephemeral: 'True',
      display_name: 'new',
    });
  });

  it('whose rebuild fails is in error on its machine, and can be rebuilt again', async () => {
    stage.meddling.phase = ({ workflow, phase }) => {
      if (workflow === 'deploy' && phase !== 'Fail') throw bmcFault('BmcAuthFailed', 'The BMC of rack-7 refuses.');
    };
    await rebuild();
    await stage.settle(60);
    const told = await stage.show(uuid);
    expect(told).toMatchObject({
      status: 'ERROR',
      fault: { message: expect.stringContaining('could not be rebuilt') },
    });
    expect(JSON.stringify(told)).not.toContain('rack-7');
    expect(await stage.readNode(node)).toMatchObject({ instance_uuid: uuid, provision_state: 'deploy failed' });
    stage.meddling.phase = undefined;
    await rebuild();
    await stage.settle(60);
    expect((await stage.show(uuid)).status).toBe('ACTIVE');
  });

  it('is not rebuilt twice when the answer was lost', async () => {
    let puts = 0;
    stage.meddling.answered = ({ method, path }) => {
      if (method !== 'PUT' || !path.endsWith('/states/provision')) return;
      puts += 1;
      if (puts === 1) throw new Error('The function was cut off.');
    };
    const { run } = await rebuild();
    await stage.settle(120);
    expect([puts, (await stage.entered('server-rebuild', run)).at(-1)]).toEqual([1, 'Done']);
  });

  it('and deleted in the middle leaves nothing', async () => {
    stage.meddling.phase = async ({ workflow, phase }) => {
      if (workflow !== 'server-rebuild' || phase !== 'Rebuild') return;
      stage.meddling.phase = undefined;
      await stage.request(`DELETE /v2.1/servers/${uuid}`);
    };
    await rebuild();
    await stage.settle(120);
    expect(await stage.readServer(uuid)).toBeUndefined();
    expect(await stage.readNode(node)).toMatchObject({ instance_uuid: null, provision_state: 'available' });
    expect(await stage.ports()).toEqual([]);
  });
});
