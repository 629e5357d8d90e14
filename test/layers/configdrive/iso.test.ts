import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { buildIso } from '../../../layers/configdrive/iso.ts';
import { readVolume } from './iso-reader.ts';

const file = (path: string, text: string) => ({ path, data: new TextEncoder().encode(text) });

describe('an ISO image', () => {
  it('has the label in both descriptors, as blkid and cloud-init read it', () => {
    const image = buildIso({ label: 'config-2', files: [file('a', '1')] });
    expect(Buffer.from(image).toString('latin1', 0x8001, 0x8006)).toBe('CD001');
    expect(readVolume(image, 1).label).toBe('config-2');
    expect(readVolume(image, 2).label).toBe('config-2');
  });

  it('announces Joliet level 3 and Rock Ridge', () => {
    const image = Buffer.from(buildIso({ label: 'config-2', files: [file('a', '1')] }));
    expect(image.toString('latin1', 17 * 2048 + 88, 17 * 2048 + 91)).toBe('%/E');
    expect(image.includes('RRIP_1991A')).toBe(true);
    expect(image.includes(Buffer.from('SP\u0007\u0001\u00be\u00ef', 'latin1'))).toBe(true);
  });

  it('gives the same bytes for the same input', () => {
    const files = [file('openstack/latest/user_data', 'x')];
    expect(buildIso({ label: 'config-2', files })).toEqual(buildIso({ label: 'config-2', files }));
  });

  it('stores equal contents once', () => {
    const text = 'y'.repeat(100_000);
    const one = buildIso({ label: 'l', files: [file('a', text)] });
    const two = buildIso({ label: 'l', files: [file('a', text), file('b', text)] });
    expect(two.length).toBe(one.length);
  });

  it('refuses a path that is not relative, and the same path twice', () => {
    expect(() => buildIso({ label: 'l', files: [file('/a', '')] })).toThrow('not a relative path');
    expect(() => buildIso({ label: 'l', files: [file('a', ''), file('a', '')] })).toThrow('there twice');
  });

  it('keeps every file and directory readable by both names', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,40}$/);
    const tree = fc.dictionary(
      fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/')),
      fc.string({ maxLength: 5000 }),
      { maxKeys: 60 },
    );
    fc.assert(
      fc.property(tree, (wanted) => {
        const paths = Object.keys(wanted);
        fc.pre(paths.every((path) => !paths.some((other) => other.startsWith(`${path}/`))));
        const image = buildIso({ label: 'l', files: paths.map((path) => file(path, wanted[path]!)) });
        const expected = Object.fromEntries(paths.map((path) => [path, Buffer.from(wanted[path]!).toString('latin1')]));
        expect(readVolume(image, 1).files).toEqual(expected);
        expect(readVolume(image, 2).files).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});
