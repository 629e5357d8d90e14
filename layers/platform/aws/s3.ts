/** One bucket, by S3's REST API. */
import { type Answer, createSender, encodeSegment, type Request, type Site } from './signed.ts';

export type S3Request = Omit<Request, 'path'> & {
  /** None: the bucket itself. */
  readonly key?: string;
};

export type S3 = {
  /** Throws what `Sender.send` throws. */
  send(request: S3Request): Promise<Answer>;
  sign(method: 'GET' | 'PUT', key: string, seconds: number): Promise<string>;
};

/**
 * A client of `bucket`. The bucket is in the name of the host, unless that would be no name of S3's certificate, or a
 * server of its own, which finds it in the path.
 */
export const createS3 = ({ bucket, ...site }: Site & { readonly bucket: string }): S3 => {
  const inPath = site.endpoint !== undefined || bucket.includes('.');
  const sender = createSender({ name: 's3', ...site, ...(!inPath && { subdomain: `${bucket}.` }) });
  const pathOf = (key: string) => `${inPath ? `/${bucket}` : ''}/${key.split('/').map(encodeSegment).join('/')}`;
  return {
    send: async ({ key = '', ...request }) => sender.send({ ...request, path: pathOf(key) }),
    sign: async (method, key, seconds) => sender.sign(method, pathOf(key), seconds),
  };
};
