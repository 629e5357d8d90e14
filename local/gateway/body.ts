/** Reads request bodies within API Gateway's limit. */
import type { IncomingMessage } from 'node:http';

import { maxBody, tooLargeSentence } from '../../infra/body-limit.ts';
import { TooLarge } from '../../layers/domain/fault.ts';

/** The refusal of a body that would not get through on AWS either. */
export const tooLarge = () => TooLarge(tooLargeSentence);

const empty = Buffer.alloc(0);

const declared = (request: IncomingMessage): number => Number(request.headers['content-length'] ?? 0);

/** Whether the request says itself that its body is past the limit. */
export const isTooLarge = (request: IncomingMessage): boolean => declared(request) > maxBody;

/**
 * The whole body. Throws TooLarge (413) as soon as it is past the limit; what follows is thrown away as it arrives,
 * because a client that is still sending reads no answer.
 */
export const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return empty;
  if (headers['content-length'] === '0' && headers['transfer-encoding'] === undefined) return empty;
  if (isTooLarge(request)) {
    request.resume();
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBody) chunks.push(chunk);
      else reject(tooLarge());
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('error', reject);
  });
};
