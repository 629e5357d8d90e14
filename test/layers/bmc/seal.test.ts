/** Whom a secret is sealed for. */
import { expect, it } from 'vitest';

import { openFor, sealFor } from '../../../layers/bmc/seal.ts';
import { createMemorySecrets } from '../../../layers/platform/memory/secrets.ts';

const secrets = createMemorySecrets();
const context = { node: '11111111-1111-4111-8111-111111111111', name: 'redfish_password' };
const info = { redfish_address: 'https://a', redfish_verify_ca: true, redfish_username: 'root', rack: 7 };

it.each([
  ['another address', { ...info, redfish_address: 'https://b' }],
  ['no check of the certificate', { ...info, redfish_verify_ca: false }],
  ['no address', {}],
])('a password of a BMC does not open with %s', async (_, after) => {
  const sealed = await sealFor(secrets, 'calvin', context, info);
  await expect(openFor(secrets, sealed, context, after)).rejects.toMatchObject({ name: 'Unsealable' });
  expect(await openFor(secrets, sealed, context, { ...info, redfish_username: 'admin', rack: 8 })).toBe('calvin');
});

it('the mark of who it is for can neither be taken off nor put on', async () => {
  const sealed = await sealFor(secrets, 'calvin', context, info);
  const bare = sealed.slice(sealed.indexOf('.') + 1);
  await expect(openFor(secrets, bare, context, info)).rejects.toMatchObject({ name: 'Unsealable' });
  const old = await secrets.seal('calvin', context);
  await expect(openFor(secrets, `for-one.${old}`, context, info)).rejects.toMatchObject({ name: 'Unsealable' });
});

it('what an earlier version sealed opens, and what goes to no BMC is for no address', async () => {
  expect(await openFor(secrets, await secrets.seal('calvin', context), context, info)).toBe('calvin');
  const token = { ...context, name: 'agent_secret_token' };
  expect(await openFor(secrets, await sealFor(secrets, 'token', token, info), token, {})).toBe('token');
});

it('a password for IPMI is for its own address', async () => {
  const ipmi = { ...context, name: 'ipmi_password' };
  const sealed = await sealFor(secrets, 'calvin', ipmi, { ipmi_address: '192.0.2.1' });
  expect(await openFor(secrets, sealed, ipmi, { ipmi_address: '192.0.2.1', redfish_address: 'x' })).toBe('calvin');
  await expect(openFor(secrets, sealed, ipmi, { ipmi_address: '192.0.2.2' })).rejects.toThrow('another recipient');
});
