import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { isFault } from '../../../layers/domain/fault.ts';
import { decodeConfigdrive, readConfigdrive, type Given } from '../../../simulator/agent/configdrive.ts';

type Recorded = {
  readonly what: string;
  readonly by: 'text' | 'url';
  readonly input: string;
  readonly outcome:
    | { readonly size: number; readonly sha256: string }
    | { readonly type: string; readonly text: string };
};

const lines = readFileSync(new URL('../../fixtures/agent/configdrive.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const recorded = lines.map((line) => JSON.parse(line) as Recorded);

const node = '11111111-2222-4333-8444-555555555555';

const outcomeOf = (given: Given): Recorded['outcome'] => {
  try {
    const image = decodeConfigdrive(given, node);
    return { size: image.length, sha256: createHash('sha256').update(image).digest('hex') };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { type: error.name, text: error.message };
  }
};

describe('the simulated agent makes of a configdrive what the real one was seen to make', () => {
  it('of many kinds of input', () => {
    const texts = recorded.map(({ outcome }) => ('text' in outcome ? outcome.text : 'written'));
    for (const words of [
      'written',
      'Incorrect padding',
      'cannot be 1 more',
      'ASCII',
      'Not a gzipped',
      'CRC',
      'ended',
    ]) {
      expect(texts.some((text) => text.includes(words))).toBe(true);
    }
    const own = recorded.filter(({ what }) => what.startsWith('a drive of ours as it is, '));
    expect(own.filter(({ outcome }) => 'text' in outcome).length).toBeGreaterThan(5);
  });

  it.each(recorded)('$what, by $by', ({ by, input, outcome }) => {
    const bytes = gunzipSync(Buffer.from(input, 'base64'));
    expect(outcomeOf(by === 'url' ? { bytes } : { text: bytes.toString() })).toEqual(outcome);
  });
});

describe('a configdrive larger than 64 MiB is refused in the words of the real agent', () => {
  const large = Buffer.alloc(64 * 2 ** 20 + 1);

  it.each([
    ['packed', { text: gzipSync(large).toString('base64') }],
    // One letter of base64 too many, so it is no text.
    ['as it is', { bytes: Buffer.concat([large, Buffer.from('A')]) }],
  ])('%s', (_form, given) => {
    expect(() => readConfigdrive(given, node)).toThrow(
      `Config drive size exceeds maximum limit of 64MiB. Size of the given config drive is 65 MiB for node ${node}.`,
    );
  });

  it('64 MiB are not', () => {
    const image = Buffer.alloc(64 * 2 ** 20);
    expect(readConfigdrive({ text: gzipSync(image).toString('base64') }, node).size).toBe(image.length);
  });
});
