/** backfill-instance-metadata: see `usage`. */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import * as z from 'zod';

import { Invalid, isFault } from '../../layers/domain/fault.ts';
import { backfill, type Outcome } from './backfill.ts';
import { type Asked, readOptions, usage } from './options.ts';
import { type Servers, serversIn, serversOf } from '../../migrate/nova/servers.ts';
import { openService } from '../../migrate/service.ts';

const texts = z.record(z.string(), z.string()).default({});
const namesFile = z.strictObject({ users: texts, projects: texts });

const namesOf = (given: unknown) => {
  const { data } = namesFile.safeParse(given);
  if (data) return data;
  throw Invalid('The file of names has {"users": {id: name}, "projects": {id: name}} and nothing else.');
};

const sourceOf = ({ compute, servers, flavors }: Asked): Servers => {
  if (!compute) return serversIn(servers, flavors);
  const asked = serversOf(openService('The Compute API', compute.endpoint, compute.credentials));
  return flavors === undefined ? asked : { ...asked, flavors: serversIn({ servers: [] }, flavors).flavors };
};

const reportOf = ({ set_lessee, dry_run }: Asked, nodes: readonly Outcome[]) => {
  const summary: Record<string, number> = {};
  for (const { result } of nodes) summary[result] = (summary[result] ?? 0) + 1;
  return { set_lessee, dry_run, summary, nodes };
};

const run = async (args: readonly string[]): Promise<number> => {
  const asked = readOptions(args, process.env);
  if (!asked) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const { endpoint, credentials, report, set_lessee, dry_run } = asked;
  const baremetal = openService('The Bare Metal API', endpoint.replace(/\/v1\/*$/, ''), credentials);
  const needs = { baremetal, servers: sourceOf(asked), sleep };
  const outcomes = await backfill(needs, { set_lessee, dry_run, names: namesOf(asked.names) });
  const text = `${JSON.stringify(reportOf(asked, outcomes), undefined, 2)}\n`;
  if (report === undefined) process.stdout.write(text);
  else writeFileSync(report, text);
  return outcomes.some(({ result }) => result === 'failed') ? 1 : 0;
};

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const text = isFault(error) ? error.message : `unexpected: ${error instanceof Error ? error.stack : String(error)}`;
  process.stderr.write(`backfill-instance-metadata: ${text}\n`);
  process.exitCode = 2;
}
