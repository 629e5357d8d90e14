/** Objects in a private S3 bucket, encrypted with a KMS key. */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

import { Fault, Unavailable } from '../../domain/fault.ts';
import type { Listed, Objects } from '../objects.ts';

// For ports.ts, which loads this file when it is needed, with the client.
export { S3Client };

type Needs = {
  readonly client: S3Client;
  readonly bucket: string;
  /** Absent: the bucket's own default encryption (test servers have no KMS). */
  readonly keyId?: string;
};

const explain = (bucket: string, error: unknown): Fault =>
  error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 500) < 500
    ? new Fault('StoreRefused', 500, `The bucket ${bucket} refused a request: ${error.name}.`, { cause: error })
    : Unavailable(`The bucket ${bucket} could not be reached, try again.`, error);

const isAbsent = (error: unknown) => error instanceof NoSuchKey || error instanceof NotFound;

/**
 * The objects of `bucket`. Links are valid for at most 7 days, and never longer than the credentials of the function
 * that made them. The role needs s3:ListBucket too: without it S3 says 403 of an absent object, not 404.
 * Throws Unavailable (503), StoreRefused (500).
 */
export const createAwsObjects = ({ client, bucket, keyId }: Needs): Objects => {
  const encryption = keyId ? ({ ServerSideEncryption: 'aws:kms', SSEKMSKeyId: keyId } as const) : {};
  const at = (key: string) => ({ Bucket: bucket, Key: key });
  const unlessAbsent = (error: unknown): undefined => {
    if (!isAbsent(error)) throw explain(bucket, error);
  };
  const orFault = (error: unknown): never => {
    throw explain(bucket, error);
  };
  const list = async (prefix: string): Promise<Listed[]> => {
    const found: Listed[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
      found.push(...Contents.map(({ Key, LastModified }) => ({ key: Key!, put_at: LastModified!.getTime() })));
    }
    return found;
  };

  return {
    put: async (key, body, contentType = 'application/octet-stream') => {
      const input = { ...at(key), Body: body, ContentType: contentType, ...encryption };
      await client.send(new PutObjectCommand(input)).catch(orFault);
    },
    get: async (key) => {
      const answer = await client.send(new GetObjectCommand(at(key))).catch(unlessAbsent);
      return answer?.Body?.transformToByteArray().catch(orFault);
    },
    size: async (key) => (await client.send(new HeadObjectCommand(at(key))).catch(unlessAbsent))?.ContentLength,
    list: async (prefix) => list(prefix).catch(orFault),
    remove: async (key) => {
      await client.send(new DeleteObjectCommand(at(key))).catch(orFault);
    },
    // The bucket's default encryption applies to uploads, so that whoever has a link need not send headers with it.
    link: async (key, method, seconds) => {
      const command = method === 'GET' ? new GetObjectCommand(at(key)) : new PutObjectCommand(at(key));
      return getSignedUrl(client, command, { expiresIn: seconds }).catch(orFault);
    },
  };
};
