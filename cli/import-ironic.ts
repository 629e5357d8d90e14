/** `npx ingot import ironic`: moves what a running Ironic has. Secrets come from the environment or from files. */
import { setTimeout as sleep } from 'node:timers/promises';

import { besideOfApi, besideOfDatabase } from '../migrate/ironic/beside.ts';
import type { Entry, Reading, Rejected } from '../migrate/ironic/entry.ts';
import { foresee, move } from '../migrate/ironic/move.ts';
import { createReport, type Report } from '../migrate/ironic/report.ts';
import { createTemplate } from '../migrate/ironic/secrets-file.ts';
import { createTarget, type Target } from '../migrate/target.ts';
import { readOptions } from './arguments.ts';
import type { Command, World } from './command.ts';
import { keepHeapSmall } from './heap.ts';
import { inReport, printSome } from './lines.ts';
import { createProgress } from './progress.ts';
import { privateFile } from './private-file.ts';
import {
  openSecrets,
  openSourceIronic,
  replacementsOf,
  secretOptions,
  sourceOptions,
  sourceUsage,
} from './source-ironic.ts';
import { openTarget, targetOptions, targetUsage } from './target.ts';

const options = {
  ...sourceOptions,
  ...secretOptions,
  ...targetOptions,
  'secrets-template': { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  report: { type: 'string' },
  'allow-rejected': { type: 'boolean', default: false },
} as const;

const parse = (args: readonly string[]) => readOptions(args, options);

type Values = ReturnType<typeof parse>;

type Line = Report['rejected'][number];

const named = 3;

/** One line for all that are told the same. */
const linesOf = (lines: readonly Line[], word: string): string[] => {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const key = `${line.kind}: ${word}${line.reason}: ${line.detail}`;
    const group = groups.get(key);
    if (group) group.push(line);
    else groups.set(key, [line]);
  }
  return [...groups].map(([key, all]) => {
    const names = all.slice(0, named).map(({ uuid, name }) => name ?? uuid);
    const more = all.length > named ? ` and ${all.length - named} more` : '';
    return `${key} (${names.join(', ')}${more})`;
  });
};

const tell = ({ summary, rejected, warnings }: Report, done: string, { print }: World): void => {
  const lines = [...linesOf(rejected, 'rejected, '), ...linesOf(warnings, '')];
  printSome(lines, print, inReport);
  for (const [kind, counts] of Object.entries(summary)) {
    const { read, imported, identical, rejected: refused } = counts;
    print(`${kind}: ${read} read, ${imported} ${done}, ${identical} here already, ${refused} rejected`);
  }
  const all = Object.values(summary);
  const same = all.reduce((sum, { identical }) => sum + identical, 0);
  if (same > 0 && all.every(({ imported }) => imported === 0)) {
    print(`Nothing was changed: ${same} records are here already.`);
  }
};

type Pass = { readonly what: string; readonly total?: number; readonly written: boolean };

/** Of what comes with nodes nobody knows before how much there is. */
const isListed = ({ kind }: Entry): boolean => kind !== 'history' && kind !== 'inventory';

/** Goes through all entries, with a report of them. */
const pass = async (
  entries: AsyncIterable<readonly Entry[]>,
  head: object,
  { what, total, written }: Pass,
  values: Values,
  world: World,
): Promise<Report> => {
  const file = privateFile(values.report);
  const report = createReport({ ...head, written }, file.write);
  const progress = createProgress(total, what, world);
  try {
    for await (const page of entries) {
      for (const entry of page) {
        report.add(entry);
        if (isListed(entry)) progress.step();
      }
    }
  } finally {
    progress.end();
  }
  report.end();
  file.end();
  return report;
};

const codeOf = (report: Report, values: Values): number =>
  report.rejected.length > 0 && !values['allow-rejected'] ? 1 : 0;

/** What has to be filled, as a file. */
const writeTemplate = async (reading: Reading, path: string, world: World): Promise<number> => {
  const template = createTemplate();
  for await (const page of foresee(reading, undefined, new Map())) {
    for (const entry of page) template.add(entry.kind, entry.record, entry.missing);
  }
  const file = privateFile(path);
  file.write(template.text());
  file.end();
  world.print(`${template.count} secrets are to be filled in ${path}; then give it as --secrets.`);
  return 0;
};

const run = async (reading: Reading, target: Target | undefined, values: Values, world: World): Promise<number> => {
  const dry = values['dry-run'];
  const head = {
    source: values.source,
    source_version: `1.${reading.ironic.version}`,
    dry_run: dry,
    options: { replace: values.replace, source_is_stopped: values['source-is-stopped'] },
  };
  const rejected: Rejected = new Map();
  const looked = { what: 'records looked at', written: false };
  const before = await pass(foresee(reading, target, rejected), head, looked, values, world);
  if (dry || target === undefined || codeOf(before, values) > 0) {
    tell(before, 'would be imported', world);
    if (!dry) world.print('Nothing was written. Mend what is rejected, or move the others with --allow-rejected.');
    return codeOf(before, values);
  }
  const total = Object.values(before.summary).reduce((sum, { read }) => sum + read, 0);
  const moving = { target, here: values.endpoint!, rejected };
  const after = await pass(move(reading, moving), head, { what: 'records', total, written: true }, values, world);
  tell(after, 'imported', world);
  return codeOf(after, values);
};

/** Nothing is written without it; with --dry-run it is asked, if it is named. */
const targetOf = (values: Values, env: World['env']): Target | undefined => {
  const none = values.endpoint === undefined && (values['dry-run'] || values['secrets-template'] !== undefined);
  return none ? undefined : createTarget(openTarget(values, env), sleep);
};

export const importIronic: Command = {
  usage:
    '--source URL (--dry-run | --endpoint URL) [--database URL|FILE | --secrets FILE] [--report FILE] [--allow-rejected] [options]',
  doc: `move what a running Ironic has; each node is set to maintenance there before it is written here (exit code 1:
      records were rejected; nothing was written then, unless --allow-rejected says that the others are to be moved)${sourceUsage}
      --source-is-stopped   no conductor of it runs: nothing is set to maintenance there
      --database            of the Ironic, which has the secrets that its API masks: mysql://USER@HOST/ironic,
                            postgresql://..., an SQLite file or a dump; its password is in INGOT_DATABASE_PASSWORD or
                            --database-password-file; --database-ca FILE
      --secrets FILE        has them instead; --secrets-template FILE writes what is to be filled, and no more${targetUsage}`,
  run: async (args, world) => {
    keepHeapSmall();
    const values = parse(args);
    const replacements = replacementsOf(values.replace);
    const target = targetOf(values, world.env);
    const ironic = await openSourceIronic(values, world.env);
    const { secrets, source, close } = await openSecrets(values, world.env);
    try {
      const beside = source ? await besideOfDatabase(ironic, source) : besideOfApi(ironic);
      const reading = { ironic, secrets, beside, replacements, running: !values['source-is-stopped'], sleep };
      const template = values['secrets-template'];
      if (template !== undefined) return await writeTemplate(reading, template, world);
      return await run(reading, target, values, world);
    } finally {
      await close();
    }
  },
};
