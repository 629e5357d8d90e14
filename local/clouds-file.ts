/** clouds.yaml: how OpenStack's clients find the APIs of this installation (compute-api.md 9). */
import { rmSync, writeFileSync } from 'node:fs';

import type { Settings } from '../infra/settings.ts';

/** What OS_CLOUD has to say. */
export const cloudName = 'ingot';

/** Old clients that are still about refuse more than 2.92. */
const computeVersion = '2.90';

const placeholder = ['# username: ...', '# password: ...'];

/** `asks`: whether there is an identity service. Clients look for one all the same, so elsewhere it has an address. */
type Login = { readonly type: string; readonly auth: readonly string[]; readonly asks?: true };

/**
 * How a client logs in, by auth_strategy. Passwords are no matter of this file: the command line also takes OS_USERNAME and
 * OS_PASSWORD.
 */
const logins: Readonly<Record<string, (settings: Settings, endpoint: string) => Login>> = {
  noauth: (_settings, endpoint) => ({ type: 'none', auth: [`endpoint: ${JSON.stringify(endpoint)}`] }),
  http_basic: (_settings, endpoint) => ({
    type: 'http_basic',
    auth: [`endpoint: ${JSON.stringify(endpoint)}`, ...placeholder],
  }),
  keystone: ({ keystone_auth_url: url }) => ({
    type: 'password',
    auth: [
      `auth_url: ${JSON.stringify(url)}`,
      ...placeholder,
      '# project_name, user_domain_name, project_domain_name: ...',
    ],
    asks: true,
  }),
};

/** What stands behind the address of an API where clients look for its version. They and the manifest name it alike. */
const paths = { baremetal: '', compute: '/v2.1', image: '', network: '' } as const;

/** The text of the file; undefined if the clients have no way to prove who calls (oidc). */
const cloudsText = (urls: Readonly<Record<string, string>>, settings: Settings): string | undefined => {
  const root = urls['baremetal']!;
  const login = logins[settings.auth_strategy]?.(settings, root);
  if (!login) return undefined;
  const addresses = Object.entries(paths).map(([api, path]) => [api, `${urls[api]}${path}`]);
  const overrides = [...addresses, ...(login.asks ? [] : [['identity', root]])].map(
    ([service, address]) => `${service}_endpoint_override: ${JSON.stringify(address)}`,
  );
  return `# Ingot writes this anew at each start. To change it, copy it.
clouds:
  ${cloudName}:
    auth_type: ${login.type}
    auth:
${login.auth.map((line) => `      ${line}`).join('\n')}
    identity_api_version: '3'
    compute_api_version: '${computeVersion}'
${overrides.map((line) => `    ${line}`).join('\n')}
`;
};

/** Writes the file, for its owner only, in the place of an old one; answers whether there is one. */
export const writeClouds = (file: string, urls: Readonly<Record<string, string>>, settings: Settings): boolean => {
  rmSync(file, { force: true });
  const text = cloudsText(urls, settings);
  if (text !== undefined) writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  return text !== undefined;
};
