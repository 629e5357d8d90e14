import { expect, it } from 'vitest';

import { calledApisIn, environmentOf, readSettings } from '../../local/environment.ts';

it('asks for no password and lets the proxy reach this machine only if all machines are simulated', () => {
  expect(readSettings({}, false)).toMatchObject({
    auth_strategy: 'http_basic',
    bmc_networks: '',
    poll_interval_ms: '1000',
  });
  expect(readSettings({}, true)).toMatchObject({
    auth_strategy: 'noauth',
    bmc_networks: expect.stringContaining('127.0.0.0/8') as string,
  });
  expect(readSettings({ INGOT_AUTH_STRATEGY: 'noauth' }, false).auth_strategy).toBe('noauth');
});

it('looks at the power of machines as often as Ironic, which costs nothing here', () => {
  expect(readSettings({}, false).sync_power_state_interval).toBe('120');
  expect(readSettings({ INGOT_SYNC_POWER_STATE_INTERVAL: '0' }, true).sync_power_state_interval).toBe('0');
});

it('takes a variable before all else', () => {
  const variables = { INGOT_AUTH_STRATEGY: 'http_basic', INGOT_BMC_NETWORKS: '10.1.0.0/16' };
  expect(readSettings(variables, true)).toMatchObject({ auth_strategy: 'http_basic', bmc_networks: '10.1.0.0/16' });
});

it('gives a function the settings, its own variables, and nothing else', () => {
  const variables = { INGOT_HTPASSWD: 'ann:hash', PATH: '/bin', AWS_SECRET_ACCESS_KEY: 'x' };
  const settings = readSettings(variables, false);
  expect(environmentOf('authorizer', settings, variables)).toMatchObject({
    INGOT_HTPASSWD: 'ann:hash',
    INGOT_AUTH_STRATEGY: 'http_basic',
    INGOT_LOOPBACK: 'true',
    INGOT_SERVICE_USER: '',
  });
  expect(environmentOf('authorizer', settings, variables, 'line')).toMatchObject({ INGOT_SERVICE_USER: 'line' });
  const api = Object.keys(environmentOf('baremetal-api', settings, variables));
  expect(api.filter((name) => !name.startsWith('INGOT_') || name === 'INGOT_HTPASSWD')).toEqual([]);
  expect(api).not.toContain('INGOT_LOOPBACK');
  expect(api).not.toContain('INGOT_SERVICE_USER');
});

it('calls its own Bare Metal API as its own user, its own Image API by the function, and those of others with what the operator says', () => {
  const urls = { baremetal: 'http://127.0.0.1:1', image: 'http://127.0.0.1:1/image' };
  const own = (variables: Record<string, string>) =>
    calledApisIn(readSettings(variables, false), urls, '/keys/service');
  expect(own({})).toEqual({
    baremetal: { endpoint: urls.baremetal, credentials: '/keys/service' },
    image: { endpoint: '', credentials: '' },
  });
  const ironic = 'https://ironic.example';
  const glance = 'https://glance.example';
  const others = { INGOT_BAREMETAL_ENDPOINT: ironic, INGOT_IMAGE_ENDPOINT: glance };
  expect(own(others)).toEqual({
    baremetal: { endpoint: ironic, credentials: '' },
    image: { endpoint: glance, credentials: '' },
  });
  expect(own({ INGOT_BAREMETAL_ENDPOINT: ironic, INGOT_BAREMETAL_CREDENTIALS: '/etc/ironic' }).baremetal).toEqual({
    endpoint: ironic,
    credentials: '/etc/ironic',
  });
});
