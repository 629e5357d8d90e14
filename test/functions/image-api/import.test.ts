/** Data at URLs: who says one has to say its hash, and some URLs are refused. */
import { describe, expect, it } from 'vitest';

import { ann, bob, createFront, root, service, tenant } from './front.ts';

const sha256 = 'a'.repeat(64);
const sha512 = 'B'.repeat(128);
const uri = 'https://images.example.org/debian.qcow2';
const webDownload = (url: unknown = uri) => ({ method: { name: 'web-download', uri: url } });

describe('web-download', () => {
  const { request, make } = createFront();
  const imported = async (given: object, body: object = webDownload()) => {
    const id = await make(given);
    const answer = await request(`POST /v2/images/${id}/import`, { body });
    return { answer, image: (await request(`GET /v2/images/${id}`)).body };
  };

  it.each([
    ['image_checksum', sha256, 'sha256'],
    ['image_checksum', sha512, 'sha512'],
    ['owner_specified.openstack.sha256', sha256, 'sha256'],
    ['owner_specified.shade.sha256', sha256, 'sha256'],
  ])('takes the hash that the property %s says', async (name, value, algorithm) => {
    const { answer, image } = await imported({ [name]: value });
    expect([answer.status, answer.text]).toEqual([202, '']);
    expect(image).toMatchObject({ status: 'active', os_hash_algo: algorithm, os_hash_value: value.toLowerCase() });
  });

  it('takes the URL of a checksum file, which is for agents to read', async () => {
    const { answer, image } = await imported({ image_checksum: 'https://sums.example.org/SHA256SUMS' });
    expect(answer.status).toBe(202);
    expect(image).toMatchObject({ status: 'active', os_hash_value: null });
  });

  it.each([
    ['no checksum', {}, 'image_checksum'],
    ['an empty one, as openstacksdk sends it', { 'owner_specified.openstack.sha256': '' }, 'image_checksum'],
    ['an MD5', { image_checksum: 'a'.repeat(32) }, 'SHA-256'],
    ['no hexadecimal', { image_checksum: 'x'.repeat(64) }, 'SHA-256'],
    ['a checksum file that nobody can fetch', { image_checksum: 'file:///etc/SHA256SUMS' }, 'http or https'],
    ['a checksum file at an address of ours', { image_checksum: 'http://10.0.0.1/SHA256SUMS' }, 'image_networks'],
  ])('leaves an image queued that comes with %s', async (_what, given, words) => {
    const { answer, image } = await imported(given);
    expect([answer.status, image.status]).toEqual([400, 'queued']);
    expect(answer.text).toContain(words);
  });

  it('shows nobody where the data is, not even its owner', async () => {
    const { image } = await imported({ image_checksum: sha256, visibility: 'community' });
    for (const subject of [ann, bob, root, service]) {
      const { text } = await request(`GET /v2/images/${image.id}`, { subject });
      expect(text).not.toContain('images.example.org');
    }
    const list = await request('GET /v2/images?visibility=all', { subject: root });
    expect(list.text).not.toContain('images.example.org');
  });

  it('takes what clients say of several stores, as long as it is none', async () => {
    const more = { all_stores: false, all_stores_must_succeed: true, stores: [] };
    expect((await imported({ image_checksum: sha256 }, { ...webDownload(), ...more })).answer.status).toBe(202);
    expect((await imported({ image_checksum: sha256 }, { ...webDownload(), stores: ['s1'] })).answer.status).toBe(400);
  });

  it.each([
    [[]],
    [{ method: 'web-download' }],
    [{ method: { name: 5 } }],
    [{ method: { name: 'copy-image' } }],
    [webDownload(5)],
  ])('refuses the body %j', async (body) => {
    expect((await imported({ image_checksum: sha256 }, body)).answer.status).toBe(400);
  });
});

describe('a URL', () => {
  const { request, make } = createFront({ INGOT_IMAGE_NETWORKS: '192.168.7.0/24' });
  const ask = async (url: unknown, subject: Record<string, string> = ann) => {
    const id = await make({ image_checksum: sha256, visibility: 'shared' });
    return request(`POST /v2/images/${id}/import`, { body: webDownload(url), subject });
  };

  it.each([
    'file:///etc/passwd',
    'ftp://images.example.org/x',
    'images.example.org/x',
    '',
    'https://user:secret@images.example.org/x',
    'https://user@images.example.org/x',
    'https://images.example.org/x#part',
    'https://images.example.org/folder/',
    `https://images.example.org/${'x'.repeat(2100)}`,
    'http://127.0.0.1/x',
    'http://localhost/x',
    'http://a.localhost./x',
    'http://2130706433/x',
    'http://0x7f.1/x',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/x',
    'http://[::ffff:127.0.0.1]/x',
    'http://[fd00:ec2::254]/x',
    'http://[fe80::1]/x',
    'http://0.0.0.0/x',
    'http://224.0.0.1/x',
  ])('%s is nobody to go to', async (url) => {
    for (const subject of [ann, root]) {
      const { status, text } = await ask(url, subject);
      expect([status, text]).toEqual([400, text]);
      expect(text).not.toContain('secret');
    }
  });

  it.each(['http://10.0.0.7/x', 'http://172.16.1.1/x', 'http://192.168.1.1/x', 'http://[fc00::1]/x'])(
    'with the private address of %s is for administrators',
    async (url) => {
      expect((await ask(url)).status).toBe(400);
      expect((await ask(url, root)).status).toBe(202);
    },
  );

  it('in a network that the operator opened is for everybody, as are public ones', async () => {
    for (const url of ['http://192.168.7.9/x', 'http://9.9.9.9/x?a=b', 'http://[2620:fe::9]/x', uri]) {
      expect([url, (await ask(url)).status]).toEqual([url, 202]);
    }
  });
});

describe('locations', () => {
  const { request, make } = createFront();
  const add = async (body: object, subject: Record<string, string> = ann) => {
    const id = await make();
    return { id, ...(await request(`POST /v2/images/${id}/locations`, { body, subject })) };
  };

  it('are added with their hash, as openstacksdk sends it', async () => {
    const { id, status } = await add({ url: uri, validation_data: { os_hash_algo: 'sha512', os_hash_value: sha512 } });
    expect(status).toBe(202);
    const { body } = await request(`GET /v2/images/${id}`);
    expect(body).toMatchObject({ status: 'active', os_hash_algo: 'sha512', os_hash_value: sha512.toLowerCase() });
  });

  it.each([
    [{ url: uri }],
    [{ url: uri, validation_data: {} }],
    [{ url: uri, validation_data: null }],
    [{ url: uri, validation_data: { os_hash_algo: 'sha256' } }],
    [{ url: uri, validation_data: { os_hash_algo: 'sha512', os_hash_value: sha256 } }],
    [{ url: uri, validation_data: { os_hash_algo: 'md5', os_hash_value: 'a'.repeat(32) } }],
    [{ url: 'file:///x', validation_data: { os_hash_algo: 'sha256', os_hash_value: sha256 } }],
    [{ url: 5 }],
  ])('are refused as %j', async (body) => {
    const { id, status } = await add(body);
    expect(status).toBe(400);
    expect((await request(`GET /v2/images/${id}`)).body.status).toBe('queued');
  });

  it('are told to services and administrators alone', async () => {
    const { id } = await add({ url: uri, validation_data: { os_hash_algo: 'sha256', os_hash_value: sha256 } });
    const at = `GET /v2/images/${id}/locations`;
    for (const subject of [service, root, tenant('ironic', 'services', 'service')]) {
      expect((await request(at, { subject })).body).toEqual([{ url: uri, metadata: {} }]);
    }
    expect((await request(at)).status).toBe(403);
    expect((await request(at, { subject: bob })).status).toBe(404);
  });

  it('of an image without data are none', async () => {
    expect((await request(`GET /v2/images/${await make()}/locations`, { subject: service })).body).toEqual([]);
  });
});
