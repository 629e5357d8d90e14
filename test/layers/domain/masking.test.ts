import fc from 'fast-check';
import { expect, it } from 'vitest';

import { maskInstanceInfo, maskSecrets, unmaskSecrets } from '../../../layers/domain/masking.ts';

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
  expect(maskInstanceInfo({ configdrive: { meta_data: {} }, image_url: 'u', image_source: 's' })).toEqual({
    configdrive: '******',
    image_url: '******',
    image_source: 's',
  });
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
      expect(unmaskSecrets(maskSecrets(value), value)).toEqual(value);
    }),
  );
});

it('leaves what a client says anew', () => {
  const stored = { password: 'old', a: 1, deep: [{ token: 't' }] };
  expect(unmaskSecrets({ password: 'new', a: '******', deep: '******' }, stored)).toEqual({
    password: 'new',
    a: '******',
    deep: '******',
  });
  expect(unmaskSecrets({ token: '******' }, stored)).toEqual({ token: '******' });
  expect(unmaskSecrets({ toString: '******' }, stored)).toEqual({ toString: '******' });
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
