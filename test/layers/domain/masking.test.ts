import fc from 'fast-check';
import { expect, it } from 'vitest';

import { hasMask, maskField, maskRecord, maskSecrets, unmaskField } from '../../../layers/domain/masking.ts';
import { node } from '../../../layers/domain/node.ts';

it('masks what looks like a credential at any depth, and nothing else', () => {
  const value = { a: 1, redfish_password: 'x', deep: [{ Token: { x: 1 }, b: null }], snmp_auth_key: 'k' };
  expect(maskSecrets(value)).toEqual({
    a: 1,
    redfish_password: '******',
    deep: [{ Token: '******', b: null }],
    snmp_auth_key: '******',
  });
});

it('masks configdrive and image_url of instance_info, whatever they are', () => {
  const info = { configdrive: { meta_data: {} }, image_url: 'u', image_source: 's' };
  const shown = { configdrive: '******', image_url: '******', image_source: 's' };
  expect(maskField(node.instance_info.masked, info)).toEqual(shown);
  expect(maskRecord(node, { name: 'token', extra: { password: 'p' }, instance_info: info })).toEqual({
    name: 'token',
    extra: { password: 'p' },
    instance_info: shown,
  });
});

it('masks what the column lists in the value itself, and nothing of that name below it', () => {
  const value = { url: { a: 1 }, deep: { url: 'kept', token: 't' } };
  const masked = { url: '******', deep: { url: 'kept', token: '******' } };
  expect(maskField(['url'], value)).toEqual(masked);
  expect(maskField(['0'], ['kept', { token: 't' }])).toEqual(['kept', { token: '******' }]);
  expect(unmaskField(['url'], masked, value)).toEqual(value);
  expect([hasMask(['url'], masked), hasMask(['url'], { deep: { url: '******' } })]).toEqual([true, false]);
});

it('is undone by unmasking against what is stored, whatever that is', () => {
  const names = fc.constantFrom('password', 'a', 'b', 'auth_key', '0');
  const tree = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(names, tie('node')),
    ),
  })).node;
  fc.assert(
    fc.property(tree, (value) => {
      expect(unmaskField(true, maskSecrets(value), value)).toEqual(value);
    }),
  );
});

it('leaves what a client says anew', () => {
  const stored = { password: 'old', a: 1, deep: [{ token: 't' }] };
  expect(unmaskField(true, { password: 'new', a: '******', deep: '******' }, stored)).toEqual({
    password: 'new',
    a: '******',
    deep: '******',
  });
  expect(unmaskField(true, { token: '******' }, stored)).toEqual({ token: '******' });
  expect(unmaskField(true, { toString: '******' }, stored)).toEqual({ toString: '******' });
});

it('never shows a marked value, however deep it is under a secret name', () => {
  const names = fc.constantFrom('password', 'ipmi_password', 'SECRET', 'agent_secret_token', 'priv_key');
  const tree = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.integer(),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(names, fc.constant('MARKED')),
      fc.dictionary(fc.stringMatching(/^[a-f]{1,4}$/), tie('node')),
    ),
  })).node;
  fc.assert(
    fc.property(tree, (value) => {
      expect(JSON.stringify(maskSecrets(value))).not.toContain('MARKED');
    }),
  );
});
