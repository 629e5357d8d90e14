/** `npx ingot import nova-servers`: the servers of a Nova, of which the machines were moved in before. */
import { setTimeout as sleep } from 'node:timers/promises';

import { Invalid } from '../layers/domain/fault.ts';
import { credentialsOf, textOf } from '../migrate/credentials.ts';
import { type Moved, moveServers } from '../migrate/nova/move-servers.ts';
import { createServerTarget } from '../migrate/nova/server-target.ts';
import { type Servers, serversIn, serversOf } from '../migrate/nova/servers.ts';
import { openService, parseJson } from '../migrate/service.ts';
import { readOptions } from './arguments.ts';
import { type Command, plain, type World } from './command.ts';
import { createProgress } from './progress.ts';
import { privateFile } from './private-file.ts';
import { openCompute, targetOptions, targetUsageOf } from './target.ts';

const options = {
  servers: { type: 'string' },
  flavors: { type: 'string' },
  'source-auth': { type: 'string', default: 'none' },
  'source-user': { type: 'string' },
  'source-password-file': { type: 'string' },
  'source-token-file': { type: 'string' },
  ...targetOptions,
  'dry-run': { type: 'boolean', default: false },
  report: { type: 'string' },
  'allow-rejected': { type: 'boolean', default: false },
} as const;

const parse = (args: readonly string[]) => readOptions(args, options);

type Values = ReturnType<typeof parse>;

const jsonAt = (path: string): unknown => {
  const value = parseJson(textOf(path));
  if (value === undefined) throw Invalid(`The file ${path} is no JSON.`);
  return value;
};

/** A listing in files, or a Nova that runs and is only read. */
const sourceOf = (values: Values, env: World['env']): Servers => {
  const { servers, flavors } = values;
  if (servers === undefined) throw Invalid('--servers says where they are listed: the URL of a Nova, or a file.');
  const listed = flavors === undefined ? undefined : jsonAt(flavors);
  if (!/^https?:/i.test(servers)) return serversIn(jsonAt(servers), listed);
  const credentials = credentialsOf(values, 'source-', 'INGOT_SOURCE', env);
  const asked = serversOf(openService('The Compute API of --servers', servers, credentials));
  return listed === undefined ? asked : { ...asked, flavors: serversIn({ servers: [] }, listed).flavors };
};

const lists = ['imported', 'rejected', 'skipped'] as const;
type Told = Readonly<Record<(typeof lists)[number], Moved[]>>;

const collect = async (moved: AsyncGenerator<Moved>, world: World): Promise<Told> => {
  const told: Told = { imported: [], rejected: [], skipped: [] };
  const progress = createProgress(undefined, 'servers', world);
  try {
    for await (const one of moved) {
      told[one.is].push(one);
      progress.step();
    }
  } finally {
    progress.end();
  }
  return told;
};

const tell = ({ imported, rejected, skipped }: Told, dry: boolean, { print }: World): void => {
  for (const one of rejected) {
    if (one.is === 'rejected') print(plain(`${one.id} ${one.name}: rejected, ${one.reason}: ${one.detail}`));
  }
  const read = imported.length + rejected.length + skipped.length;
  const be = dry ? 'would be imported' : 'imported';
  print(`servers: ${read} read, ${imported.length} ${be}, ${rejected.length} rejected, ${skipped.length} skipped`);
};

const leave = (file: ReturnType<typeof privateFile>, head: object, told: Told): void => {
  const entries = lists.map((is) => [is, told[is].map((one) => ({ ...one, is: undefined }))] as const);
  const counts = lists.map((is) => [`servers_${is}`, told[is].length] as const);
  const servers_read = counts.reduce((sum, [, count]) => sum + count, 0);
  const summary = { servers_read, ...Object.fromEntries(counts) };
  file.write(`${JSON.stringify({ ...head, ...Object.fromEntries(entries), summary }, undefined, 1)}\n`);
  file.end();
};

export const importNovaServers: Command = {
  usage: '--servers URL|FILE [--flavors FILE] --endpoint URL [--dry-run] [--report FILE] [--allow-rejected] [options]',
  doc: `move the servers whose machines were moved in, so that their tenants have them (exit code 1: some were rejected)
      --servers             of a Nova, as its catalog has it, with --source-auth none|basic|token, --source-user NAME, and
                            secrets in INGOT_SOURCE_PASSWORD, INGOT_SOURCE_TOKEN or files (--source-password-file,
                            --source-token-file); or what GET /servers/detail?all_tenants=1 answered, in a file
      --flavors FILE        what GET /flavors/detail answered${targetUsageOf('Compute API of Ingot')}`,
  run: async (args, world) => {
    const values = parse(args);
    const servers = sourceOf(values, world.env);
    const dry_run = values['dry-run'];
    const target = createServerTarget(openCompute(values, world.env), { dry_run, sleep });
    const file = privateFile(values.report);
    const told = await collect(moveServers(servers, target), world);
    leave(file, { input: values.servers, dry_run }, told);
    tell(told, dry_run, world);
    return told.rejected.length > 0 && !values['allow-rejected'] ? 1 : 0;
  },
};
