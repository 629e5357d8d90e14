/** Reads request bodies within API Gateway's limit. */
import type { IncomingMessage } from 'node:http';

import { maxBody } from '../../infra/body-limit.ts';
import type { Fault } from '../../layers/domain/fault.ts';

const empty = Buffer.alloc(0);

const declared = (request: IncomingMessage): number => Number(request.headers['content-length'] ?? 0);

/** Whether the request says itself that its body is past the limit. */
export const isTooLarge = (request: IncomingMessage): boolean => declared(request) > maxBody;

/**
 * Most that is read of a body that is refused. A client that is still sending reads no answer, and loses it when the
 * connection is closed under it; but nobody waits for a body without end.
 */
const patience = 64 * 1024 * 1024;

/** Who asks first (Expect: 100-continue) sends nothing after a refusal, so there is nothing to wait for. */
const isHopeless = (request: IncomingMessage): boolean =>
  isTooLarge(request) && (request.headers.expect !== undefined || declared(request) > patience);

/**
 * The whole body. Throws `tooLarge`, of a body that would not get through on AWS either, when it has been read, but not
 * kept, or is past all patience.
 */
export const readBody = async (request: IncomingMessage, tooLarge: () => Fault): Promise<Buffer> => {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return empty;
  if (headers['content-length'] === '0' && headers['transfer-encoding'] === undefined) return empty;
  if (isHopeless(request)) {
    request.resume();
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBody) chunks.push(chunk);
      else if (size > patience) reject(tooLarge());
    });
    request.on('end', () => {
      if (size > maxBody) reject(tooLarge());
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
    request.on('error', reject);
  });
};
