/** The protocol of the Compute API (compute-api.md 1, 2). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { MAX, MIN } from '../../../../layers/domain/compute/versions.ts';
import type { Fault } from '../../../../layers/domain/fault.ts';
import type { Refusal } from '../../../../layers/http/protocol.ts';
import { nova } from '../../../../layers/http/protocols/nova.ts';
import type { HttpRequest } from '../../../../layers/http/request.ts';

const { negotiate, refuseNewer } = nova.versions!;
const outcome = (headers: Record<string, string>): number | string => {
  try {
    return negotiate(headers);
  } catch (error) {
    return `${(error as Fault).code}`;
  }
};
const standard = (value: string) => outcome({ 'openstack-api-version': value });
const legacy = (value: string) => outcome({ 'x-openstack-nova-api-version': value });

describe('the version', () => {
  it('is that of either header, and 406 out of the range', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.nat(3), (minor, major) => {
        const expected = major === 2 && minor >= MIN && minor <= MAX ? minor : '406';
        expect([legacy(`${major}.${minor}`), standard(`compute ${major}.${minor}`)]).toEqual([expected, expected]);
      }),
    );
  });

  it('is 2.1 without a header, and the newest for latest', () => {
    expect([outcome({}), standard('compute latest'), legacy('latest')]).toEqual([1, MAX, MAX]);
  });

  it('is that of the standard header when both are there, unless that is about other services', () => {
    const both = (value: string) => outcome({ 'openstack-api-version': value, 'x-openstack-nova-api-version': '2.5' });
    expect([both('compute 2.60'), both('baremetal 1.80'), both('volume 3.0, compute 2.7')]).toEqual([60, 5, 7]);
  });

  it('is refused with 400 when it is none', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^\s*(\d+\.(0|[1-9]\d*)|latest)\s*$/i.test(text));
        expect(legacy(text)).toBe('400');
      }),
    );
    expect([standard('compute'), standard('compute 2.01')]).toEqual(['400', '400']);
  });

  it('is told in every answer with the id of the request, and that answers vary by it', () => {
    expect(nova.headers({ version: 37, request_id: 'req-1' })).toEqual({
      Vary: 'OpenStack-API-Version, X-OpenStack-Nova-API-Version',
      'OpenStack-API-Version': 'compute 2.37',
      'X-OpenStack-Nova-API-Version': '2.37',
      'x-openstack-request-id': 'req-1',
      'x-compute-request-id': 'req-1',
    });
    expect(Object.keys(nova.headers())).toEqual(['Vary']);
  });
});

describe('a name that a version does not have', () => {
  const table = { new: { since: 10 }, old: { until: 56 }, always: {} };

  it('is 400, like one that never was', () => {
    const told = (version: number, name: string): Fault | undefined => {
      try {
        refuseNewer(table, version, [name]);
        return undefined;
      } catch (error) {
        return error as Fault;
      }
    };
    const refused = (version: number) =>
      ['new', 'old', 'always', 'never'].filter((name) => told(version, name)?.code === 400);
    expect(told(9, 'new')?.message).toContain('API version 2.9 has none of that name');
    expect([refused(9), refused(10), refused(56), refused(57)]).toEqual([['new'], [], [], ['old']]);
  });

  it('is nobody’s business in a query until 2.75', () => {
    const { ignoresStrangers } = nova.versions!;
    expect([74, 75].map((version) => ignoresStrangers!(version))).toEqual([true, false]);
  });
});

describe('a refusal', () => {
  const body = (refusal: Partial<Refusal>): unknown =>
    JSON.parse(nova.refuse({ by: 'resource', name: 'Conflict', code: 409, message: 'taken', ...refusal }).text);

  it.each([
    [400, 'badRequest'],
    [403, 'forbidden'],
    [404, 'itemNotFound'],
    [405, 'badMethod'],
    [406, 'computeFault'],
    [409, 'conflictingRequest'],
    [413, 'overLimit'],
    [415, 'badMediaType'],
    [429, 'overLimit'],
    [500, 'computeFault'],
    [501, 'notImplemented'],
    [503, 'serviceUnavailable'],
  ])('with %i is called %s', (code, name) => {
    expect(body({ code })).toEqual({ [name]: { code, message: 'taken' } });
  });

  it('of a caller whom nobody knows is that of the middleware', () => {
    expect(body({ by: 'gateway', code: 401 })).toEqual({
      error: { code: 401, title: 'Unauthorized', message: 'taken' },
    });
    expect(body({ code: 401 })).toEqual({ unauthorized: { code: 401, message: 'taken' } });
  });
});

describe('a path', () => {
  const read = (path: string) =>
    nova.read!({ segments: path.split('/') } as unknown as HttpRequest, 1).segments.join('/');

  it('loses the id of a project, and nothing else', () => {
    const [hex, uuid] = ['0123456789abcdef0123456789abcdef', '2c1e5f60-1b5e-4f4c-9d2e-0a1b2c3d4e5f'];
    expect(read(`v2.1/${hex}/servers/1`)).toBe('v2.1/servers/1');
    expect(read(`v2.1/${uuid}/servers`)).toBe('v2.1/servers');
    for (const path of ['v2.1', `v2.1/${hex}`, 'v2.1/servers', `v2.1/servers/${uuid}`]) expect(read(path)).toBe(path);
  });
});
