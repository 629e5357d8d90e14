/** What the newcomer is told to type. That it works, test/wire shows. */
import { expect, it } from 'vitest';

import { enrolCommands, nextCommands } from '../../../local/demo/next.ts';

const called = { url: 'http://127.0.0.1:1', strategy: 'noauth', clouds: '/tmp/a b/clouds.yaml' };

it('tells commands for the operator, and for a tenant what the demo left her', () => {
  const text = nextCommands(called, 'm0001');
  expect(text).toContain("export OS_CLIENT_CONFIG_FILE='/tmp/a b/clouds.yaml' OS_CLOUD=ingot");
  expect(text).toContain('openstack baremetal node undeploy m0001 --wait');
  expect(text).toContain('export OS_AUTH_TYPE=http_basic OS_USERNAME=ann OS_PASSWORD=blue');
  expect(text).toContain('openstack server create --image demo --flavor simulated --network private --key-name demo');
});

it('tells how the first machine is enrolled, and what servers are made of', () => {
  const text = enrolCommands({ ...called, strategy: 'http_basic' });
  expect(text).toContain('--resource-class bm.small');
  expect(text).toContain('--property resources:CUSTOM_BM_SMALL=1');
  expect(text).toContain('export OS_USERNAME=... OS_PASSWORD=...    # of a user of INGOT_USERS_FILE');
  expect(text).not.toContain('OS_USERNAME=ann');
});

it('tells nothing of tenants to who has no file for their clients', () => {
  const { url } = called;
  expect(nextCommands({ url, strategy: 'oidc' }, 'm0001')).not.toContain('tenant');
  expect(enrolCommands({ url, strategy: 'oidc' })).not.toContain('tenant');
});
