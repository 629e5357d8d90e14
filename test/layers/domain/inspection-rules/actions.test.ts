/** The actions of inspection rules (ironic-api.md 9). */
import { describe, expect, it } from 'vitest';

import { evaluateRules } from '../../../../layers/domain/inspection-rules/evaluate.ts';
import { hostile } from '../../../fakes/hostile.ts';
import { aRule, effects, inspected, mac, portUuid } from './inspected.ts';

const set = (path: string, value: unknown) => ({ op: 'set-attribute', args: { path, value } });
const log = (msg: string, level?: string) => ({ op: 'log', args: { msg, ...(level && { level }) } });

describe('an action on the node', () => {
  it.each([
    ['/properties/rack/row', { properties: { cpus: 4, rack: { row: 'x' } } }],
    ['properties.rack.row', { properties: { cpus: 4, rack: { row: 'x' } } }],
    ['properties/cpus', { properties: { cpus: 'x' } }],
    ['resource_class', { resource_class: 'x' }],
    ['/driver_info/deploy_kernel', { driver_info: { redfish_address: 'https://bmc', deploy_kernel: 'x' } }],
  ])('sets %s', (path, expected) => {
    const node = { properties: { cpus: 4 }, driver_info: { redfish_address: 'https://bmc' } };
    expect(effects([set(path, 'x')], node).node).toEqual(expected);
  });

  it.each(['toString', 'hasOwnProperty', 'valueOf'])('takes %s for a name like any other', (name) => {
    const path = `extra/${name}`;
    expect(effects([set(`${path}/x`, 1)]).node.extra).toEqual({ [name]: { x: 1 } });
    expect(effects([{ op: 'extend-attribute', args: { path, value: 1 } }]).node.extra).toEqual({ [name]: [1] });
    expect(effects([{ op: 'del-attribute', args: { path: `${path}/x` } }]).node).toEqual({ extra: {} });
  });

  it.each(hostile.map((one) => [one]))('refuses a path that is no text: %j', (path) => {
    for (const op of ['set-attribute', 'set-plugin-data', 'unset-plugin-data']) {
      const args = { path, ...(op.startsWith('set') && { value: 1 }) };
      expect(() => effects([{ op, args }])).toThrow(/(an object|a list) is not a path, such as/);
    }
  });

  it('sets values with their fields replaced, as text, at any depth', () => {
    const value = { cpus: '{inventory[cpu][count]}', '{node.name}': ['{inventory[disks][0][name]}', 3] };
    expect(effects([set('/extra/hw', value)]).node.extra).toEqual({ hw: { cpus: '16', n1: ['/dev/sda', 3] } });
  });

  it('leaves texts that are no format as they are', () => {
    const actions = ['{', '{2}', '{"a": 1}', '{inventory!r}', '{item}'].map((text, at) => set(`/extra/k${at}`, text));
    expect(Object.values(effects(actions).node.extra ?? {})).toEqual([
      '{',
      '{2}',
      '{"a": 1}',
      '{inventory!r}',
      '{item}',
    ]);
    expect(effects([set('/extra/a', '{{{node.name}}}')]).node.extra).toEqual({ a: '{n1}' });
  });

  it('is skipped, and says so, when a field names nothing', () => {
    const made = effects([set('/extra/a', 'x{inventory[gpu][0]}'), set('/extra/b', 1)]);
    expect(made.node.extra).toEqual({ b: 1 });
    expect(made.log).toEqual([
      expect.stringMatching(/^warning: .*set-attribute was skipped.*\{inventory\[gpu\]\[0\]\}/),
    ]);
  });

  it('appends to lists', () => {
    const add = (value: unknown, unique?: boolean) => ({
      op: 'extend-attribute',
      args: { path: 'extra/tags', value, ...(unique !== undefined && { unique }) },
    });
    expect(effects([add('a'), add('a'), add('b')]).node.extra).toEqual({ tags: ['a', 'a', 'b'] });
    expect(effects([add('a'), add('a', true)]).node.extra).toEqual({ tags: ['a'] });
    expect(() => effects([add('a')], { extra: { tags: 'x' } })).toThrow('not a list');
  });

  it('removes, also what is not there', () => {
    const remove = (path: string) => ({ op: 'del-attribute', args: { path } });
    const node = { extra: { a: { b: 1, c: 2 } }, description: 'd' };
    expect(effects([remove('extra/a/b'), remove('extra/x/y'), remove('description')], node).node).toEqual({
      extra: { a: { c: 2 } },
      description: null,
    });
  });

  it('sets and removes capabilities among others', () => {
    const node = { properties: { capabilities: 'boot_mode:bios,raid:1' } };
    const actions = [
      { op: 'set-capability', args: { name: 'boot_mode', value: '{inventory[boot][current_boot_mode]}' } },
      { op: 'set-capability', args: ['cores', '{inventory[cpu][count]}'] },
      { op: 'unset-capability', args: { name: 'raid' } },
    ];
    expect(effects(actions, node).node.properties).toEqual({ capabilities: 'boot_mode:uefi,cores:16' });
  });

  it('adds and removes traits', () => {
    const node = { traits: ['CUSTOM_B', 'CUSTOM_OLD'] };
    const actions = [
      { op: 'add-trait', args: { name: 'CUSTOM_{inventory[system_vendor][serial_number]}' } },
      { op: 'add-trait', args: { name: 'CUSTOM_B' } },
      { op: 'remove-trait', args: { name: 'CUSTOM_OLD' } },
      { op: 'remove-trait', args: { name: 'CUSTOM_NEVER' } },
    ];
    expect(effects(actions, node).node).toEqual({ traits: ['CUSTOM_ABC123', 'CUSTOM_B'] });
    expect(() => effects([{ op: 'add-trait', args: ['small'] }])).toThrow('not a trait');
  });

  it.each([
    [set('{node.name}', 1), '/n1'],
    [set('/{inventory[cpu][architecture]}', 1), '/x86_64'],
    [set('/extra/{item}', 1), '"/extra/{item}"'],
    [set('/name', '11111111-1111-4111-8111-111111111111'), 'UUID'],
    [set('/name', 'states'), 'reserved'],
    [set('/resource_class', 5), 'resource_class'],
    [set('/properties', []), 'properties'],
    [set('/properties/capabilities', 'boot_mode:floppy'), 'boot_mode'],
    [set('/extra/a/b', 1), 'a is not an object'],
    [{ op: 'set-capability', args: ['a,b', 1] }, 'capability'],
    [{ op: 'set-capability', args: ['a', '1,b:2'] }, 'comma'],
    [log('x', 'loud'), 'loud'],
  ])('fails the inspection for what it can not do: %j', (action, why) => {
    const run = () => effects([log('fine'), action], { extra: { a: 1 } });
    expect(run).toThrow(expect.objectContaining({ name: 'InspectionRuleFailed' }));
    expect(run).toThrow(`action 2 (${action.op})`);
    expect(run).toThrow(why);
  });

  it('refuses a trait too many', () => {
    const traits = Array.from({ length: 50 }, (_, n) => `CUSTOM_${n}`);
    expect(() => effects([{ op: 'add-trait', args: ['CUSTOM_X'] }], { traits })).toThrow('at most 50');
  });
});

describe('an action on a port', () => {
  const on = (port: string, op: string, args: object) => ({ op, args: { port_id: port, ...args } });

  it.each([mac, mac.toUpperCase(), portUuid])('finds it by MAC address or UUID: %s', (ident) => {
    const actions = [
      on(ident, 'set-port-attribute', { path: 'pxe_enabled', value: 'no' }),
      on(ident, 'set-port-attribute', { path: '/extra/a', value: '{node.name}' }),
      on(ident, 'extend-port-attribute', { path: '/extra/list', value: 1 }),
      on(ident, 'del-port-attribute', { path: '/extra/a' }),
    ];
    expect(effects(actions).ports).toEqual([{ uuid: portUuid, pxe_enabled: false, extra: { list: [1] } }]);
  });

  it('fails the inspection for another port, and for a value that a port can not have', () => {
    expect(() => effects([on('52:54:00:00:00:99', 'del-port-attribute', { path: 'extra/a' })])).toThrow('no port');
    const bad = on(mac, 'set-port-attribute', { path: 'physical_network', value: 'x'.repeat(65) });
    expect(() => effects([bad])).toThrow('physical_network');
  });
});

describe('an action on the plugin data', () => {
  it('sets, appends and removes; later rules see it', () => {
    const first = aRule({
      actions: [
        { op: 'set-plugin-data', args: { path: 'a.b', value: 'v' } },
        { op: 'extend-plugin-data', args: { path: 'found.by', value: 'b' } },
        { op: 'extend-plugin-data', args: { path: 'found.by', value: 'b', unique: true } },
        { op: 'unset-plugin-data', args: { path: 'never.there' } },
      ],
    });
    const second = aRule({
      conditions: [{ op: 'eq', args: ['{plugin_data[a][b]}', 'v'] }],
      actions: [set('/extra/saw', '{plugin_data[found][by]}'), { op: 'unset-plugin-data', args: ['a/b'] }],
    });
    const made = evaluateRules([first, second], inspected());
    expect(made.plugin_data).toEqual({ a: {}, found: { by: ['a', 'b'] } });
    expect(made.node.extra).toEqual({ saw: "['a', 'b']" });
  });
});

describe('what is told', () => {
  it('is logged with its level', () => {
    expect(effects([log('{node.name} of {inventory[system_vendor][manufacturer]}'), log('hm', 'WARNING')]).log).toEqual(
      ['info: n1 of Dell Inc.', 'warning: hm'],
    );
  });

  it('ends the inspection with `fail`, with the words of the rule', () => {
    const run = () =>
      effects([{ op: 'fail', args: { msg: 'only {inventory[memory][physical_mb]} MB, no {inventory[gpu]}' } }]);
    expect(run).toThrow('only 8192 MB, no None');
    expect(run).toThrow(expect.objectContaining({ name: 'InspectionRuleFailed', code: 400 }));
  });

  it('has no secrets', () => {
    const made = effects([log('{inventory[credentials]} {inventory} {node.driver_info}')], {
      driver_info: { redfish_password: 'hunter2' },
    });
    expect(made.log[0]).toContain('******');
    expect(JSON.stringify(made)).not.toContain('hunter2');
  });

  it('by a sensitive rule is kept back', () => {
    const actions = [log('hush'), { op: 'set-attribute', args: { path: 'extra/{node.name}/a', value: 'hush' } }];
    const run = (node = {}) => evaluateRules([aRule({ sensitive: true, actions })], inspected(node));
    expect(run().node.extra).toEqual({ n1: { a: 'hush' } });
    expect(run().log.join()).not.toContain('hush');
    expect(() => run({ extra: { n1: 'hush' } })).toThrow(/action 2 \(set-attribute\): it is sensitive/);
  });
});

describe('a loop of actions', () => {
  it('acts once for each item, whose own fields are replaced first', () => {
    const loop = [
      { path: '/extra/vendor', value: '{inventory[system_vendor][manufacturer]}' },
      { path: '/extra/name', value: '{node.name}' },
    ];
    expect(effects([{ ...set('{item[path]}', '{item[value]}'), loop }]).node.extra).toEqual({
      vendor: 'Dell Inc.',
      name: 'n1',
    });
    const [one] = loop;
    expect(effects([{ ...set('{item[path]}', '{item[value]}'), loop: one }]).node.extra).toEqual({
      vendor: 'Dell Inc.',
    });
    expect(effects([{ ...set('/extra/x', 'once'), loop: [] }]).node.extra).toEqual({ x: 'once' });
  });
});
