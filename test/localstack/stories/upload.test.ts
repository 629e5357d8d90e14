/** Configdrives that no request can hold: a link of S3, which knows by its signature what may be done with it. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { expect, inject, it } from 'vitest';

import { operatorOf } from '../clients.ts';

const operator = operatorOf(inject('deployment'));

const MiB = 1024 * 1024;

it('are put where their link leads, in the size that was told, and nothing else is done with it', async () => {
  const created = await operator.ok('POST', '/v1/nodes', { driver: 'fake-hardware' });
  const node = `/v1/nodes/${String(created['uuid'])}`;
  const bytes = gzipSync(randomBytes(8 * MiB));
  const { upload_url } = await operator.ok('POST', `${node}/configdrive`, { size: bytes.length });
  const url = String(upload_url);
  const asked = async (method: string, at: string, body?: Uint8Array): Promise<number> =>
    (await fetch(at, { method, ...(body && { body: Uint8Array.from(body) }) })).status;

  expect(await asked('PUT', url, bytes.subarray(1))).toBe(403);
  expect(await asked('PUT', url.replace('?', 'x?'), bytes)).toBe(403);
  expect(await asked('PUT', url, bytes)).toBe(200);
  expect([await asked('GET', url), await asked('DELETE', url)]).toEqual([403, 403]);
  await operator.ok('DELETE', node);
});
