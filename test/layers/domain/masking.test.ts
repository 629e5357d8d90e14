import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hardwareTypes } from '../../../layers/domain/hardware-types.ts';
import {
  hasMask,
  isSecretName,
  maskField,
  maskRecord,
  maskSecrets,
  unmaskField,
} from '../../../layers/domain/masking.ts';
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

/** What oslo.utils masks (strutils, `_SANITIZE_KEYS`), as it writes it, and what people write besides. */
const oslo = `adminPass admin_pass password admin_password auth_token new_pass auth_password secret_uuid secret sys_pswd
  token configdrive CHAPPASSWORD encrypted_key private_key fernetkey sslkey passphrase cephclusterfsid
  octaviaheartbeatkey rabbitcookie cephmanilaclientkey pacemakerremoteauthkey designaterndckey cephadminkey
  heatauthencryptionkey cephclientkey keystonecredential barbicansimplecryptokek cephrgwkey swifthashsuffix
  migrationsshkey cephmdskey cephmonkey`;
const others =
  'api_key apiKey x-api-key access_key credential credentials db_pwd pwd vnc_pass pass snmp_community priv_key';

it.each([...oslo.split(/\s+/), ...others.split(' ')])('takes %s for the name of a secret', (name) => {
  for (const each of [name, name.toUpperCase(), `ipmi_${name}`])
    expect([each, isSecretName(each)]).toEqual([each, true]);
});

it('takes no name for one that clients, drivers and agents use for other things', () => {
  const used = [
    ...Object.keys(node),
    ...Object.values(hardwareTypes).flatMap(({ properties }) => Object.keys(properties)),
  ];
  const plain =
    'bypass compass passthru redfish_auth_type public_key key keys kernel_append_params capabilities root_device';
  const secret = used.filter((name) => isSecretName(name));
  expect(secret).toEqual(secret.filter((name) => /password/.test(name)));
  expect(plain.split(' ').filter((name) => isSecretName(name))).toEqual([]);
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

describe('the user and password of a URL', () => {
  const stored = {
    image_source: 'https://isouser:p@ss@images.test:8443/a.img?x=1#f',
    kernel: 'see http://u@h/ and https://plain.test/@x',
  };
  const shown = {
    image_source: 'https://******@images.test:8443/a.img?x=1#f',
    kernel: 'see http://******@h/ and https://plain.test/@x',
  };

  it('are not shown at any depth, and come back as they are', () => {
    expect(maskSecrets([{ deep: stored }])).toEqual([{ deep: shown }]);
    expect(unmaskField(true, { deep: [shown] }, { deep: [stored] })).toEqual({ deep: [stored] });
  });

  it('are not kept for another host or path, where the mask stands for nothing', () => {
    const other = { image_source: 'https://******@evil.test/a.img' };
    const back = unmaskField(true, other, stored);
    expect([back, hasMask(true, back), hasMask(true, stored)]).toEqual([other, true, false]);
  });
});
