/**
 * Links to objects: `<base>/objects/<key>?expires=<seconds>&method=GET&signature=<HMAC-SHA256>`. One for a content of its own
 * has signed its checksum too, which comes in a header, as S3 wants it; one for a size has `size=<bytes>`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

import { checksumHeader } from '../../layers/platform/objects.ts';
import type { ObjectRequest } from './serve.ts';

/** Start of the path that the gateway serves objects at. */
export const objectsPath = '/objects/';

export type Claim = {
  readonly key: string;
  readonly method: string;
  /** Seconds since the epoch. */
  readonly expires: string;
  /** SHA-256 in base64 of what may be put. */
  readonly checksum?: string;
  /** Bytes that are to be put, in digits. */
  readonly size?: string;
};

const sign = (secret: Buffer, { key, method, expires, checksum, size }: Claim): Buffer => {
  const more = [checksum, size && `size=${size}`].filter((one) => one !== undefined);
  return createHmac('sha256', secret)
    .update([method, expires, key, ...more].join('\n'))
    .digest();
};

/** The link as a whole. It is a secret. */
export const makeLink = (base: string, secret: Buffer, claim: Claim): string => {
  const { key, method, expires, size } = claim;
  const signed = claim.checksum === undefined ? {} : { signed: checksumHeader };
  const query = new URLSearchParams({
    expires,
    method,
    ...signed,
    ...(size !== undefined && { size }),
    signature: sign(secret, claim).toString('base64url'),
  });
  return `${base}${objectsPath}${key}?${String(query)}`;
};

/**
 * The key that a request may use, with the checksum that its body has to have, or why it may not: as S3, which signs the
 * method with the rest, so HEAD on a GET link is refused like any changed link.
 */
export const checkLink = (
  secret: Buffer,
  { method, url, headers }: Pick<ObjectRequest, 'method' | 'url' | 'headers'>,
  now: number,
): { readonly key: string; readonly checksum: string | undefined } | { readonly refusal: string } => {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const key = pathname.slice(objectsPath.length);
  const [expires, signature] = [searchParams.get('expires') ?? '', searchParams.get('signature') ?? ''];
  const isForOne = searchParams.get('signed') === checksumHeader;
  const checksum = isForOne ? String(headers[checksumHeader] ?? '') : undefined;
  const size = searchParams.get('size');
  const given = { ...(checksum !== undefined && { checksum }), ...(size !== null && { size }) };
  const expected = sign(secret, { key, method, expires, ...given });
  const signed = Buffer.from(signature, 'base64url');
  const isRight = signed.length === expected.length && timingSafeEqual(signed, expected);
  if (!isRight || searchParams.get('method') !== method) {
    const why = isForOne ? `, or the header ${checksumHeader} is not the one that came with it` : '';
    return {
      refusal: `The signature does not fit: the link was changed, or made for another method than ${method}${why}.`,
    };
  }
  if (size !== null && headers['content-length'] !== size) {
    return { refusal: `The link is for ${size} bytes, and Content-Length says otherwise or nothing.` };
  }
  if (Number(expires) * 1000 <= now) return { refusal: 'The link has expired.' };
  return { key, checksum };
};
