import { gzipSync } from 'node:zlib';

import { beforeEach, describe, expect, it } from 'vitest';

import { decodeConfigdrive } from '../../../../simulator/agent/configdrive.ts';
import { createFrontWithNodes, type Front } from './stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const MiB = 1024 * 1024;
const image = new Uint8Array(4096).fill(7);
const gzip = gzipSync(image);

type Upload = { readonly upload_url: string; readonly configdrive: string; readonly expires_at: string };

const ask = async (uuid: string, size = gzip.byteLength): Promise<Upload> => {
  const { status, body } = await front.request(`POST /v1/nodes/${uuid}/configdrive`, { body: { size } });
  expect(status).toBe(201);
  return body as Upload;
};

/** A node, and an upload of `bytes` for it. */
const upload = async (bytes: Uint8Array) => {
  const { uuid } = await front.store();
  const { upload_url, configdrive } = await ask(uuid, bytes.byteLength);
  expect((await front.platform.objects.request('PUT', upload_url, bytes)).status).toBe(200);
  return { uuid, configdrive };
};

/** The image that an agent makes of the object that the node refers to. */
const stored = async (uuid: string) => {
  const key = String((await front.read(uuid)).instance_info['configdrive']).slice('object:'.length);
  return Uint8Array.from(decodeConfigdrive({ bytes: Buffer.from((await front.platform.objects.get(key))!) }, uuid));
};

describe('an uploaded configdrive', () => {
  it.each([
    ['gzip', gzip],
    ['base64 of gzip, with line breaks', Buffer.from(gzip.toString('base64').replace(/(.{20})/g, '$1\n'))],
  ])('is taken as %s by its name, and the upload is removed', async (_form, bytes) => {
    const { uuid, configdrive } = await upload(bytes);
    expect((await front.provision(uuid, 'active', { configdrive })).status).toBe(202);
    expect(await stored(uuid)).toEqual(image);
    expect(front.platform.objects.keys()).toHaveLength(1);
  });

  it('cannot be changed any more by who still has the link', async () => {
    const { uuid } = await front.store();
    const { upload_url, configdrive } = await ask(uuid);
    await front.platform.objects.request('PUT', upload_url, gzip);
    await front.provision(uuid, 'active', { configdrive });
    const again = await front.platform.objects.request(
      'PUT',
      upload_url,
      gzip.map((byte) => byte + 1),
    );
    expect(again.status).toBe(200);
    expect(await stored(uuid)).toEqual(image);
  });

  it('can be passed again when the request was refused', async () => {
    const { uuid, configdrive } = await upload(gzip);
    await front.force(uuid, { reservation: 'somebody' });
    expect((await front.provision(uuid, 'active', { configdrive })).status).toBe(409);
    await front.force(uuid, { reservation: null });
    expect((await front.provision(uuid, 'active', { configdrive })).status).toBe(202);
  });

  it('is not there before it is uploaded, nor after it was used, nor for another node', async () => {
    const { uuid } = await front.store();
    const early = await front.provision(uuid, 'active', { configdrive: (await ask(uuid)).configdrive });
    expect([early.status, early.error]).toEqual([
      400,
      expect.stringContaining('names an upload that this node does not'),
    ]);
    const { uuid: owner, configdrive } = await upload(gzip);
    expect((await front.provision(uuid, 'active', { configdrive })).status).toBe(400);
    expect((await front.provision(owner, 'active', { configdrive })).status).toBe(202);
    await front.force(owner, { provision_state: 'active', reservation: null });
    expect((await front.provision(owner, 'rebuild', { configdrive })).status).toBe(400);
  });

  it.each([
    ['no gzip', Buffer.from('PK\u0003\u0004 a zip'), 'neither gzip nor base64 text'],
    ['a gzip that breaks off', gzip.subarray(0, 20), 'not a gzip file'],
    ['larger than 64 MiB when unpacked', gzipSync(Buffer.alloc(64 * MiB + 1)), 'uncompressed'],
  ])('that is %s is refused, and nothing changes', async (_what, bytes, words) => {
    const { uuid, configdrive } = await upload(bytes);
    const { status, error } = await front.provision(uuid, 'active', { configdrive });
    expect([status, error]).toEqual([400, expect.stringContaining(words)]);
    expect((await front.read(uuid)).provision_state).toBe('available');
  });

  it.each(['upload:', 'upload:../x', `upload:${'0'.repeat(25)}`, 'upload:01J/../../other/01J000000000000'])(
    '%j is no name of one',
    async (configdrive) => {
      const { uuid } = await front.store();
      expect((await front.provision(uuid, 'active', { configdrive })).status).toBe(400);
    },
  );
});

describe('the link to upload', () => {
  it('says when it expires, and is refused from then on', async () => {
    const { uuid } = await front.store();
    const { upload_url, expires_at } = await ask(uuid);
    expect(Date.parse(expires_at) - front.platform.clock.now()).toBe(15 * 60 * 1000);
    front.platform.clock.advance(15 * 60 * 1000);
    expect((await front.platform.objects.request('PUT', upload_url, gzip)).status).toBe(403);
  });

  it('is for a file of the size that was said, and for none that no configdrive has', async () => {
    const { uuid } = await front.store();
    const { upload_url } = await ask(uuid, 10);
    expect((await front.platform.objects.request('PUT', upload_url, gzip)).status).toBe(403);
    expect(front.platform.objects.keys()).toEqual([]);
    for (const body of [undefined, {}, { size: 0 }, { size: 64 * MiB + 1 }, { size: '10' }]) {
      const { status } = await front.request(`POST /v1/nodes/${uuid}/configdrive`, body && { body });
      expect([body, status]).toEqual([body, 400]);
    }
    expect((await front.request(`POST /v1/nodes/${uuid}/configdrive`, { body: { size: 64 * MiB } })).status).toBe(201);
  });

  it('is for who may set the provision state', async () => {
    const { uuid } = await front.store();
    const reader = { user: 'r', project: '', roles: 'reader', scope: 'system' };
    expect((await front.request(`POST /v1/nodes/${uuid}/configdrive`, { subject: reader })).status).toBe(403);
    expect((await front.request('POST /v1/nodes/nobody/configdrive')).status).toBe(404);
  });

  it('is in no line of the log', async () => {
    const { uuid } = await front.store();
    const { upload_url } = await ask(uuid);
    expect(JSON.stringify(front.platform.log.lines)).not.toContain(upload_url);
  });
});
