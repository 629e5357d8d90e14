/** What an import would do, in the form of the expected results: with the passwords in driver_info. */
import { readFileSync } from 'node:fs';

import type { NodeOptions } from '../../../migrate/nova-bm/node.ts';
import { type Entry, planNovaBm } from '../../../migrate/nova-bm/plan.ts';
import { createReport } from '../../../migrate/nova-bm/report.ts';
import { checkSchema, tables } from '../../../migrate/nova-bm/tables.ts';
import { openSource } from '../../../migrate/sources/open.ts';
import type { Access } from '../../../migrate/sources/server.ts';
import type { Source } from '../../../migrate/sources/source.ts';

export const fixtures = new URL('../../fixtures/nova-bm/', import.meta.url).pathname;
export const fixture = (name: string): string => readFileSync(fixtures + name, 'utf8');

type Told = { readonly table: string; readonly id: number; readonly [key: string]: unknown };

export type Planned = {
  readonly nodes: Record<string, unknown>[];
  readonly ports: Record<string, unknown>[];
  readonly rejected: Told[];
  readonly skipped: Told[];
  readonly warnings: Told[];
  readonly summary: Record<string, number>;
};

const resultOf = (text: string): Planned => {
  const { nodes, ports, rejected, skipped, warnings, summary } = JSON.parse(text) as Planned;
  return { nodes, ports, rejected, skipped, warnings, summary };
};

const sample = resultOf(fixture('expected.json'));

/**
 * expected.json, but for one word: there an instance that failed (`error`, `deploy failed`) is not pending. The book says
 * that nodes with an instance are (nova-bm-migration.md 3.1), and so the API fences them: whoever deployed it may still
 * switch its machine.
 */
export const expected: Planned = {
  ...sample,
  nodes: sample.nodes.map((node) => ({ ...node, takeover_pending: node['instance_uuid'] !== null })),
};

const unsealed = (entry: Entry) =>
  entry.is === 'node'
    ? {
        ...entry,
        secrets: {},
        record: { ...entry.record, driver_info: { ...entry.record.driver_info, ...entry.secrets } },
      }
    : entry;

export const planOf = async (source: Source, options: Partial<NodeOptions> = {}): Promise<Planned> => {
  let text = '';
  const report = createReport({ input: source.name }, (piece) => {
    text += piece;
  });
  for await (const entry of planNovaBm(source, { driver: 'ipmi', node_arch: 'x86_64', ...options })) {
    report.add(unsealed(entry));
  }
  report.end();
  await source.close();
  return resultOf(text);
};

/** Checks the schema first, as the command does. */
export const planFrom = async (named: string, access: Access = {}): Promise<Planned> => {
  const source = await openSource(named, access, tables);
  try {
    await checkSchema(source);
  } catch (error) {
    await source.close();
    throw error;
  }
  return planOf(source);
};
