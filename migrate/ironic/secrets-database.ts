/** The secrets of an Ironic out of its database, for as many records as are asked for at a time. */
import { Fault } from '../../layers/domain/fault.ts';
import { parseJson } from '../service.ts';
import type { ReadTables, Row } from '../sources/columns.ts';
import type { Source } from '../sources/source.ts';
import type { Values } from './api.ts';
import { type Column, type IronicResource, type ResourceName, resources } from './fields.ts';
import type { Secrets } from './secrets.ts';

const steps = { interface: 'text', step: 'text', args: 'text' } as const;

/** What is read of it, and nothing else. */
export const tables = {
  nodes: { key: 'id', columns: { id: 'number', uuid: 'text', driver_info: 'text', instance_info: 'text' } },
  volume_targets: { key: 'id', columns: { id: 'number', uuid: 'text', properties: 'text' } },
  deploy_templates: { key: 'id', columns: { id: 'number', uuid: 'text' } },
  deploy_template_steps: { key: 'id', columns: { id: 'number', deploy_template_id: 'number', ...steps } },
  runbooks: { key: 'id', columns: { id: 'number', uuid: 'text' } },
  runbook_steps: { key: 'id', columns: { id: 'number', runbook_id: 'number', ...steps } },
  inspection_rules: { key: 'id', columns: { id: 'number', uuid: 'text', conditions: 'text', actions: 'text' } },
} as const satisfies ReadTables;

/** Throws Fault unsupported-schema (400) for a database that is none of an Ironic's. */
export const checkDatabase = async (source: Source): Promise<void> => {
  const there = new Set(await source.columns('nodes'));
  const missing = Object.keys(tables.nodes.columns).filter((column) => !there.has(column));
  if (missing.length === 0) return;
  throw new Fault(
    'unsupported-schema',
    400,
    `${source.name} has no table nodes with ${missing.join(', ')}: it is no database of Ironic.`,
  );
};

const valueOf = (cell: unknown): unknown => (typeof cell === 'string' ? parseJson(cell) : undefined);

const isRows = (column: Column | undefined): column is Extract<Column, { rows: string }> =>
  column !== undefined && 'rows' in column;

/** The steps of a record as it shows them: of several alike, the first is the first. */
const stepsAs = (shown: unknown, rows: readonly Row[]): unknown[] => {
  const left = rows.toSorted((a, b) => Number(a['id']) - Number(b['id']));
  return (Array.isArray(shown) ? (shown as readonly Values[]) : []).map((step) => {
    const at = left.findIndex((row) => row['interface'] === step['interface'] && row['step'] === step['step']);
    return at === -1 ? undefined : { args: valueOf(left.splice(at, 1)[0]!['args']) };
  });
};

/** Of which moment and instance the secrets are, if the source was opened to tell. */
const momentOf = (row: Row): Values =>
  Object.fromEntries(['updated_at', 'instance_uuid'].filter((name) => name in row).map((name) => [name, row[name]]));

export const secretsOfDatabase = (source: Source): Secrets => {
  const rowsOf = async (name: ResourceName, records: readonly Values[]) => {
    const wanted = records.map(({ uuid }) => uuid as string);
    return source.find(resources[name].table, 'uuid', wanted);
  };
  return {
    emptyIsNone: true,
    of: async (name, records) => {
      const { secrets, columns }: IronicResource = resources[name];
      if (secrets.length === 0) return new Map();
      const rows = await rowsOf(name, records);
      const aside = isRows(columns['steps']) ? columns['steps'] : undefined;
      const ids = rows.map(({ id }) => id as number);
      const parts = aside ? await source.find(aside.rows, aside.by, ids) : [];
      const shown = new Map(records.map((record) => [record['uuid'], record]));
      return new Map(
        rows.map((row) => {
          const own = aside && parts.filter((part) => part[aside.by] === row['id']);
          const known = own
            ? { steps: stepsAs(shown.get(row['uuid'])?.['steps'], own) }
            : { ...momentOf(row), ...Object.fromEntries(secrets.map((field) => [field, valueOf(row[field])])) };
          return [row['uuid'] as string, known];
        }),
      );
    },
  };
};
