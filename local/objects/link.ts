/** Links to objects: `<base>/objects/<key>?expires=<seconds>&method=GET&signature=<HMAC-SHA256>`. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Start of the path that the gateway serves objects at. */
export const objectsPath = '/objects/';

export type Claim = {
  readonly key: string;
  readonly method: string;
  /** Seconds since the epoch. */
  readonly expires: string;
};

const sign = (secret: Buffer, { key, method, expires }: Claim): Buffer =>
  createHmac('sha256', secret).update(`${method}\n${expires}\n${key}`).digest();

/** The link as a whole. It is a secret. */
export const makeLink = (base: string, secret: Buffer, claim: Claim): string => {
  const { key, method, expires } = claim;
  const query = new URLSearchParams({ expires, method, signature: sign(secret, claim).toString('base64url') });
  return `${base}${objectsPath}${key}?${String(query)}`;
};

/**
 * The key that a request may use, or why it may not: as S3, which signs the method with the rest, so HEAD on a GET
 * link is refused like any changed link.
 */
export const checkLink = (
  secret: Buffer,
  method: string,
  url: string,
  now: number,
): { readonly key: string } | { readonly refusal: string } => {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const key = pathname.slice(objectsPath.length);
  const [expires, signature] = [searchParams.get('expires') ?? '', searchParams.get('signature') ?? ''];
  const expected = sign(secret, { key, method, expires });
  const given = Buffer.from(signature, 'base64url');
  const isRight = given.length === expected.length && timingSafeEqual(given, expected);
  if (!isRight || searchParams.get('method') !== method) {
    return { refusal: `The signature does not fit: the link was changed, or made for another method than ${method}.` };
  }
  if (Number(expires) * 1000 <= now) return { refusal: 'The link has expired.' };
  return { key };
};
