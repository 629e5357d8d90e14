/** What a caller is told whom nobody knows: what to prove itself with, by the strategy (ironic-rbac.md 1). */
import type { Settings } from './settings.ts';

/** `header`: where the credentials are; `challenge`: the WWW-Authenticate header; `error`: the body's. */
export type Challenge = {
  readonly header: 'Authorization' | 'X-Auth-Token';
  readonly challenge: string;
  readonly error: { readonly message: string; readonly code: 401; readonly title?: string };
};

const message = 'Authorization required';

/** The form of a 401 under these settings. */
export const challengeOf = ({ auth_strategy: strategy, keystone_auth_url: url }: Settings): Challenge => {
  if (strategy === 'keystone') {
    const error = { message: 'The request you have made requires authentication.', code: 401, title: 'Unauthorized' };
    return { header: 'X-Auth-Token', challenge: `Keystone uri="${url}"`, error: { ...error, code: 401 } };
  }
  const scheme = strategy === 'oidc' ? 'Bearer' : 'Basic';
  return { header: 'Authorization', challenge: `${scheme} realm="Baremetal API"`, error: { message, code: 401 } };
};
