import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { evaluate, type Json, type Visible } from '../../../local/states/expression.ts';
import { references } from '../../../local/states/references.ts';

const sees = (input: Json = {}, variables: Visible['variables'] = {}): Visible => ({
  states: { input },
  variables,
  now: 0,
  chance: { number: () => 0, uuid: () => 'uuid', token: () => 'token' },
});
const isPlain = (text: string) => !text.startsWith('{%');
const plain = fc.jsonValue().filter((value) => JSON.stringify(value).split('"').every(isPlain)) as fc.Arbitrary<Json>;
const asStored = (value: Json) => JSON.parse(JSON.stringify(value)) as Json;

describe('evaluate', () => {
  it('leaves a template without expressions as it is', async () => {
    await fc.assert(
      fc.asyncProperty(plain, async (template) => {
        expect(await evaluate(template, sees())).toEqual(template);
      }),
    );
  });

  it('gives what it is given: the input comes through unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(plain, async (value) => {
        const given = asStored({ value });
        expect(await evaluate('{% $states.input %}', sees(given))).toEqual(given);
        expect(given).toEqual(asStored({ value }));
      }),
    );
  });

  it('has no input but $states: a path without a variable finds nothing', async () => {
    await expect(evaluate('{% node %}', sees({ node: 1 }))).rejects.toMatchObject({
      name: 'States.QueryEvaluationError',
    });
  });

  it('tells the failing expression', async () => {
    await expect(evaluate({ a: ['{% $error("no") %}'] }, sees())).rejects.toThrow(
      /'\{% \$error\("no"\) %\}' failed: no/,
    );
  });

  it('ends an expression that never would', async () => {
    const forever = '{% ($f := function($n) { 1 + $f($n + 1) }; $f(0)) %}';
    await expect(evaluate(forever, sees())).rejects.toMatchObject({ name: 'States.QueryEvaluationError' });
  });

  it.each([
    ['{% $random(1) %}', /seed/],
    ['{% $range(0, 5000, 1) %}', /1000/],
    ["{% $hash('a', 'CRC') %}", /MD5/],
    ["{% $eval('1') %}", /does not exist/],
  ])('refuses %s', async (text, why) => {
    await expect(evaluate(text, sees())).rejects.toThrow(why);
  });
});

describe('references', () => {
  it.each([
    ['{% $states.input.a & $x %}', { fields: ['input'], variables: ['x'], unknownFunctions: [] }],
    ['{% $count($x[$y > 1]) %}', { fields: [], variables: ['x', 'y'], unknownFunctions: [] }],
    ['{% ($z := 1; $z) %}', { fields: [], variables: [], unknownFunctions: [] }],
    ['{% $map([1], function($v) { $v }) %}', { fields: [], variables: [], unknownFunctions: [] }],
    ['{% $lenght("x") %}', { fields: [], variables: [], unknownFunctions: ['lenght'] }],
    ['{% $uuid() & $hash("a", "MD5") %}', { fields: [], variables: [], unknownFunctions: [] }],
    ['{% [1].($ + 1) %}', { fields: [], variables: [], unknownFunctions: [] }],
    ['{% a.b ?? (c ? d : e) & -$f ?: 1 %}', { newerOperators: ['??', '?:'], variables: ['f'] }],
    ['{% $random(2) %}', { seedsChance: true, unknownFunctions: [] }],
    ['{% $random() & "??" %}', { seedsChance: false, newerOperators: [] }],
  ])('of %s', async (text, found) => {
    expect(await references(text)).toMatchObject(found);
  });
});
