/** Data that Ingot stores: by a request, or by a link that takes nothing else. */
import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { Unavailable } from '../../../layers/domain/fault.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { createVirtualClock } from '../../../layers/platform/memory/clock.ts';
import { ann, bob, createFront, root, service, tenant } from './front.ts';

const bytes = Buffer.from('the bytes of a disk');
const hash = (algorithm: string) => createHash(algorithm).update(bytes).digest('hex');
const octets = { 'Content-Type': 'application/octet-stream' };
const data = { body: String(bytes), headers: octets };

describe('PUT file', () => {
  it('stores the data with its hashes', async () => {
    const { request, make, platform } = createFront();
    const id = await make();
    expect((await request(`PUT /v2/images/${id}/file`, data)).status).toBe(204);
    expect((await request(`GET /v2/images/${id}`)).body).toMatchObject({
      status: 'active',
      size: bytes.length,
      checksum: hash('md5'),
      os_hash_algo: 'sha512',
      os_hash_value: hash('sha512'),
    });
    const [key, ...others] = platform.objects.keys();
    expect(key).toMatch(new RegExp(`^images/${id}/`));
    expect([others, Buffer.from((await platform.objects.get(key!))!).equals(bytes)]).toEqual([[], true]);
  });

  it('refuses what is not what the image says of itself, and waits for other data', async () => {
    const { request, make, platform } = createFront();
    const id = await make({ image_checksum: 'a'.repeat(64) });
    const { status, text } = await request(`PUT /v2/images/${id}/file`, data);
    expect([status, platform.objects.keys()]).toEqual([400, []]);
    expect(text).toContain('sha256');
    expect((await request(`GET /v2/images/${id}`)).body.status).toBe('queued');
    const right = await make({ image_checksum: hash('sha256') });
    expect((await request(`PUT /v2/images/${right}/file`, data)).status).toBe(204);
  });

  it('takes an empty body for none: a client whose input is no terminal sends one', async () => {
    const { request, make, platform } = createFront();
    const id = await make();
    expect((await request(`PUT /v2/images/${id}/file`, { headers: octets })).status).toBe(204);
    expect((await request(`GET /v2/images/${id}`)).body).toMatchObject({ status: 'queued', size: null });
    expect(platform.objects.keys()).toEqual([]);
  });

  it('is too large past what gateways take, and says what to do instead', async () => {
    const { request, make } = createFront();
    const id = await make();
    const { status, text } = await request(`PUT /v2/images/${id}/file`, {
      body: 'x'.repeat(10 * 1024 * 1024 + 1),
      headers: octets,
    });
    expect(status).toBe(413);
    expect(text).toContain('10485760 bytes');
  });

  it('leaves an image queued whose data could not be stored', async () => {
    const platform = createMemoryPlatform();
    const put = async () => Promise.reject(Unavailable('The bucket could not be reached, try again.'));
    const { request, make } = createFront({}, { ...platform, objects: { ...platform.objects, put } });
    const id = await make();
    expect((await request(`PUT /v2/images/${id}/file`, data)).status).toBe(503);
    expect((await request(`GET /v2/images/${id}`)).body).toMatchObject({ status: 'queued', size: null });
  });

  it('keeps the data of an image that is active, although the answer to its last write was lost', async () => {
    const platform = createMemoryPlatform();
    const write: typeof platform.table.write = async (writes) => {
      await platform.table.write(writes);
      if (JSON.stringify(writes).includes('"active"')) throw Unavailable('The table did not answer, try again.');
    };
    const { request, make } = createFront({}, { ...platform, table: { ...platform.table, write } });
    const id = await make();
    expect((await request(`PUT /v2/images/${id}/file`, data)).status).toBe(503);
    expect((await request(`GET /v2/images/${id}`)).body).toMatchObject({ status: 'active', size: bytes.length });
    expect(platform.objects.keys()).toHaveLength(1);
    expect((await request(`GET /v2/images/${id}/file`)).status).toBe(302);
  });

  it('is refused while another is at it, and takes over from one that has died', async () => {
    const clock = createVirtualClock();
    const platform = createMemoryPlatform({ clock });
    let stored: (() => void) | undefined;
    const put: typeof platform.objects.put = async (key, body) => {
      await platform.objects.put(key, body);
      if (!stored) await new Promise<void>((resolve) => (stored = resolve));
    };
    const { request, make } = createFront({}, { ...platform, objects: { ...platform.objects, put } });
    const id = await make();
    const late = request(`PUT /v2/images/${id}/file`, { ...data, body: 'late' });
    await expect.poll(() => stored).toBeDefined();
    expect((await request(`PUT /v2/images/${id}/file`, data)).status).toBe(409);
    clock.advance(61_000);
    expect((await request(`PUT /v2/images/${id}/file`, data)).status).toBe(204);
    stored!();
    expect((await late).status).toBe(410);
    expect((await request(`GET /v2/images/${id}`)).body).toMatchObject({ status: 'active', size: bytes.length });
    expect(platform.objects.keys()).toHaveLength(1);
  });
});

describe('PUT stage', () => {
  it('keeps the data until the import', async () => {
    const { request, make } = createFront();
    const id = await make();
    expect((await request(`PUT /v2/images/${id}/stage`, data)).status).toBe(204);
    expect((await request(`GET /v2/images/${id}`)).body).toMatchObject({ status: 'uploading', os_hash_value: null });
    const body = { method: { name: 'glance-direct' } };
    expect((await request(`POST /v2/images/${id}/import`, { body })).status).toBe(202);
    expect((await request(`GET /v2/images/${id}`)).body).toMatchObject({
      status: 'active',
      size: bytes.length,
      os_hash_value: hash('sha512'),
    });
  });
});

describe('a link to upload', () => {
  const wanted = { os_hash_algo: 'sha256', os_hash_value: hash('sha256') };
  const complete = { body: { method: { name: 'glance-direct' } } };

  it('takes this data and nothing else, and the import makes the image of it', async () => {
    const { request, make, platform } = createFront();
    const id = await make();
    const { status, body: link } = await request(`POST /v2/images/${id}/upload`, { body: wanted });
    expect([status, link.method]).toEqual([200, 'PUT']);
    expect((await request(`POST /v2/images/${id}/import`, complete)).status).toBe(409);
    const send = async (content: Buffer, headers: Record<string, string>) =>
      (await platform.objects.request('PUT', link.upload_url, content, headers)).status;
    expect(await send(Buffer.from('other data'), link.headers)).toBe(400);
    expect(await send(bytes, {})).toBe(403);
    expect(platform.objects.keys()).toEqual([]);
    expect(await send(bytes, link.headers)).toBe(200);
    expect((await request(`POST /v2/images/${id}/import`, complete)).status).toBe(202);
    expect((await request(`GET /v2/images/${id}`)).body).toMatchObject({
      status: 'active',
      size: bytes.length,
      ...wanted,
    });
  });

  it('may be asked for again; what came by the one before is removed', async () => {
    const { request, make, platform } = createFront();
    const id = await make();
    const first = (await request(`POST /v2/images/${id}/upload`, { body: wanted })).body;
    await platform.objects.request('PUT', first.upload_url, bytes, first.headers);
    const second = (await request(`POST /v2/images/${id}/upload`, { body: { os_hash_value: wanted.os_hash_value } }))
      .body;
    expect([platform.objects.keys(), second.upload_url === first.upload_url]).toEqual([[], false]);
  });

  it('works for an hour', async () => {
    const clock = createVirtualClock();
    const { request, make, platform } = createFront({}, createMemoryPlatform({ clock }));
    const { body: link } = await request(`POST /v2/images/${await make()}/upload`, { body: wanted });
    expect(Date.parse(link.expires_at) - clock.now()).toBe(3_600_000);
    clock.advance(3_600_000);
    expect((await platform.objects.request('PUT', link.upload_url, bytes, link.headers)).status).toBe(403);
  });

  it.each([
    [{}],
    [{ os_hash_value: 'x' }],
    [{ os_hash_value: 'a'.repeat(128) }],
    [{ os_hash_algo: 'sha512', os_hash_value: 'a'.repeat(128) }],
    [{ ...wanted, key: 'images/other' }],
    [[]],
  ])('is not made for %j', async (body) => {
    const { request, make, platform } = createFront();
    expect((await request(`POST /v2/images/${await make()}/upload`, { body })).status).toBe(400);
    expect(platform.objects.keys()).toEqual([]);
  });

  it('is for the owner alone', async () => {
    const { request, make } = createFront();
    const id = await make({ visibility: 'community' });
    const asked = async (subject: Record<string, string>) =>
      (await request(`POST /v2/images/${id}/upload`, { body: wanted, subject })).status;
    expect([await asked(bob), await asked(tenant('amy', 'red', 'reader')), await asked(root)]).toEqual([403, 403, 200]);
  });
});

describe('GET file', () => {
  it('leads to the data, by a link', async () => {
    const { request, make, platform } = createFront();
    const id = await make();
    await request(`PUT /v2/images/${id}/file`, data);
    const { status, headers, text } = await request(`GET /v2/images/${id}/file`);
    expect([status, text]).toEqual([302, '']);
    const { body } = await platform.objects.request('GET', headers['Location']!);
    expect(Buffer.from(body!).equals(bytes)).toBe(true);
    const told = (await request(`GET /v2/images/${id}/download`)).body;
    expect((await platform.objects.request('GET', told.download_url)).status).toBe(200);
  });

  it('is nothing before there is data, and refused for data at a URL', async () => {
    const { request, make } = createFront();
    const id = await make({ image_checksum: 'a'.repeat(64) });
    expect((await request(`GET /v2/images/${id}/file`)).status).toBe(204);
    const body = { method: { name: 'web-download', uri: 'https://images.example.org/x' } };
    await request(`POST /v2/images/${id}/import`, { body });
    const { status, text } = await request(`GET /v2/images/${id}/file`);
    expect([status, text.includes('images.example.org')]).toEqual([403, false]);
  });

  it('is for administrators once the image is deactivated', async () => {
    const { request, make } = createFront();
    const id = await make();
    await request(`PUT /v2/images/${id}/file`, data);
    await request(`POST /v2/images/${id}/actions/deactivate`, { subject: root });
    const asked = async (subject: Record<string, string>) =>
      (await request(`GET /v2/images/${id}/file`, { subject })).status;
    expect([await asked(ann), await asked(root)]).toEqual([403, 302]);
  });
});

describe('DELETE', () => {
  it('removes the data with the image', async () => {
    const { request, make, platform } = createFront();
    const id = await make();
    await request(`PUT /v2/images/${id}/file`, data);
    expect((await request(`DELETE /v2/images/${id}`)).status).toBe(204);
    expect(platform.objects.keys()).toEqual([]);
    expect((await request('GET /v2/images?visibility=all', { subject: root })).body.images).toEqual([]);
  });

  it('that was cut off hides the image, and is done by the next one', async () => {
    const platform = createMemoryPlatform();
    let isDown = true;
    const remove = async (key: string) => {
      if (isDown) throw Unavailable('The bucket could not be reached, try again.');
      await platform.objects.remove(key);
    };
    const { request, make } = createFront({}, { ...platform, objects: { ...platform.objects, remove } });
    const id = await make();
    await request(`PUT /v2/images/${id}/file`, data);
    expect((await request(`DELETE /v2/images/${id}`)).status).toBe(503);
    expect((await request(`GET /v2/images/${id}`)).status).toBe(404);
    expect((await request('GET /v2/images')).body.images).toEqual([]);
    expect((await request(`PUT /v2/images/${id}/file`, data)).status).toBe(404);
    isDown = false;
    expect((await request(`DELETE /v2/images/${id}`, { subject: bob })).status).toBe(404);
    expect((await request(`DELETE /v2/images/${id}`)).status).toBe(204);
    expect((await request(`DELETE /v2/images/${id}`)).status).toBe(404);
    expect(platform.objects.keys()).toEqual([]);
  });

  it('leaves its ID to nobody: who knew the image by it would get data of somebody else', async () => {
    const { request, make } = createFront();
    const id = await make();
    await request(`DELETE /v2/images/${id}`);
    const again = await request('POST /v2/images', { body: { id, name: 'debian' }, subject: bob });
    expect([again.status, again.text]).toEqual([409, expect.stringContaining(`Image ID ${id} already exists!`)]);
  });

  it('of an image that a link was made for removes what came by it', async () => {
    const { request, make, platform } = createFront();
    const id = await make();
    const { body: link } = await request(`POST /v2/images/${id}/upload`, { body: { os_hash_value: hash('sha256') } });
    await platform.objects.request('PUT', link.upload_url, bytes, link.headers);
    expect((await request(`DELETE /v2/images/${id}`, { subject: service })).status).toBe(403);
    await request(`DELETE /v2/images/${id}`);
    expect(platform.objects.keys()).toEqual([]);
  });
});
