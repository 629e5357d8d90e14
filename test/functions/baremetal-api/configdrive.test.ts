import { gzipSync } from 'node:zlib';

import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';

import { buildConfigdrive } from '../../../layers/configdrive/index.ts';
import { provisionStates, transitions, verbs, type Verb } from '../../../layers/domain/states.ts';
import { createFrontWithNodes, imageInfo, type Front } from './node/stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const MiB = 1024 * 1024;
const encode = (image: Uint8Array) => gzipSync(image).toString('base64');
const image = new Uint8Array(4096).fill(7);

/** The object a node refers to, if it is there. */
const stored = async (uuid: string) => {
  const value = String((await front.read(uuid)).instance_info['configdrive']);
  expect(value).toMatch(new RegExp(`^object:configdrives/${uuid}/`));
  return front.ports.objects.get(value.slice('object:'.length));
};

describe('the three forms', () => {
  it('base64(gzip(image)) is stored as the raw image, white space and all', async () => {
    const { uuid } = await front.store();
    const text = encode(image).replace(/(.{20})/g, '$1\n');
    expect((await front.provision(uuid, 'active', { configdrive: text })).status).toBe(202);
    expect(await stored(uuid)).toEqual(image);
  });

  it('an http(s) URL is kept as it is', async () => {
    const { uuid } = await front.store();
    const configdrive = 'https://drives.test/1?signature=x';
    expect((await front.provision(uuid, 'active', { configdrive })).status).toBe(202);
    expect((await front.read(uuid)).instance_info).toEqual({ configdrive });
    expect(front.ports.objects.keys()).toEqual([]);
  });

  it('an object of documents becomes an ISO image with the defaults of the node', async () => {
    const { uuid } = await front.store({ name: 'rack-1' });
    const configdrive = {
      meta_data: { hostname: 'h' },
      user_data: '#cloud-config\n',
      network_data: {},
      vendor_data: { a: 1 },
    };
    expect((await front.provision(uuid, 'active', { configdrive })).status).toBe(202);
    expect(await stored(uuid)).toEqual(Uint8Array.from(buildConfigdrive(configdrive, { uuid, name: 'rack-1' })));
  });

  it.each([null, '', {}])('%j is none, as in Ironic, also with other targets', async (configdrive) => {
    const { uuid } = await front.store();
    expect((await front.provision(uuid, 'manage', { configdrive })).status).toBe(202);
    expect((await front.read(uuid)).instance_info).toEqual({});
  });
});

describe('targets and versions', () => {
  const others = (Object.keys(verbs) as Verb[]).filter((verb) => verb !== 'active' && verb !== 'rebuild');
  const stateFor = (verb: Verb) => provisionStates.find((state) => verbs[verb].event in transitions[state])!;

  it.each(others)('with %s: 400, nothing stored, node unchanged', async (verb) => {
    const node = await front.store({ provision_state: stateFor(verb) });
    for (const configdrive of [encode(image), 'https://drives.test/1', { meta_data: { a: 1 } }]) {
      expect(await front.provision(node.uuid, verb, { configdrive })).toMatchObject({
        status: 400,
        error: 'Adding a config drive is only supported when setting provision state to active, rebuild.',
      });
    }
    expect(await front.read(node.uuid)).toEqual(node);
    expect(front.ports.objects.keys()).toEqual([]);
  });

  it.each([
    ['rebuild', 'active', encode(image), 35],
    ['active', 'available', { meta_data: { a: 1 } }, 56],
    ['active', 'available', { meta_data: { a: 1 }, vendor_data: { b: 2 } }, 59],
  ] as const)('%s: a form that is too new is 400, not 406', async (verb, state, configdrive, since) => {
    const { uuid } = await front.store({ provision_state: state });
    expect((await front.provision(uuid, verb, { configdrive }, `1.${since - 1}`)).status).toBe(400);
    expect(front.ports.objects.keys()).toEqual([]);
    expect((await front.provision(uuid, verb, { configdrive }, `1.${since}`)).status).toBe(202);
  });

  it('the state is checked before the configdrive', async () => {
    const { uuid } = await front.store({ provision_state: 'enroll' });
    const answer = await front.provision(uuid, 'active', { configdrive: '!' });
    expect(answer).toMatchObject({ status: 400, error: expect.stringContaining('in state "enroll"') });
  });
});

describe('what cannot be used is 400 and leaves nothing behind', () => {
  const tooLarge = encode(new Uint8Array(64 * MiB + 1));

  it.each([
    ['not base64', 'a configdrive!', 'neither a URL nor base64'],
    ['base64 cut off', 'H4sIAA', 'neither a URL nor base64'],
    ['base64 of something else', Buffer.from('hello').toString('base64'), 'not a gzip file'],
    ['a cut-off gzip file', gzipSync(image).subarray(0, 20).toString('base64'), 'not a gzip file'],
    ['nothing, zipped', encode(new Uint8Array()), 'empty'],
    ['more than 64 MiB unzipped', tooLarge, '64 MiB'],
    ['an FTP URL', 'ftp://drives.test/1', 'http or https'],
    ['a broken URL', 'https://', 'http or https'],
    ['a list', [1], 'must be an object'],
    ['a number', 7, 'must be an object'],
    ['an unknown document', { meta: {} }, 'meta'],
    ['documents of the wrong kind', { meta_data: 'x' }, 'configdrive.meta_data'],
    ['documents that are too large', { user_data: 'x'.repeat(64 * MiB - 1000) }, '64 MiB'],
  ])('%s', async (_what, configdrive, error) => {
    const node = await front.store();
    const answer = await front.provision(node.uuid, 'active', { configdrive });
    expect(answer).toMatchObject({ status: 400, error: expect.stringContaining(error) });
    expect(await front.read(node.uuid)).toEqual(node);
    expect(front.ports.objects.keys()).toEqual([]);
    expect(JSON.stringify(front.ports.log.lines)).not.toContain('configdrive');
  });

  it('any text is a 400 or the image that it encodes, never a 500', async () => {
    const node = await front.store();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ minLength: 1 }), fc.base64String({ minLength: 4 })),
        async (configdrive) => {
          const answer = await front.provision(node.uuid, 'active', { configdrive });
          expect(answer.status).toBe(400);
        },
      ),
    );
  });

  it('a request that is refused after the image was stored removes it again', async () => {
    const { uuid } = await front.store({ driver: 'redfish' });
    expect((await front.provision(uuid, 'active', { configdrive: encode(image) })).status).toBe(400);
    expect(front.ports.objects.keys()).toEqual([]);
  });
});

describe('replacing', () => {
  it('rebuild with a new one removes the old object, without one keeps it', async () => {
    const { uuid } = await front.store();
    await front.provision(uuid, 'active', { configdrive: encode(image) });
    const first = front.ports.objects.keys();
    const settle = { provision_state: 'active', reservation: null, run: null };
    await front.ports.table.write([{ update: { pk: `node#${uuid}`, sk: 'node' }, set: settle }]);
    await front.provision(uuid, 'rebuild');
    expect(front.ports.objects.keys()).toEqual(first);
    await front.ports.table.write([{ update: { pk: `node#${uuid}`, sk: 'node' }, set: settle }]);
    await front.provision(uuid, 'rebuild', { configdrive: encode(new Uint8Array(10)) });
    expect(front.ports.objects.keys()).toHaveLength(1);
    expect(front.ports.objects.keys()).not.toEqual(first);
    expect(await stored(uuid)).toEqual(new Uint8Array(10));
  });

  it('never removes, nor deploys with, the object of another node', async () => {
    const victim = await front.store();
    await front.provision(victim.uuid, 'active', { configdrive: encode(image) });
    const theirs = (await front.read(victim.uuid)).instance_info['configdrive'];
    const { uuid } = await front.storeReady({ instance_info: { ...imageInfo, configdrive: theirs } });
    expect(await front.provision(uuid, 'active')).toMatchObject({
      status: 400,
      error: expect.stringContaining('instance_info.configdrive'),
    });
    expect((await front.provision(uuid, 'active', { configdrive: encode(image) })).status).toBe(202);
    expect(await stored(victim.uuid)).toEqual(image);
  });
});
