import { gzipSync } from 'node:zlib';

import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { withoutTrail } from '../../fakes/trail.ts';

import { create as sync } from '../../../functions/sync/app.ts';
import { readConfigdrive, storeConfigdrive } from '../../../functions/baremetal-api/configdrive.ts';
import { buildConfigdrive, type ConfigdriveDocuments } from '../../../layers/configdrive/index.ts';
import { Unavailable } from '../../../layers/domain/fault.ts';
import { provisionStates, transitions } from '../../../layers/domain/baremetal/transitions.ts';
import { verbs, type Verb } from '../../../layers/domain/baremetal/verbs.ts';
import { decodeConfigdrive } from '../../../simulator/agent/configdrive.ts';
import { configdriveLink } from '../../../workflows/owners/node/instance-media.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { aNode } from '../../workflows/nodes.ts';
import { createFrontWithNodes, imageInfo, type Front } from './node/stored.ts';
import { createSystem } from './node/system.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const MiB = 1024 * 1024;
const encode = (image: Uint8Array) => gzipSync(image).toString('base64');
const image = new Uint8Array(4096).fill(7);
const withTail = (...tail: (string | Buffer)[]) =>
  Buffer.concat([gzipSync(image), ...tail.map((part) => Buffer.from(part))]).toString('base64');

/** The object a node refers to. */
const object = async (uuid: string) => {
  const value = String((await front.read(uuid)).instance_info['configdrive']);
  expect(value).toMatch(new RegExp(`^object:configdrives/${uuid}/`));
  return Buffer.from((await front.platform.objects.get(value.slice('object:'.length)))!);
};

/** The image that an agent makes of the object a node refers to. */
const stored = async (uuid: string) => Uint8Array.from(decodeConfigdrive({ bytes: await object(uuid) }, uuid));

describe('the three forms', () => {
  it('base64(gzip(image)) is stored as it came, white space and all', async () => {
    const { uuid } = await front.store();
    const text = encode(image).replace(/(.{20})/g, '$1\n');
    expect((await front.provision(uuid, 'active', { configdrive: text })).status).toBe(202);
    expect((await object(uuid)).toString()).toBe(text);
    expect(await stored(uuid)).toEqual(image);
  });

  it('an http(s) URL is kept as it is', async () => {
    const { uuid } = await front.store();
    const configdrive = 'https://drives.test/1?signature=x';
    expect(await front.provision(uuid, 'active', { configdrive })).toMatchObject({ status: 202 });
    expect((await front.read(uuid)).instance_info).toEqual({ configdrive });
    expect(front.platform.objects.keys()).toEqual([]);
  });

  it('an object of documents becomes an ISO image with the defaults of the node', async () => {
    const { uuid } = await front.store({ name: 'rack-1' });
    const configdrive = {
      meta_data: { hostname: 'h' },
      user_data: '#cloud-config\n',
      network_data: {},
      vendor_data: { a: 1 },
    };
    expect(await front.provision(uuid, 'active', { configdrive })).toMatchObject({ status: 202 });
    expect(await stored(uuid)).toEqual(Uint8Array.from(buildConfigdrive(configdrive, { uuid, name: 'rack-1' })));
    expect((await object(uuid)).toString()).toMatch(/^H4sI[A-Za-z0-9+/]+=*$/);
  });

  it.each([null, '', {}])('%j is none, as in Ironic, also with other targets', async (configdrive) => {
    const { uuid } = await front.store();
    expect((await front.provision(uuid, 'manage', { configdrive })).status).toBe(202);
    expect((await front.read(uuid)).instance_info).toEqual({});
  });
});

describe('an agent reads what is stored, byte for byte', () => {
  const base64 = fc.uint8Array({ minLength: 60, maxLength: 100 }).map((key) => Buffer.from(key).toString('base64'));
  const keys = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.tuple(base64, base64).map(([a, b]) => `ssh-rsa ${a}${b} me@host`),
    {
      maxKeys: 3,
    },
  );
  // The schema of documents leaves this one out, so the drive is not that of the request.
  const name = fc.string().filter((given) => given !== '__proto__');
  const script = fc
    .array(
      fc.tuple(fc.stringMatching(/^[A-Z_]{1,6}$/), fc.oneof(fc.nat().map(String), fc.string({ unit: 'grapheme' }))),
    )
    .map((lines) => ['#!/bin/sh', ...lines.map(([name, value]) => `${name}=${value}`), ''].join('\n'));
  const documents: fc.Arbitrary<ConfigdriveDocuments> = fc.record(
    {
      meta_data: fc.record(
        { hostname: fc.domain(), public_keys: keys, extra: fc.string({ unit: 'grapheme' }) },
        { requiredKeys: ['hostname'] },
      ),
      user_data: fc.oneof(script, fc.string({ unit: 'grapheme', maxLength: 5000 })),
      network_data: fc.dictionary(name, fc.jsonValue(), { maxKeys: 3 }),
      vendor_data: fc.dictionary(name, fc.jsonValue(), { maxKeys: 2 }),
    },
    { requiredKeys: ['meta_data'] },
  );
  const upload = async (uuid: string, form: string, drive: Uint8Array) => {
    const bytes = form === 'upload' ? gzipSync(drive) : Buffer.from(encode(drive));
    const asked = { body: { size: bytes.byteLength } };
    const { body } = await front.request(`POST /v1/nodes/${uuid}/configdrive`, asked);
    const { upload_url, configdrive } = body as { upload_url: string; configdrive: string };
    await front.platform.objects.request('PUT', upload_url, bytes);
    return configdrive;
  };

  it('of thousands of drives', async () => {
    const platform = createMemoryPlatform();
    const node = aNode();
    await fc.assert(
      fc.asyncProperty(documents, async (given) => {
        const value = await storeConfigdrive(platform, node.uuid, (await readConfigdrive(platform, given, node))!);
        const key = value.slice('object:'.length);
        const bytes = Buffer.from((await platform.objects.get(key))!);
        await platform.objects.remove(key);
        expect(decodeConfigdrive({ bytes }, node.uuid).equals(buildConfigdrive(given, node))).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('of some that came in by each form through the API', async () => {
    await fc.assert(
      fc.asyncProperty(
        documents,
        fc.constantFrom('documents', 'text', 'upload', 'upload of text'),
        async (given, form) => {
          const { uuid, name } = await front.store();
          const drive = buildConfigdrive(given, { uuid, name });
          const configdrive =
            form === 'documents' ? given : form === 'text' ? encode(drive) : await upload(uuid, form, drive);
          expect(await front.provision(uuid, 'active', { configdrive })).toMatchObject({ status: 202 });
          expect(Buffer.compare(await stored(uuid), drive)).toBe(0);
        },
      ),
      { numRuns: 100 },
    );
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
    expect(front.platform.objects.keys()).toEqual([]);
  });

  it.each([
    ['rebuild', 'active', encode(image), 35],
    ['active', 'available', { meta_data: { a: 1 } }, 56],
    ['active', 'available', { meta_data: { a: 1 }, vendor_data: { b: 2 } }, 59],
  ] as const)('%s: a form that is too new is 400, not 406', async (verb, state, configdrive, since) => {
    const { uuid } = await front.store({ provision_state: state });
    expect((await front.provision(uuid, verb, { configdrive }, `1.${since - 1}`)).status).toBe(400);
    expect(front.platform.objects.keys()).toEqual([]);
    expect((await front.provision(uuid, verb, { configdrive }, `1.${since}`)).status).toBe(202);
  });

  it('the state is checked before the configdrive', async () => {
    const { uuid } = await front.store({ provision_state: 'enroll' });
    const answer = await front.provision(uuid, 'active', { configdrive: '!' });
    expect(answer).toMatchObject({ status: 400, error: expect.stringContaining('in state "enroll"') });
  });
});

describe('text that no agent can read is taken, as by Ironic, and fails the deploy with a sentence:', () => {
  it.each([
    ['not base64', 'a configdrive!', 'neither a URL nor base64'],
    ['base64 cut off', 'H4sIAA', 'neither a URL nor base64'],
    ['base64 of something else', Buffer.from('hello').toString('base64'), 'not a gzip file'],
    ['a cut-off gzip file', gzipSync(image).subarray(0, 20).toString('base64'), 'not a gzip file'],
    ['a gzip file with something behind it', withTail('more'), 'not a gzip file'],
    ['a gzip file with zeros and another one behind it', withTail('\0\0', gzipSync(image)), 'something else behind it'],
    ['nothing, zipped', encode(new Uint8Array()), 'empty'],
    ['an FTP URL', 'ftp://drives.test/1', 'http or https'],
    ['a broken URL', 'https://', 'http or https'],
    ['letters outside ASCII', 'Köln 東京', 'neither a URL nor base64'],
  ])('%s', async (_what, configdrive, flaw) => {
    const system = await createSystem(aNode());
    await system.stage.world.table.write([{ put: { pk: `node#${aNode().uuid}`, sk: 'port#1', address: 'x' } }]);
    await system.provision('active', { configdrive });
    expect(await system.stage.read()).toMatchObject({
      provision_state: 'deploy failed',
      last_error: expect.stringContaining(flaw) as string,
    });
    expect(system.stage.proxy.requests.filter(({ op }) => op === 'vmedia.insert')).toEqual([]);
    // Another one is as good as the first.
    await system.provision('active', { configdrive: 'https://drives.test/1' });
    expect(await system.stage.read()).toMatchObject({ provision_state: 'wait call-back', last_error: null });
  });
});

describe('what cannot be used is 400 and leaves nothing behind', () => {
  const tooLarge = encode(new Uint8Array(64 * MiB + 1));

  it.each([
    ['more than 64 MiB unzipped', tooLarge, '64 MiB'],
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
    expect(front.platform.objects.keys()).toEqual([]);
    expect(withoutTrail(front.platform.log.lines)).toEqual([]);
  });

  it('any text is taken, never a 500, and kept where nobody is shown it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ minLength: 1 }), fc.base64String({ minLength: 4 })),
        async (configdrive) => {
          const node = await front.store();
          expect((await front.provision(node.uuid, 'active', { configdrive })).status).toBe(202);
          const { body } = await front.request(`GET /v1/nodes/${node.uuid}`);
          expect(body.instance_info).toEqual({ configdrive: '******' });
        },
      ),
    );
  });

  it('a request that is refused after the image was stored removes it again', async () => {
    const { uuid } = await front.store({ driver: 'redfish' });
    expect((await front.provision(uuid, 'active', { configdrive: encode(image) })).status).toBe(400);
    expect(front.platform.objects.keys()).toEqual([]);
  });
});

describe('an answer of the table that is lost', () => {
  const losing = (told: Error) => {
    front.platform.table.onWritten = () => {
      front.platform.table.onWritten = undefined;
      throw told;
    };
  };

  it.each([
    ['a fault', Unavailable('The table could not be reached.')],
    ['an error of another kind', new Error('socket hang up')],
  ])('as %s leaves the deploy its configdrive, with which it goes on', async (_kind, told) => {
    const { uuid } = await front.storeReady();
    losing(told);
    const answer = await front.provision(uuid, 'active', { configdrive: { user_data: 'A=1' } });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    // The write was made; sync starts the run that it recorded.
    const node = await front.read(uuid);
    expect(node.provision_state).toBe('deploying');
    await sync(front.platform)({});
    expect(front.platform.workflows.started).toMatchObject([{ workflow: 'deploy', name: node.run }]);
    const link = await configdriveLink(front.platform, node, 'agent', 60);
    const { status, body } = await front.platform.objects.request('GET', link!);
    expect(status).toBe(200);
    expect(decodeConfigdrive({ bytes: Buffer.from(body!) }, uuid)).toEqual(
      Buffer.from(buildConfigdrive({ user_data: 'A=1' }, node)),
    );
  });

  it('leaves the upload to be passed again, if the write was not made', async () => {
    const { uuid } = await front.storeReady();
    const bytes = gzipSync(image);
    const asked = { body: { size: bytes.byteLength } };
    const { body } = await front.request(`POST /v1/nodes/${uuid}/configdrive`, asked);
    const { upload_url, configdrive } = body as { upload_url: string; configdrive: string };
    await front.platform.objects.request('PUT', upload_url, bytes);
    front.platform.table.onWrite = () => {
      front.platform.table.onWrite = undefined;
      throw Unavailable('The table could not be reached.');
    };
    expect((await front.provision(uuid, 'active', { configdrive })).status).toBe(503);
    expect(await front.provision(uuid, 'active', { configdrive })).toMatchObject({ status: 202 });
    expect(await stored(uuid)).toEqual(image);
  });
});

describe('replacing', () => {
  it('rebuild with a new one removes the old object, without one keeps it', async () => {
    const { uuid } = await front.store();
    await front.provision(uuid, 'active', { configdrive: encode(image) });
    const first = front.platform.objects.keys();
    const settle = { provision_state: 'active', reservation: null, run: null };
    await front.platform.table.write([{ update: { pk: `node#${uuid}`, sk: 'node' }, set: settle }]);
    await front.provision(uuid, 'rebuild');
    expect(front.platform.objects.keys()).toEqual(first);
    await front.platform.table.write([{ update: { pk: `node#${uuid}`, sk: 'node' }, set: settle }]);
    await front.provision(uuid, 'rebuild', { configdrive: encode(new Uint8Array(10)) });
    expect(front.platform.objects.keys()).toHaveLength(1);
    expect(front.platform.objects.keys()).not.toEqual(first);
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
