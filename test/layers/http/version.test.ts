import fc from 'fast-check';
import { expect, it } from 'vitest';

import type { Fault } from '../../../layers/domain/fault.ts';
import { MAX, MIN } from '../../../layers/domain/versions.ts';
import { negotiate } from '../../../layers/http/version.ts';

const legacy = (value: string) => negotiate({ 'x-openstack-ironic-api-version': value });
const refused = expect.objectContaining({ code: 406 }) as Error;

const outcome = (read: () => number): number => {
  try {
    return read();
  } catch (error) {
    return (error as Fault).code;
  }
};

it('takes every version of the range in both headers and refuses every other number', () => {
  fc.assert(
    fc.property(fc.integer({ min: -5, max: 300 }), fc.nat(3), (minor, major) => {
      const text = `${major}.${minor}`;
      const expected = major === 1 && minor >= MIN && minor <= MAX ? minor : 406;
      expect(outcome(() => legacy(text))).toBe(expected);
      expect(outcome(() => negotiate({ 'openstack-api-version': `baremetal ${text}` }))).toBe(expected);
    }),
  );
});

it('answers any other text with 406', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^\s*(\d+\.\d+|latest)\s*$/i.test(text));
      expect(() => legacy(text)).toThrow(refused);
    }),
  );
});

it('refuses a standard header that names the service without a version', () => {
  expect(() => negotiate({ 'openstack-api-version': 'baremetal' })).toThrow(refused);
});
