/** The conditions of inspection rules (ironic-api.md 9). */
import { describe, expect, it } from 'vitest';

import { applies } from './inspected.ts';

const cpus = '{inventory[cpu][count]}';
const vendor = '{inventory[system_vendor][manufacturer]}';

describe('a condition', () => {
  it.each([
    ['eq', { values: ['{node.name}', 'n1'] }, true],
    ['eq', { values: [cpus, 16] }, true],
    ['eq', { values: [cpus, '16'] }, true],
    ['eq', { values: [1, '1.0'], force_strings: true }, false],
    [
      'eq',
      {
        values: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      },
      true,
    ],
    ['eq', { values: [1] }, true],
    ['eq', ['{node.name}', 'n1', 'n2'], false],
    ['eq', [['{node.name}', 'n1']], true],
    ['lt', { values: [4, cpus, '100'] }, true],
    ['lt', { values: [16, cpus] }, false],
    ['gt', { values: [cpus, 8] }, true],
    ['gt', { values: ['b', 'a'] }, true],
    ['gt', { values: [cpus, 8], force_strings: true }, false],
    ['is-empty', { value: '' }, true],
    ['is-empty', { value: [] }, true],
    ['is-empty', { value: {} }, true],
    ['is-empty', { value: '{inventory[boot][pxe_interface]}' }, true],
    ['is-empty', { value: cpus }, false],
    ['is-empty', { value: 0 }, false],
    ['in-net', { address: '{inventory[bmc_address]}', subnet: '10.1.0.0/16' }, true],
    ['in-net', { address: '{inventory[bmc_address]}', subnet: '10.2.0.0/16' }, false],
    ['in-net', { address: '{inventory[bmc_v6address]}', subnet: '10.1.0.0/16' }, false],
    ['in-net', ['fd00::7', 'fd00::/8'], true],
    ['in-net', ['::ffff:10.0.0.1', '10.0.0.0/8'], false],
    ['in-net', ['10.1.0.7', '10.1.0.7'], true],
    ['in-net', ['10.1.0.7', '0.0.0.0/0'], true],
    ['matches', { value: vendor, regex: 'Dell' }, false],
    ['matches', { value: vendor, regex: 'Dell.*' }, true],
    ['matches', { value: vendor, regex: 'x|Dell.*' }, true],
    ['contains', { value: vendor, regex: '(?i)dell' }, true],
    ['contains', { value: vendor, regex: 'dell' }, false],
    ['contains', { value: '{inventory[system_vendor][serial_number]}', regex: '^[A-Z]{3}(?P<n>[0-9]{3})$' }, true],
    ['one-of', { value: vendor, values: ['HPE', 'Dell Inc.'] }, true],
    ['one-of', { value: cpus, values: [8, 16] }, true],
    ['one-of', { value: vendor, values: [] }, false],
    ['is-none', { value: null }, true],
    ['is-none', { value: '{inventory[boot][pxe_interface]}' }, true],
    ['is-none', { value: '{inventory[nothing][of][it]}' }, true],
    ['is-none', { value: vendor }, false],
    ['is-true', { value: '{node.maintenance}' }, false],
    ['is-true', { value: 'Yes' }, true],
    ['is-true', { value: 2 }, true],
    ['is-true', { value: '1' }, false],
    ['is-false', { value: '{node.maintenance}' }, true],
    ['is-false', { value: '{plugin_data[auto_discovered]}' }, true],
    ['is-false', { value: null }, true],
    ['is-false', { value: 0 }, true],
    ['is-false', { value: 'maybe' }, false],
  ])('%s of %j is %s, and with ! the opposite', (op, args, expected) => {
    expect(applies({ op, args })).toBe(expected);
    expect(applies({ op: `!${op}`, args })).toBe(!expected);
    expect(applies({ op: `! ${op}`, args })).toBe(!expected);
  });

  it('holds with all others, or the rule does not apply', () => {
    const [yes, no] = [
      { op: 'is-true', args: [true] },
      { op: 'is-true', args: [false] },
    ];
    expect([applies(), applies(yes, yes), applies(yes, no)]).toEqual([true, true, false]);
  });

  it.each([
    ['any', ['HPE', 'Dell Inc.'], true],
    ['any', ['HPE', 'Cisco'], false],
    ['first', ['HPE', 'Dell Inc.'], true],
    ['last', ['Dell Inc.', 'HPE'], false],
    ['last', ['HPE', 'Dell Inc.'], true],
    ['all', ['Dell Inc.', 'HPE'], false],
    ['all', ['Dell Inc.', vendor], true],
    [undefined, ['HPE', 'Dell Inc.'], true],
  ])('with a loop holds for %s of the items %j: %s', (multiple, loop, expected) => {
    expect(applies({ op: 'eq', args: { values: [vendor, '{item}'] }, loop, multiple })).toBe(expected);
  });

  it('with a loop of one object sees its parts', () => {
    const loop = { want: 16 };
    expect(applies({ op: 'eq', args: { values: [cpus, '{item[want]}'] }, loop })).toBe(true);
  });

  it('sees secrets as the mask', () => {
    expect(applies({ op: 'eq', args: { values: ['{inventory[credentials][password]}', '******'] } })).toBe(true);
    expect(applies({ op: 'contains', args: { value: '{inventory}', regex: 'hunter2' } })).toBe(false);
  });

  it('finds nothing in no time in what goes back on itself elsewhere', () => {
    // JavaScript's own engine would not be done within the age of the universe.
    const value = `{inventory[bmc_address]}${'a'.repeat(60_000)}`;
    expect(applies({ op: 'contains', args: { value, regex: '(a+)+(a|aa)*b' } })).toBe(false);
    expect(applies({ op: 'matches', args: { value, regex: '(.*)*(.*a)+b' } })).toBe(false);
  });

  it.each([
    [{ op: 'contains', args: ['a'.repeat(60_000), `(${'[^x]?'.repeat(300)})y`] }, 'takes more than 5000000 steps'],
    [{ op: 'lt', args: { values: [1, 'x'] } }, 'no order'],
    [{ op: 'lt', args: { values: '{node.name}' } }, 'values'],
    [{ op: 'in-net', args: ['10.1.0.700', '10.0.0.0/8'] }, '10.1.0.700'],
    [{ op: 'in-net', args: ['10.1.0.7', '10.0.0.0/33'] }, '10.0.0.0/33'],
    [{ op: 'in-net', args: ['10.1.0.7', '{node.name}'] }, 'n1'],
    [{ op: 'matches', args: ['x', '{node.name}('] }, 'regular expression'],
  ])('that can not be answered fails the inspection: %j', (condition, why) => {
    expect(() => applies(condition)).toThrow(expect.objectContaining({ name: 'InspectionRuleFailed' }));
    expect(() => applies(condition)).toThrow(why);
    expect(() => applies(condition)).toThrow(`condition 1 (${condition.op})`);
  });
});
