/**
 * S3's REST API as far as objects.ts needs it. Signer, connections, credentials and rules of retry are the SDK's own,
 * which the client of DynamoDB brings along anyway; the SDK's S3 client is 165 KB more (docs/adr/0011).
 */
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Sha256 } from '@smithy/core/checksum';
import { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } from '@smithy/core/config';
import { buildQueryString, HttpRequest } from '@smithy/core/protocols';
import { isThrottlingError, isTransientError, StandardRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Readable } from 'node:stream';

type Query = Record<string, string>;

export type S3Request = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** None: the bucket itself. */
  readonly key?: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
};

export type S3Answer = { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };

export type S3 = {
  /** Throws S3Refusal, and what the connection throws, when sending it again did not help. */
  send(request: S3Request): Promise<S3Answer>;
  /** A URL for whoever holds it, for this method and key and so many seconds. */
  sign(method: 'GET' | 'PUT', key: string, seconds: number): Promise<string>;
};

/**
 * What S3 answers instead of success. Its own words are left out, because they quote keys. The form of `$metadata` is
 * what the SDK's rules of retry look at.
 */
export class S3Refusal extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  /** `code`: S3's, such as NoSuchKey; an answer to HEAD has none. */
  constructor(code: string, status: number) {
    super(`S3 answered ${status} ${code}.`);
    this.name = code;
    this.$metadata = { httpStatusCode: status };
  }
}

export type S3Options = {
  readonly bucket: string;
  /** Another server of the same API; it finds the bucket in the path. */
  readonly endpoint?: string;
  /** Default: the region and the credentials that the SDK finds in the environment. */
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
};

/** One request may wait so long for its connection, and then for each sign of life, ms. */
const patience = { connectionTimeout: 3_000, socketTimeout: 10_000 };

/** encodeURIComponent leaves what RFC 3986 reserves, and a signature is of the encoded text. */
const escape = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** The bucket is in the name of the host, unless that would be no name of S3's certificate. */
const locate = ({ bucket, endpoint }: S3Options, region: string) => {
  const domain = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const inPath = endpoint !== undefined || bucket.includes('.');
  const { protocol, hostname, port, host, pathname } = new URL(
    endpoint ?? `https://${inPath ? domain : `${bucket}.${domain}`}`,
  );
  const folder = pathname.replace(/\/$/, '') + (inPath ? `/${bucket}` : '');
  return { protocol, hostname, host, folder, ...(port !== '' && { port: Number(port) }) };
};

const readAll = async (stream: Readable): Promise<Buffer> => Buffer.concat((await stream.toArray()) as Buffer[]);

const codeOf = (body: Buffer): string => /<Code>(\w+)<\/Code>/.exec(body.toString())?.[1] ?? 'Unknown';

type SdkError = Parameters<typeof isTransientError>[0];

/** Undefined: sending it again would change nothing. */
const passing = (error: SdkError) => {
  if (isThrottlingError(error)) return 'THROTTLING';
  return isTransientError(error) ? 'TRANSIENT' : undefined;
};

/** Does it again while the SDK's strategy allows. Every request here may be repeated. */
const persist = async <T>(strategy: StandardRetryStrategy, act: () => Promise<T>): Promise<T> => {
  let token = await strategy.acquireInitialRetryToken('s3');
  for (;;) {
    try {
      const result = await act();
      strategy.recordSuccess(token);
      return result;
    } catch (error) {
      const errorType = passing(error as SdkError);
      if (!errorType) throw error;
      token = await strategy.refreshRetryTokenForRetry(token, { errorType }).catch(() => {
        throw error;
      });
    }
  }
};

/** A client of one bucket; it keeps its connections. */
export const createS3 = (options: S3Options): S3 => {
  const region = async () =>
    options.region ?? loadConfig(NODE_REGION_CONFIG_OPTIONS, NODE_REGION_CONFIG_FILE_OPTIONS)();
  const signer = new SignatureV4({
    service: 's3',
    region,
    credentials: options.credentials ?? defaultProvider(),
    sha256: Sha256,
    // S3 signs the path as it is sent, once encoded.
    uriEscapePath: false,
    applyChecksum: true,
  });
  const connections = new NodeHttpHandler(patience);
  const strategy = new StandardRetryStrategy(3);

  const toRequest = async ({ method, key = '', query = {}, headers = {}, body }: S3Request) => {
    const { host, folder, ...server } = locate(options, await region());
    const path = `${folder}/${key.split('/').map(escape).join('/')}`;
    const length = method === 'PUT' && { 'content-length': String(body?.byteLength ?? 0) };
    return new HttpRequest({ ...server, method, path, query, headers: { host, ...length, ...headers }, body });
  };

  const sendOnce = async (request: S3Request): Promise<S3Answer> => {
    const signed = await signer.sign(await toRequest(request));
    const { response } = await connections.handle(signed as HttpRequest);
    const body = await readAll(response.body as Readable);
    const { statusCode, headers } = response;
    if (statusCode >= 300) throw new S3Refusal(codeOf(body), statusCode);
    return { headers, body };
  };

  return {
    send: async (request) => persist(strategy, async () => sendOnce(request)),
    sign: async (method, key, seconds) => {
      const request = await toRequest({ method, key });
      // No header but `host` is signed, so that whoever has the link need not send any with it.
      request.headers = { host: request.headers['host']!, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
      const { query = {} } = await signer.presign(request, { expiresIn: seconds });
      return `${request.protocol}//${request.headers['host']}${request.path}?${buildQueryString(query)}`;
    },
  };
};
