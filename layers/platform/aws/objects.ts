/** Objects in a private S3 bucket, encrypted with a KMS key. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

import { Fault, NotFound, Unavailable } from '../../domain/fault.ts';
import { checksumHeader, inBase64, type Listed, type Objects } from '../objects.ts';
import { Refusal, settingsOf, type Site, withoutWords } from './client.ts';

type Needs = {
  readonly site?: Site;
  readonly bucket: string;
  /** Absent: the bucket's own default encryption (test servers have no KMS). */
  readonly keyId?: string;
};

const createClient = (site: Site): S3Client =>
  new S3Client({
    ...settingsOf(site),
    // A server of its own finds the bucket in the path; of S3's host names it is a part.
    forcePathStyle: site.endpoint !== undefined,
    // By itself the SDK asks whoever holds a link for a checksum too. What is put here has its signed SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });

const explain = (bucket: string, error: unknown): Fault =>
  error instanceof Refusal && error.status < 500
    ? new Fault('StoreRefused', 500, `The bucket ${bucket} refused a request: ${error.name}.`, { cause: error })
    : Unavailable(`The bucket ${bucket} could not be reached, try again.`, error);

/** A bucket that is missing is 404 too, and says so; an answer to HEAD says nothing. */
const isAbsent = (error: unknown) => error instanceof Refusal && error.status === 404 && error.name !== 'NoSuchBucket';

const listAll = async (client: S3Client, bucket: string, prefix: string): Promise<Listed[]> => {
  const all: Listed[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
    all.push(...Contents.map(({ Key, LastModified }) => ({ key: Key!, put_at: LastModified!.getTime() })));
  }
  return all;
};

/** Parts that are copied at once. */
const copies = 8;

/** What S3 itself makes of other objects; if that ends early, the bucket's rule removes what is unfinished. */
const assemble = async (
  client: S3Client,
  target: { Bucket: string; Key: string },
  id: string,
  parts: readonly string[],
) => {
  const upload = { ...target, UploadId: id };
  const copy = async (part: string, index: number): Promise<CompletedPart> => {
    const number = { PartNumber: index + 1 };
    const source = `${target.Bucket}/${encodeURI(part)}`;
    const { CopyPartResult } = await client.send(
      new UploadPartCopyCommand({ ...upload, ...number, CopySource: source }),
    );
    return { ...number, ETag: CopyPartResult!.ETag };
  };
  const done: CompletedPart[] = [];
  for (let at = 0; at < parts.length; at += copies) {
    done.push(...(await Promise.all(parts.slice(at, at + copies).map(async (part, index) => copy(part, at + index)))));
  }
  await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: done } }));
};

/**
 * The objects of `bucket`. Links are valid for at most 7 days, and never longer than the credentials of the function
 * that made them. The role needs s3:ListBucket too: without it S3 says 403 of an absent object, not 404.
 * Throws Unavailable (503), StoreRefused (500).
 */
export const createAwsObjects = ({ site = {}, bucket, keyId }: Needs): Objects => {
  const client = createClient(site);
  const encryption = keyId ? ({ ServerSideEncryption: 'aws:kms', SSEKMSKeyId: keyId } as const) : {};
  const at = (key: string) => ({ Bucket: bucket, Key: key });
  const orFault = (error: unknown): never => {
    throw explain(bucket, withoutWords(error));
  };
  const missing = (key: string): never => {
    throw NotFound(`An object that ${key} is made of is not there.`);
  };
  const unlessAbsent = (error: unknown) => (isAbsent(withoutWords(error)) ? undefined : orFault(error));

  return {
    put: async (key, body, contentType = 'application/octet-stream') => {
      const command = new PutObjectCommand({ ...at(key), Body: body, ContentType: contentType, ...encryption });
      await client.send(command).catch(orFault);
    },
    assemble: async (key, parts) => {
      const { UploadId: id } = await client
        .send(new CreateMultipartUploadCommand({ ...at(key), ContentType: 'application/octet-stream', ...encryption }))
        .catch(orFault);
      await assemble(client, at(key), id!, parts).catch(async (error: unknown) => {
        await client.send(new AbortMultipartUploadCommand({ ...at(key), UploadId: id })).catch(() => {});
        return isAbsent(withoutWords(error)) ? missing(key) : orFault(error);
      });
    },
    get: async (key) => {
      const answer = await client.send(new GetObjectCommand(at(key))).catch(unlessAbsent);
      return answer?.Body!.transformToByteArray().catch(orFault);
    },
    size: async (key) => (await client.send(new HeadObjectCommand(at(key))).catch(unlessAbsent))?.ContentLength,
    list: async (prefix) => listAll(client, bucket, prefix).catch(orFault),
    remove: async (key) => {
      await client.send(new DeleteObjectCommand(at(key))).catch(orFault);
    },
    link: async (key, seconds) =>
      getSignedUrl(client, new GetObjectCommand(at(key)), { expiresIn: seconds }).catch(orFault),
    // The bucket's default encryption applies to uploads, so that whoever has a link need not send headers with it.
    uploadLink: async (key, { sha256, size }, seconds) => {
      const headers = sha256 === undefined ? {} : { [checksumHeader]: inBase64(sha256) };
      const command = new PutObjectCommand({
        ...at(key),
        ...(sha256 !== undefined && { ChecksumSHA256: inBase64(sha256) }),
        // Signed, as any header that the command has: S3 refuses what is longer or shorter.
        ...(size !== undefined && { ContentLength: size }),
      });
      // In the query S3 would take it for a promise; as a signed header it is part of what is sent.
      const unhoistableHeaders = new Set([checksumHeader]);
      const url = await getSignedUrl(client, command, { expiresIn: seconds, unhoistableHeaders }).catch(orFault);
      return { url, headers };
    },
  };
};
