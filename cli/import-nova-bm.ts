/** `npx ingot import nova-bm`: moves what nova-baremetal knew. Secrets come from the environment or from files. */
import { closeSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { Invalid, isFault } from '../layers/domain/fault.ts';
import { planNovaBm } from '../migrate/nova-bm/plan.ts';
import { driverOf, powerManagerIn } from '../migrate/nova-bm/power-manager.ts';
import { createReport, type Report } from '../migrate/nova-bm/report.ts';
import { checkSchema, tables } from '../migrate/nova-bm/tables.ts';
import { openSource } from '../migrate/sources/open.ts';
import type { Source } from '../migrate/sources/source.ts';
import type { Command, World } from './command.ts';

const options = {
  source: { type: 'string' },
  'source-password-file': { type: 'string' },
  'source-ca': { type: 'string' },
  'source-plaintext': { type: 'boolean', default: false },
  'source-charset': { type: 'string' },
  arch: { type: 'string' },
  driver: { type: 'string' },
  'nova-config': { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  report: { type: 'string' },
  'allow-rejected': { type: 'boolean', default: false },
} as const;

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw Invalid(`${(error as Error).message.split(/\.(?:\s|$)/)[0]}. \`npx ingot --help\` shows the usage.`, error);
  }
};

type Values = ReturnType<typeof parse>;

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw Invalid(`The file ${path} can not be read.`, error);
  }
};

const accessOf = (values: Values, env: World['env']) => {
  const file = values['source-password-file'];
  return {
    password: file === undefined ? env['INGOT_SOURCE_PASSWORD'] : textOf(file).replace(/\r?\n$/, ''),
    ca: values['source-ca'],
    plaintext: values['source-plaintext'],
    charset: values['source-charset'],
  };
};

/**
 * Where the report goes piece by piece; nowhere without a file. It has its name only when it is whole. Only its owner may
 * read it: it tells addresses.
 */
const fileAt = (path: string | undefined) => {
  if (path === undefined) return { write: () => undefined, end: () => undefined };
  const part = `${path}.part`;
  try {
    const file = openSync(part, 'w', 0o600);
    const end = () => {
      closeSync(file);
      renameSync(part, path);
    };
    return { write: (text: string) => void writeSync(file, text), end };
  } catch (error) {
    throw Invalid(`The report ${part} can not be written: ${(error as NodeJS.ErrnoException).code}.`, error);
  }
};

/** On a terminal, what a source wrote must not be more than text. */
const plain = (text: string): string => text.replace(/\p{Cc}/gu, (one) => JSON.stringify(one).slice(1, -1));

const told = 50;

const tell = ({ summary, problems }: Report, dry: boolean, { print }: World): void => {
  for (const { table, id, ...one } of problems.slice(0, told)) {
    if (one.is === 'rejected') print(plain(`${table} ${id}: rejected, ${one.reason}: ${one.detail}`));
    if (one.is === 'warning') print(plain(`${table} ${id}: ${one.warning}: ${one.detail}`));
  }
  if (problems.length > told) print(`and ${problems.length - told} more: --report FILE has them all`);
  const { nodes_read, nodes_imported, nodes_rejected, nodes_skipped, warnings } = summary;
  const { interfaces_read, ports_imported, interfaces_rejected, interfaces_skipped } = summary;
  const be = dry ? 'would be imported' : 'imported';
  print(`nodes: ${nodes_read} read, ${nodes_imported} ${be}, ${nodes_rejected} rejected, ${nodes_skipped} skipped`);
  print(
    `ports: ${interfaces_read} read, ${ports_imported} ${be}, ${interfaces_rejected} rejected, ${interfaces_skipped} skipped`,
  );
  print(`warnings: ${warnings}`);
};

const asked = (values: Values) => {
  const { source, arch } = values;
  if (source === undefined) throw Invalid('--source says what is moved: a file, or mysql://USER@HOST/nova_bm.');
  if (arch === undefined) throw Invalid('--arch says which cpu_arch the nodes have, such as x86_64.');
  const config = values['nova-config'];
  const power_manager = powerManagerIn(config === undefined ? '' : textOf(config));
  return { source, node_arch: arch, power_manager, driver: driverOf(values.driver, power_manager) };
};

const move = async (source: Source, values: Values, world: World): Promise<number> => {
  const { source: input, ...chosen } = asked(values);
  const file = fileAt(values.report);
  const head = { input, dry_run: values['dry-run'], options: chosen };
  try {
    await checkSchema(source);
    const report = createReport(head, file.write);
    for await (const entry of planNovaBm(source, chosen)) report.add(entry);
    report.end();
    file.end();
    tell(report, values['dry-run'], world);
    const rejected = report.summary.nodes_rejected + report.summary.interfaces_rejected;
    return rejected > 0 && !values['allow-rejected'] ? 1 : 0;
  } catch (error) {
    if (isFault(error) && error.name === 'unsupported-schema-version') {
      const nothing = { nodes_imported: 0, ports_imported: 0, reason: error.name, detail: error.message };
      file.write(`${JSON.stringify({ ...head, ...nothing }, undefined, 1)}\n`);
      file.end();
    }
    throw error;
  }
};

export const importNovaBm: Command = {
  usage:
    '--source URL|FILE --arch ARCH --dry-run [--driver ipmi|redfish] [--nova-config FILE] [--report FILE] [--allow-rejected]',
  doc: 'what would be moved from a nova_bm database, and what not and why (exit code 1: rows were rejected); the password of a server is in INGOT_SOURCE_PASSWORD or --source-password-file',
  run: async (args, world) => {
    const values = parse(args);
    const { source: named } = asked(values);
    if (!values['dry-run']) {
      throw Invalid('This version only looks: give --dry-run. Nothing was written.');
    }
    const source = await openSource(named, accessOf(values, world.env), tables);
    try {
      return await move(source, values, world);
    } finally {
      await source.close();
    }
  },
};
