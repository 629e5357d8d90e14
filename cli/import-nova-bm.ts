/** `npx ingot import nova-bm`: moves what nova-baremetal knew. Secrets come from the environment or from files. */
import { setTimeout as sleep } from 'node:timers/promises';

import { Invalid, isFault } from '../layers/domain/fault.ts';
import { secretIn, textOf } from '../migrate/credentials.ts';
import { readTemplates } from '../migrate/nova-bm/driver-info.ts';
import { planNovaBm } from '../migrate/nova-bm/plan.ts';
import { driverOf, powerManagerIn } from '../migrate/nova-bm/power-manager.ts';
import { createReport, type Report } from '../migrate/nova-bm/report.ts';
import { checkSchema, tables } from '../migrate/nova-bm/tables.ts';
import { writePlan } from '../migrate/nova-bm/write.ts';
import { openSource } from '../migrate/sources/open.ts';
import type { Source } from '../migrate/sources/source.ts';
import { createTarget, type Target } from '../migrate/target.ts';
import { readOptions } from './arguments.ts';
import type { Command, World } from './command.ts';
import { keepHeapSmall } from './heap.ts';
import { inReport, printSome } from './lines.ts';
import { createProgress } from './progress.ts';
import { privateFile } from './private-file.ts';
import { openTarget, targetOptions, targetUsage } from './target.ts';

const options = {
  source: { type: 'string' },
  'source-password-file': { type: 'string' },
  'source-ca': { type: 'string' },
  'source-plaintext': { type: 'boolean', default: false },
  'source-charset': { type: 'string' },
  arch: { type: 'string' },
  driver: { type: 'string' },
  'driver-info': { type: 'string', multiple: true },
  'network-interface': { type: 'string' },
  'resource-class': { type: 'string' },
  'nova-config': { type: 'string' },
  'source-is-stopped': { type: 'boolean', default: false },
  ...targetOptions,
  'dry-run': { type: 'boolean', default: false },
  report: { type: 'string' },
  'allow-rejected': { type: 'boolean', default: false },
} as const;

const parse = (args: readonly string[]) => readOptions(args, options);

type Values = ReturnType<typeof parse>;

const accessOf = (values: Values, env: World['env']) => {
  return {
    password: secretIn(values['source-password-file'], 'INGOT_SOURCE_PASSWORD', env),
    ca: values['source-ca'],
    plaintext: values['source-plaintext'],
    charset: values['source-charset'],
  };
};

const lineOf = (one: Report['problems'][number]): string => {
  const [word, detail] = one.is === 'warning' ? [one.warning, one.detail] : [one.reason, 'detail' in one && one.detail];
  return `${one.table} ${one.id}: ${one.is === 'rejected' ? 'rejected, ' : ''}${word}: ${detail}`;
};

const tell = ({ summary, problems }: Report, dry: boolean, { print }: World): void => {
  const lines = problems.filter(({ is }) => is !== 'skipped');
  printSome(lines.map(lineOf), print, inReport);
  const { nodes_read, nodes_imported, nodes_rejected, nodes_skipped, warnings } = summary;
  const { interfaces_read, ports_imported, interfaces_rejected, interfaces_skipped } = summary;
  const be = dry ? 'would be imported' : 'imported';
  print(`nodes: ${nodes_read} read, ${nodes_imported} ${be}, ${nodes_rejected} rejected, ${nodes_skipped} skipped`);
  print(
    `ports: ${interfaces_read} read, ${ports_imported} ${be}, ${interfaces_rejected} rejected, ${interfaces_skipped} skipped`,
  );
  print(`warnings: ${warnings}`);
  const same = problems.filter((one) => one.is === 'skipped' && one.reason === 'identical').length;
  if (same > 0 && nodes_imported + ports_imported === 0)
    print(`Nothing ${dry ? 'would be' : 'was'} changed: ${same} records are here already.`);
};

const asked = (values: Values) => {
  const { source, arch } = values;
  if (source === undefined) throw Invalid('--source says what is moved: a file, or mysql://USER@HOST/nova_bm.');
  if (arch === undefined) throw Invalid('--arch says which cpu_arch the nodes have, such as x86_64.');
  const config = values['nova-config'];
  const power_manager = powerManagerIn(config === undefined ? '' : textOf(config));
  const driver = driverOf(values.driver, power_manager);
  const { 'driver-info': info, 'network-interface': network_interface, 'resource-class': resource_class } = values;
  return {
    source,
    node_arch: arch,
    power_manager,
    driver,
    ...(info && { driver_info: readTemplates(info, driver) }),
    ...(network_interface !== undefined && { network_interface }),
    ...(resource_class !== undefined && { resource_class }),
  };
};

/** Without one a look is at the source alone; with one it tells as well what of it is there, and what would be in the way. */
const targetOf = (values: Values, env: World['env']): Target | undefined => {
  const dry_run = values['dry-run'];
  if (dry_run && values.endpoint === undefined) return undefined;
  if (!dry_run && !values['source-is-stopped']) {
    throw Invalid(
      'Two must never drive one machine: stop every nova-compute with the baremetal driver, and say so by --source-is-stopped. With --dry-run nothing is written.',
    );
  }
  const target = createTarget(openTarget(values, env), sleep);
  return dry_run ? { ...target, write: target.foresee } : target;
};

const move = async (source: Source, target: Target | undefined, values: Values, world: World): Promise<number> => {
  const { source: input, ...chosen } = asked(values);
  const file = privateFile(values.report);
  const head = { input, dry_run: values['dry-run'], options: chosen };
  try {
    await checkSchema(source);
    const report = createReport(head, file.write);
    const plan = planNovaBm(source, chosen);
    const rows = (await source.count('bm_nodes')) + (await source.count('bm_interfaces'));
    const progress = createProgress(rows, 'rows', world);
    try {
      for await (const entry of target ? writePlan(plan, target) : plan) {
        report.add(entry);
        if (entry.is !== 'warning') progress.step();
      }
    } finally {
      progress.end();
    }
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
    '--source URL|FILE --arch ARCH (--dry-run [--endpoint URL] | --endpoint URL --source-is-stopped) [--report FILE] [--allow-rejected] [options]',
  doc: `move what a nova_bm database knows (exit code 1: rows were rejected)
      --source              mysql://USER@HOST/nova_bm, postgresql://..., an SQLite file, or a dump; its password is in
                            INGOT_SOURCE_PASSWORD or --source-password-file; --source-ca FILE, --source-charset NAME
      --driver NAME         ipmi or redfish; default: by the power_manager of --nova-config FILE
      --driver-info N=VALUE what a nova_bm does not know of its nodes, as often as needed; {pm_address}, {uuid} and {id} in
                            it are those of the row, N=@FILE is in a file; such as redfish_address=https://{pm_address}:8443
      --network-interface NAME, --resource-class NAME: of all nodes${targetUsage}`,
  run: async (args, world) => {
    keepHeapSmall();
    const values = parse(args);
    const { source: named } = asked(values);
    const target = targetOf(values, world.env);
    const source = await openSource(named, accessOf(values, world.env), tables);
    try {
      return await move(source, target, values, world);
    } finally {
      await source.close();
    }
  },
};
