/** `npx ingot export ironic`: the way back to an Ironic, as a script for its database. */
import { setTimeout as sleep } from 'node:timers/promises';

import { Invalid } from '../layers/domain/fault.ts';
import { textOf } from '../migrate/credentials.ts';
import { openIronic } from '../migrate/ironic/api.ts';
import { dialectOf, readDatabase, tablesIn } from '../migrate/ironic/export-database.ts';
import { exportAll, type Export, type Problem } from '../migrate/ironic/export.ts';
import { checkDatabase, secretsOfDatabase } from '../migrate/ironic/secrets-database.ts';
import { secretsOfFile } from '../migrate/ironic/secrets-file.ts';
import { firstOf } from '../migrate/ironic/secrets.ts';
import { firstBytes } from '../migrate/sources/dump/text.ts';
import { openSource } from '../migrate/sources/open.ts';
import { type Access, pathIn, serverKindOf } from '../migrate/sources/server.ts';
import type { Source } from '../migrate/sources/source.ts';
import { readOptions } from './arguments.ts';
import { type Command, plain, type World } from './command.ts';
import { printSome } from './lines.ts';
import { privateFile } from './private-file.ts';
import { databaseAccess, replacementsOf, secretOptions } from './source-ironic.ts';
import { openTarget, targetOptions, targetUsage } from './target.ts';

const options = {
  ...secretOptions,
  ...targetOptions,
  replace: { type: 'string', multiple: true, default: [] as string[] },
  out: { type: 'string' },
} as const;

const parse = (args: readonly string[]) => readOptions(args, options);

type Values = ReturnType<typeof parse>;

const asked = ({ database, out, endpoint }: Values) => {
  if (database === undefined) throw Invalid('--database says which database of an Ironic the script is for.');
  if (out === undefined) throw Invalid('--out says which file the script goes to.');
  return { database, out, endpoint };
};

/** Opens it for what it turns out to have. */
const openDatabase = async (named: string, access: Access): Promise<Source> => {
  const first = await openSource(named, access, {});
  try {
    return await openSource(named, access, await tablesIn(first));
  } finally {
    await first.close();
  }
};

const exportTo = async (values: Values, world: World): Promise<Export> => {
  const { database: named, endpoint } = asked(values);
  const dialect = dialectOf(
    named,
    serverKindOf(named) === undefined ? await firstBytes(pathIn(named)) : Buffer.alloc(0),
  );
  const ironic = await openIronic(openTarget(values, world.env), sleep);
  const source = await openDatabase(named, databaseAccess(values, world.env));
  try {
    await checkDatabase(source);
    const own = secretsOfDatabase(source);
    const given = values.secrets === undefined ? [] : [secretsOfFile(textOf(values.secrets))];
    const database = await readDatabase(source);
    const about = [
      'What Ingot has, for the database of an Ironic. It has passwords in it.',
      `From ${endpoint} at ${new Date(world.now()).toISOString()}`,
      `For ${source.name}, schema ${database.revision} (${dialect}).`,
      'Stop Ironic before it is loaded. It is one transaction: all of it is done, or nothing.',
    ];
    const secrets = firstOf([...given, own]);
    return await exportAll({
      ironic,
      secrets,
      database,
      dialect,
      replacements: replacementsOf(values.replace),
      about: about.map((line) => plain(line).replaceAll('\n', String.raw`\n`)),
    });
  } finally {
    await source.close();
  }
};

const lineOf = ({ is, kind, uuid, name, detail }: Problem): string =>
  `${kind} ${name === null ? uuid : `${name} (${uuid})`}: ${is === 'refused' ? 'not exported, ' : ''}${detail}`;

export const exportIronic: Command = {
  usage: '--endpoint URL --database URL|FILE --out FILE [--secrets FILE] [--replace FIELD:FROM=TO] [options]',
  doc: `write what Ingot has as SQL for an Ironic's database (exit code 1: something is not in it)
      --database            the database that it is for: mysql://USER@HOST/ironic, postgresql://..., an SQLite file. It is
                            read, never written; its password is in INGOT_DATABASE_PASSWORD or --database-password-file;
                            --database-ca FILE or --database-plaintext for another machine
      --secrets FILE        passwords that are not in that database, or others there (as import takes them)${targetUsage}`,
  run: async (args, world) => {
    const values = parse(args);
    const { out } = asked(values);
    const { script, counts, problems } = await exportTo(values, world);
    const file = privateFile(out);
    for (const line of script) file.write(`${line}\n`);
    file.end();
    printSome(problems.map(lineOf), world.print);
    for (const [kind, count] of counts) world.print(`${kind}: ${count} written to ${out}`);
    return problems.some(({ is }) => is === 'refused') ? 1 : 0;
  },
};
