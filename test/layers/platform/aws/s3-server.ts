/** A small S3 on a socket: it stores objects and checks signatures. Answers can be put in front by a script. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { isSigned, read, type Seen } from './signature.ts';

export type Reply = { readonly status: number; readonly body?: string | Buffer };

/** Instead of an answer: a broken connection, none at all, or one that stops in the middle of its body. */
export type Trouble = 'drop' | 'silence' | 'half';

const refusal = (status: number, code: string): Reply => ({
  status,
  body: `<Error><Code>${code}</Code><Message>the key secret/key</Message></Error>`,
});

const page = 2;

const escape = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

type Stored = Map<string, { readonly body: Buffer; readonly at: number }>;

const list = (stored: Stored, query: URLSearchParams): Reply => {
  const after = query.get('continuation-token') ?? '';
  const found = [...stored.keys()].filter((key) => key.startsWith(query.get('prefix')!) && key > after).sort();
  const shown = found.slice(0, page);
  const encode = query.get('encoding-type') === 'url' ? encodeURIComponent : escape;
  const contents = shown.map(
    (key) =>
      `<Contents><Key>${encode(key)}</Key><LastModified>${new Date(stored.get(key)!.at).toISOString()}</LastModified><Size>1</Size></Contents>`,
  );
  const more = found.length > page;
  const next = more ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : '';
  return {
    status: 200,
    body: `<ListBucketResult>${next}<IsTruncated>${more}</IsTruncated>${contents.join('\n')}</ListBucketResult>`,
  };
};

/** A checksum that comes with the data has to be its own. */
const isDamaged = ({ headers, body }: Seen): boolean => {
  const said = headers['x-amz-checksum-sha256'];
  return said !== undefined && createHash('sha256').update(body).digest('base64') !== said;
};

/** An object that is being made of others. The parts that it has stand beside the objects, where no key begins so. */
const assemble = (stored: Stored, { method, query, headers, body }: Seen, name: string, now: number): Reply => {
  const upload = `upload of ${name}`;
  const partOf = (number: unknown) => `${upload} ${String(number)}`;
  if (query.has('uploads')) {
    return {
      status: 200,
      body: `<InitiateMultipartUploadResult><UploadId>${upload}</UploadId></InitiateMultipartUploadResult>`,
    };
  }
  if (query.get('uploadId') !== upload) return refusal(404, 'NoSuchUpload');
  if (method === 'DELETE') return { status: 204 };
  if (method === 'PUT') {
    const source = stored.get(decodeURIComponent(headers['x-amz-copy-source'] as string).replace(/^\/?ingot\//, ''));
    if (!source) return refusal(404, 'NoSuchKey');
    stored.set(partOf(query.get('partNumber')), source);
    return { status: 200, body: '<CopyPartResult><ETag>"e"</ETag></CopyPartResult>' };
  }
  const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) => number);
  const parts = numbers.map((number) => stored.get(partOf(number))!.body);
  if (parts.slice(0, -1).some((part) => part.length < 5 * 2 ** 20)) return refusal(400, 'EntityTooSmall');
  for (const number of numbers) stored.delete(partOf(number));
  stored.set(name, { body: Buffer.concat(parts), at: now });
  return { status: 200, body: '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>' };
};

const answer = (stored: Stored, seen: Seen, now: number): Reply => {
  const { method, path, query, body } = seen;
  const [, bucket, ...key] = decodeURIComponent(path).split('/');
  if (bucket !== 'ingot') return refusal(404, 'NoSuchBucket');
  const name = key.join('/');
  if (query.has('uploads') || query.has('uploadId')) return assemble(stored, seen, name, now);
  if (query.has('list-type')) return list(stored, query);
  if (method === 'PUT' && isDamaged(seen)) return refusal(400, 'BadDigest');
  if (method === 'PUT') stored.set(name, { body, at: now });
  if (method === 'PUT') return { status: 200 };
  if (method === 'DELETE') stored.delete(name);
  if (method === 'DELETE') return { status: 204 };
  const found = stored.get(name);
  return found ? { status: 200, body: found.body } : refusal(404, 'NoSuchKey');
};

/** `script`: what the next requests are answered instead. */
export const serveS3 = async (...script: (Reply | Trouble)[]) => {
  const stored: Stored = new Map();
  const seen: Seen[] = [];
  let ahead = 0;
  const server = createServer((request, response) => {
    void read(request).then((one) => {
      seen.push(one);
      const scripted = script.shift();
      if (scripted === 'drop') return request.socket.destroy();
      if (scripted === 'silence') return undefined;
      if (scripted === 'half') return response.writeHead(200, { 'Content-Length': 2 }).write('x');
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
