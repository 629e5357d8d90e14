/** The command line of backfill-instance-metadata. Secrets come from the environment or from files, never from it. */
import { parseArgs } from 'node:util';

import { Invalid } from '../../layers/domain/fault.ts';
import { credentialsOf, type Environment, textOf } from '../../migrate/credentials.ts';
import { type Credentials, parseJson } from '../../migrate/service.ts';

const options = {
  endpoint: { type: 'string' },
  auth: { type: 'string', default: 'none' },
  user: { type: 'string' },
  'password-file': { type: 'string' },
  'token-file': { type: 'string' },
  'auth-url': { type: 'string' },
  domain: { type: 'string' },
  project: { type: 'string' },
  compute: { type: 'string' },
  'compute-auth': { type: 'string', default: 'none' },
  'compute-user': { type: 'string' },
  'compute-password-file': { type: 'string' },
  'compute-token-file': { type: 'string' },
  'compute-auth-url': { type: 'string' },
  'compute-domain': { type: 'string' },
  'compute-project': { type: 'string' },
  servers: { type: 'string' },
  flavors: { type: 'string' },
  names: { type: 'string' },
  'set-lessee': { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  report: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

export const usage = `scripts/backfill-instance-metadata --endpoint URL (--compute URL | --servers FILE) [options]

Adds to instance_info of nodes with an instance who has it, what it is called, its flavor and its addresses, as a deploy
does by now. What is there stays as it is. Reads servers from Nova (GET only) or a file, and writes through the Bare Metal
API. A second run finds nothing to do.

  --endpoint URL              of the Bare Metal API, without /v1
  --auth none|basic|token|keystone
                              how to prove there who asks (none)
  --user NAME                 for basic and keystone; password: BACKFILL_PASSWORD or --password-file FILE
  --token-file FILE           for token; or BACKFILL_TOKEN
  --auth-url URL              for keystone, with --domain NAME (Default) and --project NAME (none: the system)
  --compute URL               of Nova's API, with its version, such as https://nova.example/v2.1
  --compute-auth ...          the same for it: --compute-user, BACKFILL_COMPUTE_PASSWORD or --compute-password-file,
                              BACKFILL_COMPUTE_TOKEN or --compute-token-file, --compute-auth-url and so on
  --servers FILE              instead of --compute: what GET /servers/detail answered
  --flavors FILE              what GET /flavors/detail answered; with --compute it is asked for
  --names FILE                {"users": {id: name}, "projects": {id: name}}: Nova tells IDs only
  --set-lessee                lease each node that has no lessee to the project of its instance, until undeploy
  --dry-run                   write nothing, only report
  --report FILE               where the report goes (JSON); default: standard output

Exit code 0: all that could be found is there. 1: some nodes failed, the report says which and why. 2: nothing was done.`;

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw Invalid(`${(error as Error).message.split(/\.(?:\s|$)/)[0]}. --help shows the usage.`, error);
  }
};

/** The JSON of a file. Throws Invalid, without a word of what is in it. */
const jsonOf = (path: string): unknown => {
  const value = parseJson(textOf(path));
  if (value === undefined) throw Invalid(`The file ${path} is no JSON.`);
  return value;
};

export type Asked = {
  readonly endpoint: string;
  readonly credentials: Credentials;
  readonly compute: { readonly endpoint: string; readonly credentials: Credentials } | undefined;
  readonly servers: unknown;
  readonly flavors: unknown;
  readonly names: unknown;
  readonly set_lessee: boolean;
  readonly dry_run: boolean;
  readonly report: string | undefined;
};

/** What is asked for; undefined: help. Throws Invalid (400). */
export const readOptions = (args: readonly string[], env: Environment): Asked | undefined => {
  const values = parse(args);
  if (values.help) return undefined;
  const { endpoint, compute, servers, flavors, names } = values;
  if (endpoint === undefined) throw Invalid('--endpoint says where the Bare Metal API is. --help shows the usage.');
  if ((compute === undefined) === (servers === undefined)) {
    throw Invalid('Either --compute or --servers says where servers are looked up.');
  }
  const read = (path: string | undefined) => (path === undefined ? undefined : jsonOf(path));
  return {
    endpoint,
    credentials: credentialsOf(values, '', 'BACKFILL', env),
    compute:
      compute === undefined
        ? undefined
        : { endpoint: compute, credentials: credentialsOf(values, 'compute-', 'BACKFILL_COMPUTE', env) },
    servers: read(servers),
    flavors: read(flavors),
    names: read(names) ?? {},
    set_lessee: values['set-lessee'],
    dry_run: values['dry-run'],
    report: values.report,
  };
};
