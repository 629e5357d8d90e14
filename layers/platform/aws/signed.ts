/**
 * Signed requests to services of AWS. Signer, connections, credentials and rules of retry are the SDK's own, which the
 * client of DynamoDB brings along anyway; the SDK's clients of S3, Step Functions, KMS and Lambda are 300 KB more for
 * the fifteen operations that Ingot asks for (docs/adr/0011).
 */
import { recursionDetectionMiddleware } from '@aws-sdk/core/client';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Sha256 } from '@smithy/core/checksum';
import { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } from '@smithy/core/config';
import { buildQueryString, HttpRequest } from '@smithy/core/protocols';
import { isThrottlingError, isTransientError, StandardRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Readable } from 'node:stream';

/** Where a service is, and who asks. */
export type Site = {
  /** Another server of the same API. */
  readonly endpoint?: string;
  /** Default: the region and the credentials that the SDK finds in the environment. */
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
};

export type Service = Site & {
  readonly name: 's3' | 'states' | 'kms' | 'lambda';
  /** In front of the service's own host name; not of an `endpoint`. */
  readonly subdomain?: string;
  /** How often a request is sent at most; default 3. More than once only what may be repeated. */
  readonly attempts?: number;
  /** How long the service may be silent, ms; default 10 s. */
  readonly silence?: number;
};

export type Request = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** As it is sent, so percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
};

export type Answer = { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };

export type Sender = {
  /** Throws Refusal, and what the connection throws, when sending it again did not help. */
  send(request: Request): Promise<Answer>;
  /** A URL for whoever holds it, for this method and path and so many seconds. */
  sign(method: 'GET' | 'PUT', path: string, seconds: number): Promise<string>;
  /** Closes the connections. */
  destroy(): void;
};

/**
 * What a service answers instead of success. Its own words are left out, because they quote keys and values. The form
 * of `$metadata` is what the SDK's rules of retry look at.
 */
export class Refusal extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  /** `code`: the service's, such as NoSuchKey; an answer to HEAD has none. */
  constructor(code: string, status: number) {
    super(`The service answered ${status} ${code}.`);
    this.name = code;
    this.$metadata = { httpStatusCode: status };
  }
}

const connectionTimeout = 3_000;

/** encodeURIComponent leaves what RFC 3986 reserves, and a signature is of the encoded text. */
export const encodeSegment = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const locate = ({ name, subdomain = '', endpoint }: Service, region: string) => {
  const domain = `${name}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const { protocol, hostname, port, host, pathname } = new URL(endpoint ?? `https://${subdomain}${domain}`);
  return { protocol, hostname, host, folder: pathname.replace(/\/$/, ''), ...(port !== '' && { port: Number(port) }) };
};

/** Adds the id of the trace that Lambda is in: X-Ray joins the parts of a story by it, and Lambda sees a loop. */
const trace = recursionDetectionMiddleware()(async () => ({ output: {}, response: {} }), {});

const readAll = async (stream: Readable): Promise<Buffer> => Buffer.concat((await stream.toArray()) as Buffer[]);

/** By a header, in JSON (with a namespace before a #), in XML: the three forms of AWS's protocols. */
const codeOf = ({ headers, body }: Answer): string =>
  /^\w+/.exec(headers['x-amzn-errortype'] ?? '')?.[0] ??
  /"__type"\s*:\s*"(?:[^"#]*#)?(\w+)"|<Code>(\w+)<\/Code>/.exec(body.toString())?.slice(1).find(Boolean) ??
  'Unknown';

type SdkError = Parameters<typeof isTransientError>[0];

/** Undefined: sending it again would change nothing. */
const passing = (error: SdkError) => {
  if (isThrottlingError(error)) return 'THROTTLING';
  return isTransientError(error) ? 'TRANSIENT' : undefined;
};

/** Does it again while the SDK's strategy allows. */
const persist = async <T>(strategy: StandardRetryStrategy, act: () => Promise<T>): Promise<T> => {
  let token = await strategy.acquireInitialRetryToken('aws');
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

/** A client of one service; it keeps its connections. */
export const createSender = (service: Service): Sender => {
  const region = async () =>
    service.region ?? loadConfig(NODE_REGION_CONFIG_OPTIONS, NODE_REGION_CONFIG_FILE_OPTIONS)();
  const signer = new SignatureV4({
    service: service.name,
    region,
    credentials: service.credentials ?? defaultProvider(),
    sha256: Sha256,
    // S3 signs the path as it is sent; the others encode it once more.
    uriEscapePath: service.name !== 's3',
    applyChecksum: true,
  });
  const connections = new NodeHttpHandler({ connectionTimeout, socketTimeout: service.silence ?? 10_000 });
  const strategy = new StandardRetryStrategy(service.attempts ?? 3);

  const toRequest = async ({ method, path, query = {}, headers = {}, body }: Request) => {
    const { host, folder, ...server } = locate(service, await region());
    const length = (method === 'PUT' || method === 'POST') && {
      'content-length': String(Buffer.byteLength(body ?? '')),
    };
    const all = { host, ...length, ...headers };
    return new HttpRequest({ ...server, method, path: folder + path, query: { ...query }, headers: all, body });
  };

  const sendOnce = async (request: Request): Promise<Answer> => {
    const unsigned = await toRequest(request);
    await trace({ request: unsigned, input: {} });
    const signed = await signer.sign(unsigned);
    const { response } = await connections.handle(signed as HttpRequest);
    const answer = { headers: response.headers, body: await readAll(response.body as Readable) };
    if (response.statusCode >= 300) throw new Refusal(codeOf(answer), response.statusCode);
    return answer;
  };

  return {
    send: async (request) => persist(strategy, async () => sendOnce(request)),
    sign: async (method, path, seconds) => {
      const request = await toRequest({ method, path });
      // No header but `host` is signed, so that whoever has the link need not send any with it.
      request.headers = { host: request.headers['host']!, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
      const { query = {} } = await signer.presign(request, { expiresIn: seconds });
      return `${request.protocol}//${request.headers['host']}${request.path}?${buildQueryString(query)}`;
    },
    destroy: () => connections.destroy(),
  };
};
