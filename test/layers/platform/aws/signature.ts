/** Whether a request is signed, by our own reading of AWS's Signature Version 4: in the header, or in a link's query. */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

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
    // All services but S3 encode the path once more.
    scope.includes('/s3/') ? seen.path : seen.path.split('/').map(encode).join('/'),
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

/** `now` in ms; a link expires. */
export const isSigned = (seen: Seen, now: number): boolean => {
  const claim = claimOf(seen);
  if (!claim) return false;
  const isLink = seen.query.has('X-Amz-Signature');
  if (isLink && now > millisecondsOf(claim.date) + Number(seen.query.get('X-Amz-Expires')) * 1000) return false;
  if (!isLink && seen.headers['x-amz-content-sha256'] !== hash(seen.body)) return false;
  return signatureOf(seen, claim, isLink ? 'UNSIGNED-PAYLOAD' : hash(seen.body)) === claim.signature;
};

/** The whole request. */
export const read = async (request: IncomingMessage): Promise<Seen> => {
  const { pathname, searchParams } = new URL(request.url!, 'http://aws');
  const body = Buffer.concat((await request.toArray()) as Buffer[]);
  return { method: request.method!, path: pathname, query: searchParams, headers: request.headers, body };
};
