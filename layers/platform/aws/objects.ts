/** Objects in a private S3 bucket, encrypted with a KMS key. */
import { Fault, Unavailable } from '../../domain/fault.ts';
import type { Listed, Objects } from '../objects.ts';
import { createS3, type S3 } from './s3.ts';
import { Refusal } from './signed.ts';

// For platform.ts, which loads this file when it is needed, with the client.
export { createS3 };

type Needs = {
  readonly client: S3;
  readonly bucket: string;
  /** Absent: the bucket's own default encryption (test servers have no KMS). */
  readonly keyId?: string;
};

const statusOf = (error: unknown) => (error instanceof Refusal ? error.$metadata.httpStatusCode : 500);

const explain = (bucket: string, error: unknown): Fault =>
  statusOf(error) < 500
    ? new Fault('StoreRefused', 500, `The bucket ${bucket} refused a request: ${(error as Error).name}.`, {
        cause: error,
      })
    : Unavailable(`The bucket ${bucket} could not be reached, try again.`, error);

/** A bucket that is missing is 404 too, and says so; an answer to HEAD says nothing. */
const isAbsent = (error: unknown) => statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket';

/** The text of each element of that name. Keys are asked for URL-encoded, so there is nothing to unescape. */
const textsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text]) => text!);

const toListed = (contents: string): Listed => ({
  key: decodeURIComponent(textsOf(contents, 'Key')[0]!.replaceAll('+', ' ')),
  put_at: Date.parse(textsOf(contents, 'LastModified')[0]!),
});

const readPage = (xml: string): { readonly found: Listed[]; readonly next: string | undefined } => ({
  found: [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, contents]) => toListed(contents!)),
  next: textsOf(xml, 'IsTruncated')[0] === 'true' ? textsOf(xml, 'NextContinuationToken')[0] : undefined,
});

const listAll = async (client: S3, prefix: string): Promise<Listed[]> => {
  const all: Listed[] = [];
  const query = { 'list-type': '2', 'encoding-type': 'url', prefix };
  for (let next: string | undefined = ''; next !== undefined;) {
    const asked = { ...query, ...(next !== '' && { 'continuation-token': next }) };
    const page = readPage((await client.send({ method: 'GET', query: asked })).body.toString());
    all.push(...page.found);
    ({ next } = page);
  }
  return all;
};

/**
 * The objects of `bucket`. Links are valid for at most 7 days, and never longer than the credentials of the function
 * that made them. The role needs s3:ListBucket too: without it S3 says 403 of an absent object, not 404.
 * Throws Unavailable (503), StoreRefused (500).
 */
export const createAwsObjects = ({ client, bucket, keyId }: Needs): Objects => {
  const encryption = keyId
    ? { 'x-amz-server-side-encryption': 'aws:kms', 'x-amz-server-side-encryption-aws-kms-key-id': keyId }
    : {};
  const orFault = (error: unknown): never => {
    throw explain(bucket, error);
  };
  const unlessAbsent = (error: unknown) => (isAbsent(error) ? undefined : orFault(error));

  return {
    put: async (key, body, contentType = 'application/octet-stream') => {
      const headers = { 'content-type': contentType, ...encryption };
      await client.send({ method: 'PUT', key, body, headers }).catch(orFault);
    },
    get: async (key) => (await client.send({ method: 'GET', key }).catch(unlessAbsent))?.body,
    size: async (key) => {
      const answer = await client.send({ method: 'HEAD', key }).catch(unlessAbsent);
      return answer && Number(answer.headers['content-length']);
    },
    list: async (prefix) => listAll(client, prefix).catch(orFault),
    remove: async (key) => {
      await client.send({ method: 'DELETE', key }).catch(orFault);
    },
    // The bucket's default encryption applies to uploads, so that whoever has a link need not send headers with it.
    link: async (key, method, seconds) => client.sign(method, key, seconds).catch(orFault),
  };
};
