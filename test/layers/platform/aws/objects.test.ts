import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';

import type { Site } from '../../../../layers/platform/aws/client.ts';
import { createAwsObjects } from '../../../../layers/platform/aws/objects.ts';
import { awsObjects } from '../../../../layers/platform/aws/platform.ts';
import { describeObjects } from '../../../conformance/objects.ts';
import { type Reply, serveS3, type Trouble } from './s3-server.ts';
import { credentials } from './signature.ts';

const region = 'eu-central-1';
const follow = async (
  method: string,
  url: string,
  body?: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
) => {
  const answer = await fetch(url, { method, headers, ...(body && { body: Buffer.from(body) }) });
  return { status: answer.status, body: new Uint8Array(await answer.arrayBuffer()) };
};

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const open = async (script: readonly (Reply | Trouble)[] = [], patience: Pick<Site, 'silence'> = {}) => {
  const { endpoint, seen, close } = await serveS3(...script);
  closers.push(close);
  const site = { endpoint, region, credentials, ...patience };
  return { objects: createAwsObjects({ site, bucket: 'ingot', keyId: 'key-1' }), seen };
};

const failing = (status: number, code: string): Reply => ({ status, body: `<Error><Code>${code}</Code></Error>` });

describeObjects('objects on S3, through the wire', async () => {
  const { endpoint, wait: advance, close } = await serveS3();
  const site = { endpoint, region, credentials };
  return { objects: createAwsObjects({ site, bucket: 'ingot' }), request: follow, wait: advance, close };
});

describe('objects on S3', () => {
  it('are put with the key that encrypts them', async () => {
    const { objects, seen } = await open();
    await objects.put('configdrives/a', new Uint8Array([1]), 'application/x-iso9660-image');
    expect(seen[0]).toMatchObject({
      method: 'PUT',
      path: '/ingot/configdrives/a',
      headers: {
        'content-type': 'application/x-iso9660-image',
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': 'key-1',
      },
    });
  });

  it('may have any character in their keys', async () => {
    const { objects } = await open();
    const key = `inventories/ a b+c&d=e%2F<(é)'*!~?#`;
    await objects.put(key, Buffer.from('x'));
    expect(Buffer.from((await objects.get(key))!).toString()).toBe('x');
    expect((await objects.list('inventories/')).map((one) => one.key)).toEqual([key]);
  });

  it('are listed page by page', async () => {
    const { objects, seen } = await open();
    const keys = ['a', 'b', 'c', 'd', 'e'].map((name) => `configdrives/${name}`);
    for (const key of keys) await objects.put(key, Buffer.from(key));
    expect((await objects.list('configdrives/')).map(({ key }) => key)).toEqual(keys);
    const asked = seen
      .filter(({ query }) => query.has('list-type'))
      .map(({ query }) => query.get('continuation-token'));
    expect(asked).toEqual([null, 'configdrives/b', 'configdrives/d']);
  });

  it('of several megabytes are put as they are', async () => {
    const { objects } = await open();
    const body = Uint8Array.from({ length: 3_000_000 }, (_, at) => at % 251);
    await objects.put('configdrives/a', body);
    expect(Buffer.from((await objects.get('configdrives/a'))!).equals(body)).toBe(true);
  });

  it.each<[string, Reply | Trouble]>([
    ['a broken connection', 'drop'],
    ['503 SlowDown', failing(503, 'SlowDown')],
    ['500 InternalError', failing(500, 'InternalError')],
    ['400 RequestTimeout', failing(400, 'RequestTimeout')],
  ])('are asked for again after %s', async (_name, first) => {
    const { objects, seen } = await open([first]);
    await objects.put('a', Buffer.from('again'));
    expect(seen.map(({ body }) => body.toString())).toEqual(['again', 'again']);
  });

  it('are Unavailable after three tries', async () => {
    const { objects, seen } = await open(['drop', failing(503, 'SlowDown'), failing(500, 'InternalError')]);
    await expect(objects.get('secret/key')).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
    expect(seen).toHaveLength(3);
  });

  it('are asked for again when nothing is said for too long, and Unavailable in the end', async () => {
    const { objects, seen } = await open(['silence', 'silence', 'silence'], { silence: 100 });
    await expect(objects.get('a')).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
    expect(seen).toHaveLength(3);
  });

  it('are Unavailable when their bytes stop coming', async () => {
    const { objects } = await open(['half'], { silence: 100 });
    await expect(objects.get('a')).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
  });

  it('that may not be touched are a Fault at once, without the key of the object', async () => {
    const { objects, seen } = await open([failing(403, 'AccessDenied')]);
    const fault = await objects.get('secret/key').catch((error: Error) => error);
    expect(fault).toMatchObject({
      name: 'StoreRefused',
      message: 'The bucket ingot refused a request: AccessDenied.',
    });
    expect(String((fault as Error).cause)).not.toContain('secret');
    expect(seen).toHaveLength(1);
  });

  it('in a bucket that does not exist are refused, not absent', async () => {
    const { objects } = await open([failing(404, 'NoSuchBucket')]);
    await expect(objects.get('a')).rejects.toMatchObject({ name: 'StoreRefused' });
  });
});

describe('links to S3', () => {
  const storeIn = (bucket: string, where: string) =>
    createAwsObjects({ site: { region: where, credentials }, bucket, keyId: 'key-1' });
  const link = async (bucket: string, where: string) =>
    new URL(await storeIn(bucket, where).link('configdrives/a', 900));
  const upload = async () =>
    new URL((await storeIn('ingot', region).uploadLink('configdrives/a', { size: 5 }, 900)).url);

  it.each([
    ['get', async () => link('ingot', region), 'host'],
    ['put', upload, 'content-length;host'],
  ] as const)(
    'to %s are signed for that, and ask for no headers that are not sent anyway',
    async (_to, make, signed) => {
      const { protocol, hostname, pathname, searchParams } = await make();
      expect([protocol, hostname, pathname]).toEqual([
        'https:',
        'ingot.s3.eu-central-1.amazonaws.com',
        '/configdrives/a',
      ]);
      expect(searchParams.get('X-Amz-Expires')).toBe('900');
      expect(searchParams.get('X-Amz-SignedHeaders')).toBe(signed);
      expect(searchParams.get('X-Amz-Content-Sha256')).toBe('UNSIGNED-PAYLOAD');
      expect([...searchParams.keys()].filter((name) => /checksum|encryption/i.test(name))).toEqual([]);
    },
  );

  it('lead to China by its own domain, and to a bucket with dots by the path', async () => {
    expect((await link('ingot', 'cn-north-1')).hostname).toBe('ingot.s3.cn-north-1.amazonaws.com.cn');
    expect((await link('in.got', region)).href).toContain(
      'https://s3.eu-central-1.amazonaws.com/in.got/configdrives/a?',
    );
  });
});

// A test server or AWS is used when there is one: INGOT_S3_ENDPOINT and BUCKET_NAME name it.
if (process.env['INGOT_S3_ENDPOINT']) {
  describeObjects('objects on S3, for real', async () => ({
    objects: awsObjects(process.env),
    request: follow,
    wait: async (seconds) => wait(seconds * 1000),
  }));
}
