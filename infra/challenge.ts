/** What a caller is told whom nobody knows: what to prove itself with, by the strategy (ironic-rbac.md 1). */
import type { Settings } from './settings.ts';

/** `header`: where the credentials are; `challenge`: the WWW-Authenticate header; the others are for the body. */
export type Challenge = {
  readonly header: 'Authorization' | 'X-Auth-Token';
  readonly challenge: string;
  readonly message: string;
  readonly title?: string;
};

/** The challenge of an API whose realm is this, under these settings. */
export const challengeOf = (
  { auth_strategy: strategy, keystone_auth_url: url }: Settings,
  realm: string,
): Challenge => {
  if (strategy === 'keystone') {
    const message = 'The request you have made requires authentication.';
    return { header: 'X-Auth-Token', challenge: `Keystone uri="${url}"`, message, title: 'Unauthorized' };
  }
  const scheme = strategy === 'oidc' ? 'Bearer' : 'Basic';
  return { header: 'Authorization', challenge: `${scheme} realm="${realm}"`, message: 'Authorization required' };
};
