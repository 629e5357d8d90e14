/** Images of the Image API in instance_info.image_source: whose may be written to a node, and what GET validate says of one. */
import { beforeEach, describe, expect, it } from 'vitest';

import { note } from '../../../../layers/domain/notes.ts';
import type { StoredNode } from '../../../../layers/store/nodes.ts';
import { createFront as createImageFront } from '../../image-api/front.ts';
import { createFrontWithNodes, imageInfo, type Front } from './stored.ts';

const system = { user: 'nova', project: 'services', roles: 'service', scope: 'system' };
const lessee = { user: 'eve', project: 'blue', roles: 'admin', scope: 'project' };
const id = '11111111-1111-4111-8111-111111111111';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

describe('the project that has to see the image', () => {
  const asked = async (uuid: string, target: string, subject: Record<string, string>) => {
    const body = { target };
    expect((await front.request(`PUT /v1/nodes/${uuid}/states/provision`, { body, subject })).status).toBe(202);
    return note(await front.read(uuid), 'image_project');
  };
  const node = async (more: Partial<StoredNode> = {}) =>
    (await front.store({ lessee: 'blue', instance_info: { image_source: id, project_id: 'red' }, ...more })).uuid;

  it.each(['active', 'deploy'])('is that of who asks for %s, whatever a text in the node says', async (target) => {
    expect(await asked(await node(), target, lessee)).toBe('blue');
  });

  it('is that of which a service of the whole system says that it is for it', async () => {
    expect(await asked(await node(), 'active', system)).toBe('red');
  });

  it.each([{}, { project_id: '' }, { project_id: 7 }, { project_id: { toString: false } }])(
    'is none if nobody says so: %j',
    async (info) => {
      expect(
        await asked(await node({ instance_info: { image_source: id, ...info } }), 'active', system),
      ).toBeUndefined();
    },
  );

  it('is found anew by a rebuild', async () => {
    const was = { driver_internal_info: { image_project: 'green' }, provision_state: 'active' } as const;
    expect(await asked(await node(was), 'rebuild', lessee)).toBe('blue');
    expect(await asked(await node({ ...was, instance_info: {} }), 'rebuild', system)).toBeUndefined();
  });

  it('is no matter of other verbs', async () => {
    const uuid = await node({ provision_state: 'manageable', driver_internal_info: { image_project: 'green' } });
    expect(await asked(uuid, 'provide', system)).toBe('green');
  });
});

describe('GET validate', () => {
  const deployOf = async (uuid: string, subject?: Record<string, string>) => {
    const { body } = await front.request(`GET /v1/nodes/${uuid}/validate`, { ...(subject && { subject }) });
    return (body as Record<string, { result: boolean; reason?: string }>)['deploy'];
  };
  /** A node that is to get an image of project red. */
  const ready = async (image: object = {}, info: object = {}) => {
    const images = createImageFront();
    front.platform.apis.served.image = images.app;
    const image_source = await images.make({ disk_format: 'raw', ...image });
    await images.request(`PUT /v2/images/${image_source}/file`, { body: 'a disk' });
    const { uuid } = await front.storeReady({ lessee: 'blue', instance_info: { image_source, ...info } });
    return { uuid, image_source };
  };

  it('finds nothing wrong with an image that can be written', async () => {
    expect(await deployOf((await ready()).uuid)).toEqual({ result: true });
  });

  it('says what a deploy would fail with', async () => {
    const { uuid, image_source } = await ready({ min_disk: 20 });
    await front.force(uuid, { properties: { local_gb: 10 } });
    expect(await deployOf(uuid)).toEqual({
      result: false,
      reason: `Image ${image_source} needs a disk of 20 GB (min_disk); properties.local_gb of the node says 10.`,
    });
    const partition = await ready({ kernel_id: 'k' });
    expect(await deployOf(partition.uuid)).toMatchObject({ reason: 'Missing: instance_info.root_gb.' });
  });

  it('says of an image that who asks does not see what it says of one that is not there', async () => {
    const { uuid, image_source } = await ready({}, { project_id: 'red' });
    expect(await deployOf(uuid)).toEqual({ result: true });
    const none = {
      result: false,
      reason: `Image ${image_source} could not be found for project blue. It was looked for in this installation's own Image API; images of another Glance, such as Nova's, need the setting image_endpoint.`,
    };
    expect(await deployOf(uuid, lessee)).toEqual(none);
    await front.force(uuid, { instance_info: { image_source: id } });
    expect(await deployOf(uuid, lessee)).toEqual({ ...none, reason: none.reason.replace(image_source, id) });
  });

  it('says so if the Image API can not be asked', async () => {
    const { uuid } = await front.storeReady({ instance_info: { image_source: id } });
    expect(await deployOf(uuid)).toEqual({
      result: false,
      reason: 'The Image API could not be asked. Try again later.',
    });
  });

  it('asks nobody for an image at a URL, nor for one that is not written', async () => {
    const atUrl = await front.storeReady();
    const fake = await front.store({ instance_info: { image_source: id } });
    expect(await deployOf(atUrl.uuid)).toEqual({ result: true });
    expect(await deployOf(fake.uuid)).toEqual({ result: true });
    expect(front.platform.apis.calls).toEqual([]);
  });

  it.each(['not-a-uuid', 'glance://x', `file:///${id}`, 7, { toString: false }, [id]])(
    'refuses what is neither a URL nor a UUID: %j',
    async (image_source) => {
      const { uuid } = await front.storeReady({ instance_info: { ...imageInfo, image_source } });
      expect(await deployOf(uuid)).toEqual({
        result: false,
        reason: 'instance_info.image_source must be an http or https URL, or the UUID of an image of the Image API.',
      });
    },
  );
});
