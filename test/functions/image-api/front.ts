/** The Image API's front door for tests, on the platform in memory. */
import { create } from '../../../functions/image-api/app.ts';
import { Config } from '../../../functions/image-api/config.ts';
import { book } from '../../../functions/image-api/openapi.ts';
import { routes } from '../../../functions/image-api/routes.ts';
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
export const service = { user: 'nova', project: '', roles: 'service', scope: 'system' };

/** Answers in tests are what the OpenAPI document says. */
const described = describedBy(book, routes);

/** Who asks is ann, unless somebody else is named. */
export const createFront = (env: Record<string, string> = {}, platform = createMemoryPlatform()) => {
  const serve = create(platform, Config.parse(environmentWith(env)));
  const ask = askingOf(serve, '/image');
  const request = async (line: string, { subject = ann, ...rest }: Asking = {}) => {
    const answer = await ask(line, { ...rest, subject });
    described(line, 1, answer);
    return answer;
  };
  /** An image of ann's; `given` are fields and properties. */
  const make = async (given: object = {}): Promise<string> => {
    const body = { name: 'debian', disk_format: 'qcow2', container_format: 'bare', ...given };
    return (await request('POST /v2/images', { body })).body.id as string;
  };
  /** As another function of ours calls it. */
  const app = async (event: object) => serve(event as never, { request_id: 'r', remaining_ms: () => 29_000 });
  return { request, make, platform, app };
};
