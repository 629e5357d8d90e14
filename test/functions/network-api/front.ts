/** The Networking API's front door for tests, on the platform in memory. */
import { create } from '../../../functions/network-api/app.ts';
import { Config } from '../../../functions/network-api/config.ts';
import { book } from '../../../functions/network-api/openapi.ts';
import { routes } from '../../../functions/network-api/routes.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { type Answered, type Asking, askingOf } from '../../fakes/http.ts';
import { describedBy } from '../../fakes/described.ts';
import { environmentWith } from '../../fakes/settings.ts';

/** What the authorizer says of a user of a project. */
export const tenant = (user: string, project: string, roles = 'member') => ({ user, project, roles, scope: 'project' });

export const ann = tenant('ann', 'red');
/** Reads what ann's project has. */
export const ray = tenant('ray', 'red', 'reader');
export const bob = tenant('bob', 'blue');
/** The administrator of the whole system. */
export const root = { user: 'root', project: '', roles: 'admin', scope: 'system' };
/** The administrator by a token of some project. */
export const chief = tenant('chief', 'ops', 'admin');

/** Answers in tests are what the OpenAPI document says. */
const described = describedBy(book, routes);

/** Who asks is ann, unless somebody else is named. */
export const createFront = (platform = createMemoryPlatform()) => {
  const ask = askingOf(create(platform, Config.parse(environmentWith())), '/network');
  const request = async (line: string, { subject = ann, ...rest }: Asking = {}) => {
    const answer = await ask(line, { ...rest, subject });
    described(line, 1, answer);
    return answer;
  };

  /** Makes a record and answers it as it is shown. */
  const make = async (collection: string, values: object, subject: Asking['subject'] = ann) => {
    const name = collection.replace(/s$/, '');
    const { status, body, text } = await request(`POST /v2.0/${collection}`, { body: { [name]: values }, subject });
    if (status !== 201) throw new Error(`${status} ${text}`);
    // oxlint-disable-next-line typescript/no-unsafe-return -- tests read bodies of every shape
    return body[name];
  };
  return { request, make, platform };
};

/** What a refusal says, in short. */
export const refusal = ({ status, body }: Answered): [number, string] => [status, body.NeutronError?.type as string];

/** A network that has a subnet. */
export const withSubnet = async (
  { make }: Pick<ReturnType<typeof createFront>, 'make'>,
  { cidr = '10.0.0.0/24', network = {}, subnet = {}, subject = ann } = {},
) => {
  const { id: network_id } = await make('networks', { name: 'private', ...network }, subject);
  const values = { network_id, cidr, ip_version: cidr.includes(':') ? 6 : 4, ...subnet };
  const { id: subnet_id } = await make('subnets', values, subject);
  return { network_id: network_id as string, subnet_id: subnet_id as string };
};
