import { NoSuchKey, NotFound, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { createAwsObjects } from '../../../../layers/store/aws/objects.ts';
import { awsObjects } from '../../../../layers/store/aws/ports.ts';
import { describeObjects } from '../../../conformance/objects.ts';
import { createScriptedClient } from './client.ts';

const open = (...answers: (object | Error)[]) => {
  const { client, sent } = createScriptedClient<S3Client>(answers);
  return { objects: createAwsObjects({ client, bucket: 'ingot', keyId: 'key-1' }), sent };
};
const $metadata = { httpStatusCode: 404 };

describe('objects on S3', () => {
  it('are put with the key that encrypts them', async () => {
    const { objects, sent } = open({});
    await objects.put('configdrives/a', new Uint8Array([1]), 'application/x-iso9660-image');
    expect(sent[0]).toMatchObject({
      command: 'PutObjectCommand',
      input: {
        Bucket: 'ingot',
        Key: 'configdrives/a',
        ContentType: 'application/x-iso9660-image',
        ServerSideEncryption: 'aws:kms',
        SSEKMSKeyId: 'key-1',
      },
    });
  });

  it('are undefined when absent', async () => {
    const { objects } = open(
      new NoSuchKey({ message: 'none', $metadata }),
      new NotFound({ message: 'none', $metadata }),
    );
    expect(await objects.get('a')).toBeUndefined();
    expect(await objects.size('a')).toBeUndefined();
  });

  it('are listed page by page', async () => {
    const page = (key: string, next: string) =>
      `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}` +
      `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents></ListBucketResult>`;
    const pages = [
      page('configdrives/a', '<NextContinuationToken>more</NextContinuationToken>'),
      page('configdrives/b', ''),
    ];
    const asked: unknown[] = [];
    const handle = async ({ query }: { query: Record<string, string> }) => {
      asked.push([query['prefix'], query['continuation-token']]);
      return { response: { statusCode: 200, headers: {}, body: Readable.from([pages.shift()!]) } };
    };
    const client = new S3Client({
      region: 'eu-central-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      requestHandler: { handle } as never,
    });
    const put_at = Date.UTC(2026, 0, 1);
    expect(await createAwsObjects({ client, bucket: 'ingot' }).list('configdrives/')).toEqual([
      { key: 'configdrives/a', put_at },
      { key: 'configdrives/b', put_at },
    ]);
    expect(asked).toEqual([
      ['configdrives/', undefined],
      ['configdrives/', 'more'],
    ]);
  });

  it('that may not be touched, or cannot be reached, are Faults without the key of the object', async () => {
    const denied = new S3ServiceException({
      name: 'AccessDenied',
      $fault: 'client',
      $metadata: { httpStatusCode: 403 },
      message: 'secret/key',
    });
    const { objects } = open(denied, new Error('ECONNREFUSED'));
    await expect(objects.get('secret/key')).rejects.toMatchObject({
      name: 'StoreRefused',
      message: 'The bucket ingot refused a request: AccessDenied.',
    });
    await expect(objects.put('secret/key', new Uint8Array())).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
  });
});

describe('links to S3', () => {
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
  const client = new S3Client({
    region: 'eu-central-1',
    credentials,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const objects = createAwsObjects({ client, bucket: 'ingot', keyId: 'key-1' });

  it.each(['GET', 'PUT'] as const)(
    'to %s are signed for that method, and ask for no headers of the holder',
    async (method) => {
      const { hostname, pathname, searchParams } = new URL(await objects.link('configdrives/a', method, 900));
      expect([hostname, pathname]).toEqual(['ingot.s3.eu-central-1.amazonaws.com', '/configdrives/a']);
      expect(searchParams.get('X-Amz-Expires')).toBe('900');
      expect(searchParams.get('X-Amz-SignedHeaders')).toBe('host');
      expect([...searchParams.keys()].filter((name) => /checksum/i.test(name))).toEqual([]);
    },
  );
});

// A test server or AWS is used when there is one: INGOT_S3_ENDPOINT and BUCKET_NAME name it.
if (process.env['INGOT_S3_ENDPOINT']) {
  describeObjects('objects on S3, for real', async () => ({
    objects: awsObjects(process.env),
    request: async (method, url, body) => {
      const answer = await fetch(url, { method, ...(body && { body: Buffer.from(body) }) });
      return { status: answer.status, body: new Uint8Array(await answer.arrayBuffer()) };
    },
    wait: async (seconds) => wait(seconds * 1000),
  }));
}
