/**
 * A small S3 on a socket: it stores objects, and checks each signature by its own reading of AWS's Signature Version 4,
 * in the header and in the query of a link, with expiry. Answers can be put in front by a script.
 */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };

const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

type Claim = { readonly scope: string; readonly signed: string; readonly signature: string; readonly date: string };

/** From the query of a link, or from the header. */
const claimOf = ({ query, headers }: Seen): Claim | undefined => {
  if (query.has('X-Amz-Signature')) {
    const [, ...scope] = query.get('X-Amz-Credential')!.split('/');
    const [signed, signature] = [query.get('X-Amz-SignedHeaders')!, query.get('X-Amz-Signature')!];
    return { scope: scope.join('/'), signed, signature, date: query.get('X-Amz-Date')! };
  }
  const parts = /Credential=id\/(\S+), SignedHeaders=(\S+), Signature=(\w+)/.exec(headers.authorization ?? '');
  return parts
    ? { scope: parts[1]!, signed: parts[2]!, signature: parts[3]!, date: String(headers['x-amz-date']) }
    : undefined;
};

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const signatureOf = (seen: Seen, { scope, signed, date }: Claim, payload: string): string => {
  const query = [...seen.query].filter(([name]) => name !== 'X-Amz-Signature');
  const canonical = [
    seen.method,
    seen.path,
    query
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join('&'),
    ...signed.split(';').map((name) => `${name}:${String(seen.headers[name])}`),
    '',
    signed,
    payload,
  ].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`);
  return hmac(key, ['AWS4-HMAC-SHA256', date, scope, hash(canonical)].join('\n')).toString('hex');
};

const millisecondsOf = (date: string) =>
  Date.parse(date.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z'));

const isSigned = (seen: Seen, now: number): boolean => {
  const claim = claimOf(seen);
  if (!claim) return false;
  const isLink = seen.query.has('X-Amz-Signature');
  if (isLink && now > millisecondsOf(claim.date) + Number(seen.query.get('X-Amz-Expires')) * 1000) return false;
  if (!isLink && seen.headers['x-amz-content-sha256'] !== hash(seen.body)) return false;
  return signatureOf(seen, claim, isLink ? 'UNSIGNED-PAYLOAD' : hash(seen.body)) === claim.signature;
};

export type Reply = { readonly status: number; readonly body?: string | Buffer };

const refusal = (status: number, code: string): Reply => ({
  status,
  body: `<Error><Code>${code}</Code><Message>the key secret/key</Message></Error>`,
});

const page = 2;

type Stored = Map<string, { readonly body: Buffer; readonly at: number }>;

const list = (stored: Stored, query: URLSearchParams): Reply => {
  const after = query.get('continuation-token') ?? '';
  const found = [...stored.keys()].filter((key) => key.startsWith(query.get('prefix')!) && key > after).sort();
  const shown = found.slice(0, page);
  const contents = shown.map(
    (key) =>
      `<Contents><Key>${encodeURIComponent(key)}</Key><LastModified>${new Date(stored.get(key)!.at).toISOString()}</LastModified><Size>1</Size></Contents>`,
  );
  const more = found.length > page;
  const next = more ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : '';
  return {
    status: 200,
    body: `<ListBucketResult>${next}<IsTruncated>${more}</IsTruncated>${contents.join('\n')}</ListBucketResult>`,
  };
};

const answer = (stored: Stored, { method, path, query, body }: Seen, now: number): Reply => {
  const [, bucket, ...key] = decodeURIComponent(path).split('/');
  if (bucket !== 'ingot') return refusal(404, 'NoSuchBucket');
  const name = key.join('/');
  if (query.has('list-type')) return list(stored, query);
  if (method === 'PUT') stored.set(name, { body, at: now });
  if (method === 'PUT') return { status: 200 };
  if (method === 'DELETE') stored.delete(name);
  if (method === 'DELETE') return { status: 204 };
  const found = stored.get(name);
  return found ? { status: 200, body: found.body } : refusal(404, 'NoSuchKey');
};

const read = async (request: IncomingMessage): Promise<Seen> => {
  const { pathname, searchParams } = new URL(request.url!, 'http://s3');
  const body = Buffer.concat((await request.toArray()) as Buffer[]);
  return { method: request.method!, path: pathname, query: searchParams, headers: request.headers, body };
};

/** `script`: what the next requests are answered instead; `drop` breaks the connection. */
export const serveS3 = async (...script: (Reply | 'drop')[]) => {
  const stored: Stored = new Map();
  const seen: Seen[] = [];
  let ahead = 0;
  const server = createServer((request, response) => {
    void read(request).then((one) => {
      seen.push(one);
      const scripted = script.shift();
      if (scripted === 'drop') return request.socket.destroy();
      const now = Date.now() + ahead;
      const { status, body = '' } =
        scripted ?? (isSigned(one, now) ? answer(stored, one, now) : refusal(403, 'SignatureDoesNotMatch'));
      response
        .writeHead(status, { 'Content-Length': Buffer.byteLength(body) })
        .end(request.method === 'HEAD' ? '' : body);
      return undefined;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close,
    wait: async (seconds: number) => {
      ahead += seconds * 1000;
    },
  };
};
