/** clouds.yaml. That the real clients take it, test/wire shows. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { writeClouds } from '../../local/clouds-file.ts';
import { readSettings } from '../../local/environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-clouds-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'clouds.yaml');
const url = 'http://127.0.0.1:4321';
const urls = { baremetal: url, compute: `${url}/compute`, image: `${url}/image`, network: `${url}/network` };
const write = (variables: Record<string, string>) => writeClouds(file, urls, readSettings(variables, false));
const text = () => readFileSync(file, 'utf8');

it('names each API at its address, and nobody to log in as where nobody is asked', () => {
  expect(write({ INGOT_AUTH_STRATEGY: 'noauth' })).toBe(true);
  expect(text()).toBe(`# Ingot writes this anew at each start. To change it, copy it.
clouds:
  ingot:
    auth_type: none
    auth:
      endpoint: "${url}"
    identity_api_version: '3'
    compute_api_version: '2.90'
    baremetal_endpoint_override: "${url}"
    compute_endpoint_override: "${url}/compute/v2.1"
    image_endpoint_override: "${url}/image"
    network_endpoint_override: "${url}/network"
    identity_endpoint_override: "${url}"
`);
});

it('leaves user and password to who has them, and is for its owner alone', () => {
  writeFileSync(file, 'password: of somebody', { mode: 0o644 });
  expect(write({})).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(text()).toContain(`    auth_type: http_basic
    auth:
      endpoint: "${url}"
      # username: ...
      # password: ...
    identity_api_version`);
});

it('sends to Keystone who logs in there', () => {
  write({ INGOT_AUTH_STRATEGY: 'keystone', INGOT_KEYSTONE_AUTH_URL: 'https://id.example/v3' });
  expect(text()).not.toContain('identity_endpoint_override');
  expect(text()).toContain('auth_type: password\n    auth:\n      auth_url: "https://id.example/v3"\n');
});

it('is not there for a provider that the clients cannot ask, not even an old one', () => {
  expect(write({ INGOT_AUTH_STRATEGY: 'oidc' })).toBe(false);
  expect(existsSync(file)).toBe(false);
});
