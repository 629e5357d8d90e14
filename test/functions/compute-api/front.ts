/** The Compute API's front door for tests, on the platform in memory. */
import { create } from '../../../functions/compute-api/app.ts';
import { Config } from '../../../functions/compute-api/config.ts';
import { book } from '../../../functions/compute-api/openapi.ts';
import { routes } from '../../../functions/compute-api/routes.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { type Asking, askingOf } from '../../fakes/http.ts';
import { describedBy } from '../../fakes/described.ts';
import { environmentWith } from '../../fakes/settings.ts';

/** What the authorizer says of a user of a project. */
export const tenant = (user: string, project: string, roles = 'member') => ({ user, project, roles, scope: 'project' });

export const ann = tenant('ann', 'red');
export const bob = tenant('bob', 'blue');
/** The administrator of the whole system. */
export const root = { user: 'root', project: '', roles: 'admin', scope: 'system' };

/** `version`: N of 2.N, or another text for the header; null: no header. Who asks is ann, unless somebody else is named. */
export type Options = Asking & { readonly version?: number | string | null };

/** Answers in tests are what the OpenAPI document says. */
const described = describedBy(book, routes);

export const createFront = (env: Record<string, string> = {}, platform = createMemoryPlatform()) => {
  const ask = askingOf(create(platform, Config.parse(environmentWith(env))), '/compute');
  const request = async (line: string, { version = 96, headers = {}, subject = ann, ...rest }: Options = {}) => {
    const asked = typeof version === 'number' ? `2.${version}` : version;
    const answer = await ask(line, {
      ...rest,
      subject,
      headers: { ...(asked !== null && { 'OpenStack-API-Version': `compute ${asked}` }), ...headers },
    });
    if (typeof version === 'number') described(line, version, answer);
    return answer;
  };
  return { request, platform };
};
