import { gunzipSync, gzipSync } from 'node:zlib';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { gzipFlaw, fromBase64, pack, toBase64, unpack } from '../../../layers/configdrive/packed.ts';

const MiB = 1024 * 1024;
const packedFrom = (...files: Uint8Array[]) => Buffer.from(Buffer.concat(files).toString('base64'));

/** Bytes that gzip cannot make shorter. */
const noise = (length: number, seed = 1): Buffer => {
  const bytes = Buffer.alloc(length);
  let word = seed;
  for (let at = 0; at < length; at += 1) bytes[at] = (word = (Math.imul(word, 1_103_515_245) + 12_345) >>> 0) >>> 24;
  return bytes;
};

describe('a packed configdrive', () => {
  it('is base64(gzip(image)) in one line, the same for the same image', async () => {
    const image = noise(100_000);
    const packed = Buffer.from(await pack(image)).toString('latin1');
    expect(packed).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
    expect(gunzipSync(Buffer.from(packed, 'base64'))).toEqual(image);
    expect(Buffer.from(await pack(image)).toString('latin1')).toBe(packed);
  });

  it.each([1, 2, 3, MiB - 1, MiB, MiB + 1, 3 * MiB + 2])('of %i bytes comes back', async (length) => {
    const image = noise(length);
    expect(Buffer.compare(await unpack(await pack(image)), image)).toBe(0);
    expect(Buffer.from(await toBase64(image)).toString()).toBe(image.toString('base64'));
  });

  it('of several gzip members comes back whole, wherever its pieces end', async () => {
    const length = fc.integer({ min: 1, max: 2 * MiB });
    await fc.assert(
      fc.asyncProperty(fc.array(length, { minLength: 2, maxLength: 3 }), async (lengths) => {
        const parts = lengths.map((each) => noise(each, each));
        const packed = packedFrom(...parts.map((part) => gzipSync(part)), Buffer.alloc(9));
        expect(Buffer.compare(await unpack(packed), Buffer.concat(parts))).toBe(0);
      }),
      { numRuns: 10 },
    );
  });

  it('of members that end where a piece ends comes back whole', async () => {
    // Pieces have 1 MiB of text, which is 768 KiB of the file; a comment makes the first member just as long.
    const first = gzipSync(noise(700_000), { level: 0 });
    const fill = 768 * 1024 - first.length - 1;
    const head = Buffer.from(first.subarray(0, 10));
    head[3] = 16;
    const member = Buffer.concat([head, Buffer.alloc(fill, 'x'), Buffer.from([0]), first.subarray(10)]);
    expect(member.length).toBe(768 * 1024);
    const image = await unpack(packedFrom(member, gzipSync('and more')));
    expect(Buffer.from(image.subarray(-8)).toString()).toBe('and more');
  });

  it('may have lines', async () => {
    const image = noise(2 * MiB);
    const text = packedFrom(gzipSync(image)).toString().replace(/.{76}/g, '$&\r\n');
    expect(Buffer.compare(await unpack(Buffer.from(text)), image)).toBe(0);
  });

  it('of 64 MiB comes back', async () => {
    const image = Buffer.alloc(64 * MiB, 'a drive');
    expect(Buffer.compare(await unpack(await pack(image)), image)).toBe(0);
  });
});

describe('a client’s gzip file', () => {
  it.each([
    ['one', gzipSync('x')],
    ['two members', Buffer.concat([gzipSync('x'), gzipSync('y')])],
    ['zeros behind it', Buffer.concat([gzipSync('x'), Buffer.alloc(5)])],
  ])('is taken: %s', async (_what, file) => {
    await expect(gzipFlaw(file, 'It')).resolves.toBeUndefined();
  });

  it('is text in base64 or none', () => {
    expect(fromBase64('eA==\r\n')).toEqual(Buffer.from('x'));
    for (const text of ['eA', 'eA=', 'eA==e', 'é', 'e-_=']) expect(fromBase64(text)).toBeUndefined();
  });
});
