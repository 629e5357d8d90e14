/** Deploys of images that the Image API has: looked up when they begin, and again when the agent is told to write. */
import { describe, expect, it } from 'vitest';

import { Unavailable } from '../../layers/domain/fault.ts';
import { keep } from '../../layers/domain/notes.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { root } from '../functions/image-api/front.ts';
import { createAgent } from './agent.ts';
import { imageArgs } from './asked.ts';
import { serveImages } from './images.ts';
import { aNode, uuid } from './nodes.ts';
import { createStage } from './stage.ts';

/** A machine, and the Image API with an image of project red; agents fetch from the objects of both. */
const stageWith = async (image: object = {}, more: Partial<StoredNode> = {}) => {
  const { driver = 'redfish', instance_info: info, ...rest } = more;
  const stage = await createStage({ node: aNode({ driver }) });
  const { ask, uploaded } = serveImages(stage);
  const id = await uploaded(image);
  await stage.change({ instance_info: { image_source: id, ...info }, ...rest });
  const agent = createAgent(stage);
  return { ...stage, stage, agent, id, uploaded, ask };
};
type Staged = Awaited<ReturnType<typeof stageWith>>;

/** As far as the agent that waits for what to do. */
const begin = async ({ stage, agent }: Staged, event: 'deploy' | 'rebuild' = 'deploy'): Promise<string> => {
  const run = await stage.provision('deploy', event);
  await stage.settle(600);
  await agent.call();
  return run;
};

const end = async ({ stage, agent }: Staged): Promise<StoredNode> => {
  await stage.settle();
  if ((await stage.read()).deploy_step['step'] === 'write_image') await agent.finish();
  await stage.settle(600);
  return stage.read();
};

const deploy = async (staged: Staged): Promise<StoredNode> => {
  await begin(staged);
  return end(staged);
};

/** What the agent was told to write, each time. */
const told = (staged: Staged) => imageArgs(staged).map(({ image_info: info }) => info);

type Told = ReturnType<typeof told>[number];

const fails = async (staged: Staged, words: string | RegExp): Promise<void> => {
  const node = await end(staged);
  expect(node).toMatchObject({ provision_state: 'deploy failed' });
  expect(node.last_error).toMatch(words);
  expect(told(staged).every((one) => one.urls.length > 0)).toBe(true);
};

describe('a deploy of an image of the Image API', () => {
  it('tells the agent a link and the hash, and keeps nothing but the UUID', async () => {
    const staged = await stageWith();
    expect(await deploy(staged)).toMatchObject({
      provision_state: 'active',
      last_error: null,
      instance_info: { image_source: staged.id },
      driver_internal_info: { is_whole_disk_image: true },
    });
    const [info] = told(staged) as [Told];
    expect(info).toMatchObject({
      id: staged.id,
      os_hash_algo: 'sha512',
      os_hash_value: expect.stringMatching(/^[0-9a-f]{128}$/) as string,
      disk_format: 'raw',
      container_format: 'bare',
      node_uuid: uuid,
    });
    const { body } = await staged.world.objects.request('GET', info.urls[0]!);
    expect(Buffer.from(body!).toString()).toBe('a disk');
    const { table, log } = staged.world;
    const kept = JSON.stringify([table.items(), log.lines, staged.travelled, await staged.history()]);
    expect(kept).toContain(staged.id);
    expect(kept).not.toMatch(/signature=|objects\.test\/images/);
  });

  it('takes the name that Ironic has for such images too', async () => {
    const staged = await stageWith();
    await staged.change({ instance_info: { image_source: `glance://${staged.id.toUpperCase()}` } });
    expect(await deploy(staged)).toMatchObject({ provision_state: 'active' });
    expect(told(staged)[0]).toMatchObject({ id: staged.id });
  });

  it('goes by what the image says of itself, not by what stands beside its UUID', async () => {
    const info = { image_checksum: 'f'.repeat(64), image_os_hash_value: 'f', image_disk_format: 'vmdk' };
    const staged = await stageWith({}, { instance_info: info });
    expect(await deploy(staged)).toMatchObject({ provision_state: 'active', instance_info: info });
    expect(told(staged)[0]).toMatchObject({ disk_format: 'raw', os_hash_algo: 'sha512' });
  });

  it('writes partitions of one that comes with a kernel and a ramdisk', async () => {
    const staged = await stageWith({ kernel_id: 'k', ramdisk_id: 'r' }, { instance_info: { root_gb: '10' } });
    expect(await deploy(staged)).toMatchObject({ driver_internal_info: { is_whole_disk_image: false } });
    expect(told(staged)[0]).toMatchObject({ image_type: 'partition', kernel: 'k', ramdisk: 'r', root_mb: 10_240 });
    expect(staged.proxy.requests.map(({ params }) => (params as { command?: string }).command)).toContain(
      'image.install_bootloader',
    );
  });

  it.each([
    [{ img_type: 'partition' }, {}, 'partition'],
    [{ kernel_id: 'k' }, { image_type: 'whole-disk' }, undefined],
    [{ kernel_id: 'k', img_type: 'whole-disk' }, {}, undefined],
    [{}, { image_type: 'partition' }, 'partition'],
  ])('with properties %j and instance_info %j is told as %s', async (image, info, type) => {
    const staged = await stageWith(image, { instance_info: { root_gb: 10, ...info } });
    await deploy(staged);
    expect(told(staged)[0]?.['image_type']).toBe(type);
  });

  it('needs to know the size of partitions', async () => {
    const staged = await stageWith({ kernel_id: 'k' });
    await begin(staged);
    await fails(staged, /Validate: Missing: instance_info\.root_gb\./);
  });

  it('is looked up anew by a rebuild', async () => {
    const staged = await stageWith();
    await deploy(staged);
    const other = await staged.uploaded({}, 'another disk');
    await staged.change({ instance_info: { image_source: other } });
    staged.proxy.requests.length = 0;
    await begin(staged, 'rebuild');
    expect(await end(staged)).toMatchObject({ provision_state: 'active', instance_info: { image_source: other } });
    const [info] = told(staged) as [Told];
    const { body } = await staged.world.objects.request('GET', info.urls[0]!);
    expect([info['id'], Buffer.from(body!).toString()]).toEqual([other, 'another disk']);
  });

  it('is not looked up any more once the agent writes it', async () => {
    const staged = await stageWith();
    await begin(staged);
    await staged.settle();
    expect(told(staged)).toHaveLength(1);
    await staged.ask(`DELETE /v2/images/${staged.id}`);
    const asked = staged.world.apis.calls.length;
    await staged.agent.call();
    await staged.settle();
    expect(await end(staged)).toMatchObject({ provision_state: 'active', last_error: null });
    expect([told(staged).length, staged.world.apis.calls.length]).toEqual([1, asked]);
  });

  it('waits for an Image API that is away for a while', async () => {
    const staged = await stageWith();
    const { served } = staged.world.apis;
    const { image } = served;
    let left = 2;
    served.image = async (event, invocation) => {
      if (left-- > 0) throw Unavailable('The Image API could not be asked. Try again later.');
      return image!(event, invocation);
    };
    expect(await deploy(staged)).toMatchObject({ provision_state: 'active' });
    expect(left).toBeLessThan(0);
  });

  it('asks for nothing where no image is written', async () => {
    const staged = await stageWith({}, { driver: 'fake-hardware' });
    expect(await deploy(staged)).toMatchObject({ provision_state: 'active' });
    expect(staged.world.apis.calls).toEqual([]);
  });
});

describe('before the machine boots anything, a deploy fails', () => {
  const unbooted = async (staged: Staged, words: RegExp) => {
    const run = await begin(staged);
    await fails(staged, words);
    expect(await staged.entered('deploy', run)).toEqual(['Validate', 'Fail', 'Failed']);
    expect(staged.proxy.requests.filter(({ op }) => op === 'vmedia.insert')).toEqual([]);
  };

  it('for an image that is not there', async () => {
    const staged = await stageWith();
    await staged.ask(`DELETE /v2/images/${staged.id}`);
    await unbooted(staged, /^Deploy failed in Validate: Image \S+ could not be found\./);
  });

  it('for one that an administrator has stopped', async () => {
    const staged = await stageWith();
    await staged.ask(`POST /v2/images/${staged.id}/actions/deactivate`, { subject: root });
    await unbooted(staged, /Image \S+ is deactivated, not active\./);
  });

  it('for one of a form that agents do not write', async () => {
    await unbooted(await stageWith({ disk_format: 'vmdk' }), /has the disk format vmdk; agents write raw, gpt, qcow2/);
  });

  it('for one that needs a larger disk than the node is said to have', async () => {
    const staged = await stageWith({ min_disk: 20 }, { properties: { local_gb: '10' } });
    await unbooted(staged, /needs a disk of 20 GB \(min_disk\); properties\.local_gb of the node says 10\./);
  });

  it('for one that the project which it is for does not see, in the same words as for none', async () => {
    const staged = await stageWith();
    await staged.change(keep(await staged.read(), { image_project: 'blue' }));
    await unbooted(staged, /Image \S+ could not be found for project blue\./);
  });

  it('with an Image API that stays away', async () => {
    const staged = await stageWith();
    delete staged.world.apis.served.image;
    await unbooted(staged, /The Image API could not be asked\. Try again later\./);
  });
});

describe('in the midst of it, a deploy fails', () => {
  const waiting = async (): Promise<Staged> => {
    const staged = await stageWith();
    await staged.stage.provision('deploy', 'deploy');
    await staged.settle(600);
    return staged;
  };

  it('when its image is deleted before it is written', async () => {
    const staged = await waiting();
    await staged.ask(`DELETE /v2/images/${staged.id}`);
    await staged.agent.call();
    await fails(staged, /^Deploy failed in WriteImage: Image \S+ could not be found\./);
    expect(told(staged)).toEqual([]);
  });

  it.each(['another image', 'a URL'])('when it is to write %s by now', async (what) => {
    const staged = await waiting();
    const other = what === 'a URL' ? 'https://images.test/x.raw' : await staged.uploaded();
    await staged.change({ instance_info: { image_source: other, image_checksum: 'a'.repeat(64) } });
    await staged.agent.call();
    await fails(staged, /WriteImage: instance_info\.image_source was changed while the machine was deployed/);
    expect(told(staged)).toEqual([]);
  });
});
