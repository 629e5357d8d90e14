/** What every object store does alike: in memory, as files, on S3. */
import { createHash, randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Objects } from '../../layers/platform/objects.ts';

/** `request` follows a link; `wait` lets so many seconds pass, for a link to expire. */
export type ObjectsUnderTest = {
  readonly objects: Objects;
  request(
    method: string,
    url: string,
    body?: Uint8Array,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: Uint8Array | undefined }>;
  wait(seconds: number): Promise<void>;
  close?(): Promise<void>;
};

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (body: Uint8Array | undefined) => new TextDecoder().decode(body);

export const describeObjects = (name: string, make: () => Promise<ObjectsUnderTest>): void => {
  describe(name, () => {
    let subject: ObjectsUnderTest;
    beforeAll(async () => {
      subject = await make();
    });
    afterAll(async () => subject?.close?.());
    const newKey = () => `configdrives/${randomUUID()}/01J`;

    it('gives back the bytes that were put, and their number', async () => {
      const key = newKey();
      const body = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
      await subject.objects.put(key, body, 'application/octet-stream');
      expect(Buffer.from((await subject.objects.get(key))!).equals(body)).toBe(true);
      expect(await subject.objects.size(key)).toBe(70_000);
    });

    it('replaces an object by the next put, also by an empty one', async () => {
      const key = newKey();
      await subject.objects.put(key, bytes('one'));
      await subject.objects.put(key, new Uint8Array());
      expect(await subject.objects.size(key)).toBe(0);
      expect(text(await subject.objects.get(key))).toBe('');
    });

    it('has nothing under a key that was never put, or was removed', async () => {
      const key = newKey();
      expect(await subject.objects.get(key)).toBeUndefined();
      await subject.objects.put(key, bytes('x'));
      await subject.objects.remove(key);
      await subject.objects.remove(key);
      expect(await subject.objects.get(key)).toBeUndefined();
      expect(await subject.objects.size(key)).toBeUndefined();
    });

    it('puts an object together of others, which stay', async () => {
      const [key, last] = [newKey(), newKey()];
      const parts = [newKey(), newKey(), last];
      // S3 takes no smaller ones before the last.
      const contents = [1, 2, 3].map((number) => Buffer.alloc(number < 3 ? 5 * 2 ** 20 : 1000, number));
      for (const [at, part] of parts.entries()) await subject.objects.put(part, contents[at]!);
      await subject.objects.assemble(key, parts);
      expect(Buffer.from((await subject.objects.get(key))!).equals(Buffer.concat(contents))).toBe(true);
      expect(await subject.objects.size(last)).toBe(1000);
    });

    it('puts nothing together of what is not there', async () => {
      const [key, part] = [newKey(), newKey()];
      await subject.objects.put(part, Buffer.alloc(5 * 2 ** 20));
      await expect(subject.objects.assemble(key, [part, newKey()])).rejects.toMatchObject({ code: 404 });
      expect(await subject.objects.size(key)).toBeUndefined();
    });

    it('lists what begins with a prefix, with the time it was put', async () => {
      const folder = `configdrives/${randomUUID()}`;
      expect(await subject.objects.list(folder)).toEqual([]);
      for (const key of [`${folder}/a`, `${folder}/b`, `configdrives/${randomUUID()}/a`]) {
        await subject.objects.put(key, bytes(key));
      }
      await subject.objects.remove(`${folder}/b`);
      await subject.objects.put(`${folder}/c`, bytes('c'));
      const found = await subject.objects.list(folder.slice(0, -1));
      expect(found.map(({ key }) => key).sort()).toEqual([`${folder}/a`, `${folder}/c`]);
      const [first, last] = found.map(({ put_at }) => put_at).sort((a, b) => a - b);
      // Both were put a moment ago, by whatever clock.
      expect(last! - first!).toBeLessThan(60_000);
    });

    it('lets the holder of a link read, and do nothing else', async () => {
      const key = newKey();
      await subject.objects.put(key, bytes('drive'));
      const link = await subject.objects.link(key, 60);
      const answer = await subject.request('GET', link);
      expect([answer.status, text(answer.body)]).toEqual([200, 'drive']);
      for (const method of ['HEAD', 'PUT', 'DELETE', 'POST']) {
        expect([method, (await subject.request(method, link)).status]).toEqual([method, 403]);
      }
      expect(text(await subject.objects.get(key))).toBe('drive');
    });

    it('lets the holder of a link for a size put as much, and neither less nor more, nor read', async () => {
      const key = newKey();
      const { url, headers } = await subject.objects.uploadLink(key, { size: 8 }, 60);
      expect(headers).toEqual({});
      for (const other of ['uploaded, and more', 'less', '']) {
        expect([other, (await subject.request('PUT', url, bytes(other))).status]).toEqual([other, 403]);
      }
      const unbound = url.replace(/&size=8/, '').replace(/content-length(%3B|;)/, '');
      expect((await subject.request('PUT', unbound, bytes('uploaded, and more'))).status).toBe(403);
      expect(await subject.objects.size(key)).toBeUndefined();
      expect((await subject.request('PUT', url, bytes('uploaded'))).status).toBe(200);
      expect(text(await subject.objects.get(key))).toBe('uploaded');
      expect((await subject.request('GET', url)).status).toBe(403);
    });

    it('lets the holder of a link for one content put that, and nothing else', async () => {
      const key = newKey();
      const sha256 = createHash('sha256').update('this').digest('hex');
      const { url, headers } = await subject.objects.uploadLink(key, { sha256 }, 60);
      const other = { 'x-amz-checksum-sha256': createHash('sha256').update('that').digest('base64') };
      expect((await subject.request('PUT', url, bytes('that'), headers)).status).toBe(400);
      for (const changed of [{}, other]) {
        expect((await subject.request('PUT', url, bytes('that'), changed)).status).toBe(403);
      }
      const unbound = url.replace(/&signed=[^&]*/, '').replace(/(%3B|;)x-amz-checksum-sha256/, '');
      expect((await subject.request('PUT', unbound, bytes('that'), {})).status).toBe(403);
      expect(await subject.objects.size(key)).toBeUndefined();
      expect((await subject.request('GET', url, undefined, headers)).status).toBe(403);
      expect((await subject.request('PUT', url, bytes('this'), headers)).status).toBe(200);
      expect(text(await subject.objects.get(key))).toBe('this');
    });

    it('answers a link to an absent object with 404', async () => {
      expect((await subject.request('GET', await subject.objects.link(newKey(), 60))).status).toBe(404);
    });

    it('refuses a changed link', async () => {
      const [key, other] = [newKey(), newKey()];
      await subject.objects.put(key, bytes('mine'));
      await subject.objects.put(other, bytes('yours'));
      const link = await subject.objects.link(key, 60);
      const changed = [
        link.replace(key, other),
        link.replace(/(signature=)(..)/i, (_all, name: string, two: string) => name + (two === 'AA' ? 'BB' : 'AA')),
        link.replace(/\?.*/, ''),
      ];
      for (const url of changed) expect((await subject.request('GET', url)).status).toBe(403);
    });

    it('refuses a link that has expired', async () => {
      const key = newKey();
      await subject.objects.put(key, bytes('late'));
      const link = await subject.objects.link(key, 2);
      await subject.wait(3);
      expect((await subject.request('GET', link)).status).toBe(403);
    });
  });
};
