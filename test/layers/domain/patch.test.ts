import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Fault } from '../../../layers/domain/fault.ts';
import { node as nodeFields } from '../../../layers/domain/node.ts';
import { applyPatch, readPatch, type PatchBody } from '../../../layers/domain/patch.ts';

const apply = (record: object, body: PatchBody) => applyPatch(record, readPatch(body, 115), nodeFields);

const key = fc.stringMatching(/^[a-z0-9_]{1,8}$/).filter((name) => name !== '__proto__');
const value = fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.parse(JSON.stringify(json)) as unknown);
const object = fc.dictionary(key, value, { maxKeys: 5 });
const record = fc.record({ extra: object, list: fc.array(value, { maxLength: 5 }), name: fc.string() });

/** Any patch at all, most of them wrong somewhere. */
const anyPath = fc.array(fc.oneof(key, fc.nat(6).map(String), fc.constant('-')), { minLength: 1, maxLength: 3 });
const anyStep = fc.record(
  {
    op: fc.constantFrom('add', 'replace', 'remove'),
    path: fc
      .tuple(fc.constantFrom('extra', 'list', 'name'), anyPath)
      .map(([root, rest]) => `/${[root, ...rest].join('/')}`),
    value,
  },
  { requiredKeys: ['op', 'path', 'value'] },
);

type Attempt = { readonly changed: Record<string, unknown>; readonly refused?: string };

const attempt = (work: () => Record<string, unknown>): Attempt => {
  try {
    return { changed: work() };
  } catch (error) {
    const { code, message } = error as Fault;
    return { changed: {}, refused: `${code} ${message}` };
  }
};

describe('a JSON patch', () => {
  it('never changes the record it is applied to, and either works or refuses with 400', () => {
    fc.assert(
      fc.property(record, fc.array(anyStep, { maxLength: 6 }), (before, steps) => {
        const copy = structuredClone(before);
        const result = attempt(() => apply(before, steps));
        expect(Object.keys(result.changed).every((name) => ['extra', 'list', 'name'].includes(name))).toBe(true);
        expect(result.refused ?? "400 Couldn't apply").toMatch(/^400 Couldn't apply/);
        expect(before).toEqual(copy);
      }),
    );
  });

  it('that adds a key and removes it again leaves the object as it was', () => {
    fc.assert(
      fc.property(record, key, value, (before, name, added) => {
        fc.pre(!Object.hasOwn(before.extra, name));
        const path = `/extra/${name}`;
        expect(apply(before, [{ op: 'add', path, value: added }])['extra']).toEqual({ ...before.extra, [name]: added });
        const both: PatchBody = [
          { op: 'add', path, value: added },
          { op: 'remove', path },
        ];
        expect(apply(before, both)['extra']).toEqual(before.extra);
      }),
    );
  });

  it('inserts into lists and removes from them like an array does', () => {
    fc.assert(
      fc.property(record, fc.nat(5), value, (before, at, added) => {
        fc.pre(at <= before.list.length);
        const path = `/list/${at}`;
        expect(apply(before, [{ op: 'add', path, value: added }])['list']).toEqual(before.list.toSpliced(at, 0, added));
        fc.pre(at < before.list.length);
        expect(apply(before, [{ op: 'remove', path }])['list']).toEqual(before.list.toSpliced(at, 1));
        expect(apply(before, [{ op: 'replace', path, value: added }])['list']).toEqual(before.list.with(at, added));
      }),
    );
  });

  it('applied in two parts is the same as applied at once', () => {
    fc.assert(
      fc.property(record, fc.array(anyStep, { maxLength: 4 }), fc.array(anyStep, { maxLength: 4 }), (before, a, b) => {
        const parts = attempt(() => {
          const half = { ...before, ...apply(before, a) };
          return { ...half, ...apply(half, b) };
        });
        const whole = attempt(() => ({ ...before, ...apply(before, [...a, ...b]) }));
        expect(whole).toEqual(parts);
      }),
    );
  });

  it('does not share what it was given', () => {
    const given = { deep: { x: 1 } };
    const changed = apply({ extra: {} }, [
      { op: 'add', path: '/extra', value: given },
      { op: 'add', path: '/extra/deep/x', value: 2 },
    ]);
    expect([given, changed['extra']]).toEqual([{ deep: { x: 1 } }, { deep: { x: 2 } }]);
  });

  it('leaves a removed field null and may set it again', () => {
    expect(apply({ name: 'a' }, [{ op: 'remove', path: '/name' }])).toEqual({ name: null });
    const both: PatchBody = [
      { op: 'remove', path: '/extra' },
      { op: 'add', path: '/extra', value: { a: 1 } },
    ];
    expect(apply({ extra: { b: 1 } }, both)).toEqual({ extra: { a: 1 } });
  });

  it.each(['', '/', '//a', '/a//b', '/a/', 'a', '/a.b', '/a b', '/extra/__proto__/x', '/~0', '/a~1b'])(
    'refuses the path "%s" at 1.97',
    (path) => {
      expect(() => readPatch([{ op: 'remove', path }], 97)).toThrow(expect.objectContaining({ code: 400 }) as Error);
    },
  );

  it.each(['/~', '/a~2', '/a.b', '/a~'])('refuses the path "%s" at 1.98 too', (path) => {
    expect(() => readPatch([{ op: 'remove', path }], 98)).toThrow(expect.objectContaining({ code: 400 }) as Error);
  });
});
