import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Fault } from '../../../../layers/domain/fault.ts';
import { MAX, MIN } from '../../../../layers/domain/versions.ts';
import type { Refusal } from '../../../../layers/http/protocol.ts';
import { ironic } from '../../../../layers/http/protocols/ironic.ts';

const { negotiate } = ironic.versions!;
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

const bodyOf = (refusal: Partial<Refusal>): unknown =>
  JSON.parse(ironic.refuse({ by: 'resource', name: 'Conflict', code: 409, message: 'taken', ...refusal }).text);
const inner = (refusal: Partial<Refusal>): unknown =>
  JSON.parse((bodyOf(refusal) as { error_message: string }).error_message);

describe('a refusal', () => {
  it('has the words of the fault in the form of who refused', () => {
    expect(inner({})).toEqual({ faultcode: 'Client', faultstring: 'taken', debuginfo: null });
    expect(inner({ by: 'router' })).toEqual({ status: 409, code: 409, title: 'Conflict', description: 'taken' });
    expect(inner({ by: 'gateway', code: 502 })).toMatchObject({ faultcode: 'Server', faultstring: 'taken' });
  });

  it.each(['TooLarge', 'TooDeep'])('named %s is flat, whoever refused', (name) => {
    for (const by of ['gateway', 'router', 'resource'] as const) {
      expect(bodyOf({ by, name, code: 413 })).toEqual({ faultcode: 'Client', faultstring: 'taken' });
    }
  });

  it('of a caller is told by middleware, which is in front of any function', () => {
    expect(bodyOf({ by: 'gateway', code: 403 })).toEqual({ error: { message: 'taken', code: 403 } });
    const keystone = { by: 'gateway', code: 401, title: 'Unauthorized' } as const;
    expect(bodyOf(keystone)).toEqual({ error: { message: 'taken', code: 401, title: 'Unauthorized' } });
    expect(inner({ code: 403 })).toMatchObject({ faultstring: 'taken' });
  });
});

it('an answer that no function gave tells the range of versions, and no version', () => {
  expect(Object.keys(ironic.headers())).toEqual([
    'X-OpenStack-Ironic-API-Minimum-Version',
    'X-OpenStack-Ironic-API-Maximum-Version',
  ]);
});
