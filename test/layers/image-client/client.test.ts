/** The client of the Image API: against our own, and against a Glance of others. */
import { describe, expect, it } from 'vitest';

import type { Fault } from '../../../layers/domain/fault.ts';
import { createImageClient } from '../../../layers/image-client/client.ts';
import { createInvokedApi } from '../../../layers/platform/invoked-api.ts';
import type { ApiReply } from '../../../layers/platform/apis.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { bob, createFront, root } from '../../functions/image-api/front.ts';

const id = '11111111-1111-4111-8111-111111111111';
const bytes = Buffer.from('a disk');
const sha256 = 'c'.repeat(64);
const ownPlace =
  "It was looked for in this installation's own Image API; images of another Glance, such as Nova's, need the setting image_endpoint.";

/** Our own Image API, and the machine side's client of it. */
const ours = () => {
  const platform = createMemoryPlatform();
  const front = createFront({}, platform);
  platform.functions.handlers['image-api'] = front.app;
  const client = createImageClient({ call: createInvokedApi(platform, 'image'), is_external: false });
  const uploaded = async (given: object = {}) => {
    const image = await front.make(given);
    expect((await front.request(`PUT /v2/images/${image}/file`, { body: bytes.toString() })).status).toBe(204);
    return image;
  };
  const imported = async (given: object) => {
    const image = await front.make(given);
    const body = { method: { name: 'web-download', uri: 'https://images.test/debian.qcow2' } };
    expect((await front.request(`POST /v2/images/${image}/import`, { body })).status).toBe(202);
    return image;
  };
  return { ...front, client, uploaded, imported };
};

describe('an image of our own', () => {
  it('that was uploaded is led to by a link for one read, with its hash', async () => {
    const { client, uploaded, platform } = ours();
    const image = await uploaded();
    const found = await client.find(image, undefined);
    expect(found).toMatchObject({
      image: { id: image, os_hash_algo: 'sha512', disk_format: 'qcow2' },
      checksum_url: null,
    });
    expect(await platform.objects.request('GET', found.url)).toMatchObject({
      status: 200,
      body: new Uint8Array(bytes),
    });
  });

  it('is led to for as long as an agent may take', async () => {
    const { client, uploaded, platform } = ours();
    const { url } = await client.find(await uploaded(), undefined);
    platform.clock.advance(2 * 1800 * 1000 - 1);
    expect((await platform.objects.request('GET', url)).status).toBe(200);
    platform.clock.advance(2);
    expect((await platform.objects.request('GET', url)).status).toBe(403);
  });

  it('that is at a URL is led to there', async () => {
    const { client, imported } = ours();
    const image = await imported({ image_checksum: sha256 });
    expect(await client.find(image, undefined)).toMatchObject({
      image: { os_hash_algo: 'sha256', os_hash_value: sha256 },
      url: 'https://images.test/debian.qcow2',
    });
  });

  it('has the checksum file that it was imported with, whatever its properties say by now', async () => {
    const { client, imported, request } = ours();
    const sums = 'https://images.test/SHA256SUMS';
    const image = await imported({ image_checksum: sums });
    const body = [{ op: 'replace', path: '/image_checksum', value: 'http://169.254.169.254/x' }];
    await request(`PATCH /v2/images/${image}`, { body });
    expect(await client.find(image, undefined)).toMatchObject({ image: { os_hash_value: null }, checksum_url: sums });
  });

  it('is not led to before it has data, after it was stopped, and when it is gone', async () => {
    const { client, make, uploaded, request } = ours();
    await expect(client.find(await make(), undefined)).rejects.toMatchObject({
      code: 400,
      message: expect.stringMatching(/^Image \S+ is queued, not active\.$/) as string,
    });
    const image = await uploaded();
    await request(`POST /v2/images/${image}/actions/deactivate`, { subject: root });
    await expect(client.find(image, undefined)).rejects.toThrow(`Image ${image} is deactivated, not active.`);
    await request(`DELETE /v2/images/${image}`);
    await expect(client.find(image, undefined)).rejects.toMatchObject({
      code: 404,
      message: `Image ${image} could not be found. ${ownPlace}`,
    });
  });
});

describe('an image that a project has to see', () => {
  const { project } = bob;

  it.each([
    ['private', false],
    ['shared', false],
    ['community', true],
    ['public', true],
  ])('and that is %s: %s', async (visibility, isSeen) => {
    const { client, uploaded, request } = ours();
    const image = await uploaded();
    const body = [{ op: 'replace', path: '/visibility', value: visibility }];
    expect((await request(`PATCH /v2/images/${image}`, { subject: root, body })).status).toBe(200);
    const told = await client.find(image, project).then(
      (found) => found.image.id,
      (error: Fault) => `${error.code} ${error.message}`,
    );
    expect(told).toBe(isSeen ? image : `404 Image ${image} could not be found for project ${project}. ${ownPlace}`);
    // Its own project sees it anyway.
    expect((await client.find(image, 'red')).image.id).toBe(image);
  });

  it('and that it was offered is seen, whatever it makes of the offer, until it is taken back', async () => {
    const { client, uploaded, request } = ours();
    const image = await uploaded();
    await request(`POST /v2/images/${image}/members`, { body: { member: project } });
    expect((await client.find(image, project)).image.id).toBe(image);
    await request(`PUT /v2/images/${image}/members/${project}`, { subject: bob, body: { status: 'rejected' } });
    expect((await client.find(image, project)).image.id).toBe(image);
    await request(`DELETE /v2/images/${image}/members/${project}`);
    await expect(client.find(image, project)).rejects.toThrow('could not be found');
  });

  it('may have any name', async () => {
    const { client, uploaded } = ours();
    await expect(client.find(await uploaded(), 'a/b ü?')).rejects.toMatchObject({ code: 404 });
  });
});

/** A Glance of others: what it answers by path; 404 for all else. */
const glance = (answers: Readonly<Record<string, object | number>>, open_endpoint?: string) => {
  const asked: string[] = [];
  const call = async ({ method, path }: { method: string; path: string }): Promise<ApiReply> => {
    asked.push(`${method} ${path}`);
    const answer = answers[path.replace(`/v2/images/${id}`, '')] ?? 404;
    return typeof answer === 'number'
      ? { status: answer, headers: {}, text: '<html>' }
      : { status: 200, headers: {}, text: JSON.stringify(answer) };
  };
  return { asked, client: createImageClient({ call, is_external: true, open_endpoint }) };
};

/** As a real Glance shows one. */
const shown = {
  id,
  name: 'debian',
  status: 'active',
  visibility: 'public',
  owner: 'red',
  container_format: 'bare',
  disk_format: 'qcow2',
  checksum: 'd'.repeat(32),
  os_hash_algo: 'sha512',
  os_hash_value: 'e'.repeat(128),
  min_disk: 3,
  min_ram: 0,
  size: 7,
  virtual_size: null,
  protected: false,
  os_hidden: false,
  tags: [],
  hw_disk_bus: 'scsi',
  self: `/v2/images/${id}`,
};
const http = 'https://store.test/debian?temp_url_sig=1';

describe('an image of an external Glance', () => {
  it.each([
    [
      'what it shows',
      {
        '': {
          ...shown,
          locations: [
            { url: 'rbd://a/b', metadata: {} },
            { url: http, metadata: {} },
          ],
        },
      },
    ],
    ['its direct URL', { '': { ...shown, direct_url: http } }],
    ['its locations', { '': { ...shown, direct_url: 'file:///x' }, '/locations': [{ url: http, metadata: {} }] }],
  ])('is led to by %s', async (_what, answers) => {
    const { client, asked } = glance(answers);
    expect(await client.find(id, 'blue')).toMatchObject({
      url: http,
      image: { checksum: 'd'.repeat(32), min_disk: 3 },
    });
    expect(asked.every((line) => line.startsWith('GET '))).toBe(true);
  });

  it.each([
    ['does not answer for locations', { '': shown }],
    ['lets nobody ask for locations', { '': shown, '/locations': 403 }],
    ['has it in a store of its own', { '': shown, '/locations': [{ url: 'swift+https://a/b', metadata: {} }] }],
  ])('that %s is told by agents only if it gives its data to anybody', async (_what, answers) => {
    await expect(glance(answers).client.find(id, undefined)).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining('names no http or https URL of it') as string,
    });
    const open = glance(answers, 'http://glance.test:9292');
    expect(await open.client.find(id, undefined)).toMatchObject({
      url: `http://glance.test:9292/v2/images/${id}/file`,
    });
  });

  it('that is shared is seen by its members', async () => {
    const shared = { ...shown, visibility: 'shared', direct_url: http };
    const { client } = glance({ '': shared, '/members/blue': { member_id: 'blue', status: 'pending' } });
    expect((await client.find(id, 'blue')).url).toBe(http);
    await expect(client.find(id, 'green')).rejects.toMatchObject({ code: 404 });
    const refusing = glance({ '': shared, '/members/blue': 403 });
    await expect(refusing.client.find(id, 'blue')).rejects.toMatchObject({ code: 404 });
  });

  it.each([403, 404])('that this installation may not see (%i) could not be found', async (status) => {
    await expect(glance({ '': status }).client.find(id, undefined)).rejects.toMatchObject({
      code: 404,
      message: `Image ${id} could not be found. It was looked for in the Glance of the setting image_endpoint.`,
    });
  });

  it.each([
    ['', 503, 'Unavailable', 503],
    ['', 500, 'Unavailable', 503],
    ['', 300, 'ImageApiFailed', 502],
    ['/locations', 500, 'Unavailable', 503],
    ['/members/blue', 500, 'Unavailable', 503],
  ])('whose answer to %j is %i: %s', async (path, status, name, code) => {
    const answers = { '': { ...shown, visibility: 'shared' }, '/members/blue': {}, '/locations': [], [path]: status };
    await expect(glance(answers).client.find(id, 'blue')).rejects.toMatchObject({ name, code });
  });

  it.each([{}, [], { ...shown, status: 1 }, { ...shown, direct_url: {} }])(
    'that is no image is told so: %j',
    async (one) => {
      await expect(glance({ '': one }).client.find(id, undefined)).rejects.toMatchObject({ name: 'ImageApiFailed' });
    },
  );
});
