/**
 * Stored objects: configdrives, media of agents, inventories, images (DESIGN.md 1). On AWS a private KMS-encrypted
 * S3 bucket; on one machine files behind signed URLs of the gateway.
 */
export type ObjectBody = Uint8Array;

/** `put_at`: when it was put last, ms. */
export type Listed = { readonly key: string; readonly put_at: number };

/** A link to put one content to, and the headers that have to come with it. */
export type UploadLink = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** What a link to put is good for: data of this many bytes, of this SHA-256 (in hexadecimal), or both. */
export type Upload =
  | { readonly size: number; readonly sha256?: string }
  | { readonly size?: number; readonly sha256: string };

/** The header that says the SHA-256 of what is put, in base64, as S3 names it. */
export const checksumHeader = 'x-amz-checksum-sha256';

/** The same digest, of which the API speaks in hexadecimal. */
export const inBase64 = (sha256: string): string => Buffer.from(sha256, 'hex').toString('base64');

export type Objects = {
  /** Stores the whole object; readable when it returns. */
  put(key: string, body: ObjectBody, contentType?: string): Promise<void>;
  /**
   * Stores an object that is made of others, one after another, which stay; no caller has any of it in memory. All but the
   * last have at least 5 MiB, as S3 wants it. Throws NotFound (404) if one is missing; then nothing is stored.
   */
  assemble(key: string, parts: readonly string[]): Promise<void>;
  get(key: string): Promise<ObjectBody | undefined>;
  size(key: string): Promise<number | undefined>;
  /** All objects whose keys begin so, in no order; the prefix may end anywhere. No snapshot. */
  list(prefix: string): Promise<Listed[]>;
  /** Removing an absent object is a success. */
  remove(key: string): Promise<void>;
  /**
   * A URL that whoever holds it may get this key with until it expires. It is a secret: never logged. HEAD is refused with
   * 403, as S3 does; so are a changed signature and an expired link.
   */
  link(key: string, seconds: number): Promise<string>;
  /**
   * The same to put what is such data and nothing else, so that nobody fills the store with one: of another size or
   * without the header 403, with other data 400, and then nothing is stored.
   */
  uploadLink(key: string, upload: Upload, seconds: number): Promise<UploadLink>;
};
