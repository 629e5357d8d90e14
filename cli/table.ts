/** The table that a command looks into: of one machine (its state directory) or of AWS (its name). Read only. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { Fault, Invalid } from '../layers/domain/fault.ts';
import type { Table } from '../layers/platform/table.ts';

export type Place = { readonly 'state-dir'?: string | undefined; readonly table?: string | undefined };

export type ReadTable = Pick<Table, 'get' | 'getMany' | 'query'>;

/** The options that name the table. */
export const placeOptions = { 'state-dir': { type: 'string' }, table: { type: 'string' } } as const;

const ofAws = async (name: string, env: Readonly<Record<string, string | undefined>>): Promise<ReadTable> => {
  const { awsTable } = await import('../layers/platform/aws/platform.ts');
  return awsTable({ ...env, TABLE_NAME: name });
};

const ofMachine = async (folder: string): Promise<ReadTable> => {
  const path = join(folder, 'table.db');
  if (!existsSync(path)) {
    throw new Fault('NotFound', 404, `${folder} holds no table of Ingot: name the state directory with --state-dir.`);
  }
  const { openTable } = await import('../local/table/table.ts');
  return openTable({
    path,
    writer: { write: async () => Promise.reject(new Error('This table is open for reading.')) },
  });
};

/**
 * Opens it; a running Ingot is not disturbed. Without a place: what INGOT_STATE_DIR says, or `.ingot`. Throws Invalid
 * for two places, NotFound for a folder that holds no table.
 */
export const openPlace = async (
  { 'state-dir': folder, table }: Place,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ReadTable> => {
  if (folder !== undefined && table !== undefined) throw Invalid('--state-dir and --table are two places: give one.');
  return table === undefined ? ofMachine(folder ?? env['INGOT_STATE_DIR'] ?? '.ingot') : ofAws(table, env);
};
