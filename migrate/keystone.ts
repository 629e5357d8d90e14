/** Tokens of a Keystone for a name and a password: as many as a run lasts through. */
import { Fault, Invalid, Unavailable } from '../layers/domain/fault.ts';
import { isSafeUrl } from '../layers/domain/safe-url.ts';

export type Keystone = {
  /** As clients have it: `https://keystone.example/v3`. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Of user and project, by name. */
  readonly domain: string;
  /** Undefined: the whole system is what is asked for. */
  readonly project: string | undefined;
};

const patience = 60_000;

const bodyOf = ({ user, password, domain, project }: Keystone): object => {
  const within = { domain: { name: domain } };
  return {
    auth: {
      identity: { methods: ['password'], password: { user: { name: user, password, ...within } } },
      scope: project === undefined ? { system: { all: true } } : { project: { name: project, ...within } },
    },
  };
};

/**
 * Takes a token. Throws Invalid for a URL where the password could be read on its way, Unavailable (503) if nobody answers,
 * Fault AccessDenied (401) if it is refused.
 */
export const keystoneToken = async (keystone: Keystone): Promise<string> => {
  const base = keystone.url.replace(/\/+$/, '');
  if (!isSafeUrl(base))
    throw Invalid('Keystone has to be asked at an https URL: the password could be read on its way.');
  const ask = async () => {
    const answer = await fetch(`${base}/auth/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(bodyOf(keystone)),
      // The password would travel along.
      redirect: 'error',
      signal: AbortSignal.timeout(patience),
    });
    await answer.text();
    return { status: answer.status, token: answer.headers.get('X-Subject-Token') };
  };
  const { status, token } = await ask().catch((error: unknown) => {
    throw Unavailable(`Keystone does not answer at ${base}.`, error);
  });
  if (status === 201 && token !== null) return token;
  if (status >= 500 || status === 429) throw Unavailable(`Keystone answered with ${status}.`);
  throw new Fault('AccessDenied', 401, `Keystone gives ${keystone.user} no token: it answered with ${status}.`);
};
