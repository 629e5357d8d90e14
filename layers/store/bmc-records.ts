/**
 * What the BMC proxy sees of the table: the record of a machine, and the ledger of what was done to it.
 *
 * A command's rows are kept in its item `command#<op_id>`; item `ledger` holds the hash of the node's newest row. Each
 * row holds the hash of the row before it, whatever command that belongs to, so a changed or missing row shows.
 */
import { createHash } from 'node:crypto';

import { bmcFault } from '../bmc/faults.ts';
import type { BmcRecord, BmcRecords, LedgerEntry, LedgerStep } from '../bmc/records.ts';
import { NotFound } from '../domain/fault.ts';
import type { Fields } from '../domain/fields.ts';
import { maskInstanceInfo, maskSecrets } from '../domain/masking.ts';
import { node as nodeFields } from '../domain/node.ts';
import { port as portFields } from '../domain/port.ts';
import { instanceInfoKey, isoTime, nodeKey, nodePartition, toNode, type StoredNode } from './nodes.ts';
import { secretKey } from './node-secrets.ts';
import { rescuePasswordKey, rescuePasswordName } from './rescue-passwords.ts';
import type { Platform } from '../platform/platform.ts';
import {
  absent,
  below,
  equals,
  isConditionFailed,
  type Item,
  type Key,
  type Table,
  type Write,
} from '../platform/table.ts';

type Needs = Pick<Platform, 'table' | 'clock'>;

/** One line of the ledger. `hash` is the SHA-256 (hex) of all the rest of it. */
export type LedgerRow = {
  readonly seq: number;
  readonly previous: string;
  readonly at: string;
  readonly op: string;
  readonly op_id: string;
  readonly state: LedgerStep['state'];
  readonly what?: string;
  readonly generation?: number;
  readonly monitor?: string;
  readonly outcome?: string;
  readonly hash: string;
};

type Head = { readonly seq: number; readonly hash: string };

const commandPrefix = 'command#';
const beginning: Head = { seq: 0, hash: '' };

const commandKey = (uuid: string, opId: string): Key => ({ pk: nodePartition(uuid), sk: commandPrefix + opId });
const headKey = (uuid: string): Key => ({ pk: nodePartition(uuid), sk: 'ledger' });

const hashOf = (row: Omit<LedgerRow, 'hash'>): string => {
  const sorted = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
};

const rowsOf = (item: Item | undefined): LedgerRow[] => (item?.['rows'] as LedgerRow[] | undefined) ?? [];

/** The ledger of a node in order. */
export const readLedger = async (table: Table, uuid: string): Promise<LedgerRow[]> => {
  const items = await table.query({ partition: nodePartition(uuid), begins: commandPrefix });
  return items.flatMap(rowsOf).sort((a, b) => a.seq - b.seq);
};

/** The place (0 is the first row) where a ledger is broken: a row was changed, added or removed. undefined: whole. */
export const brokenAt = (rows: readonly LedgerRow[]): number | undefined => {
  const at = rows.findIndex(({ hash, ...row }, index) => {
    const before = rows[index - 1];
    return row.seq !== index + 1 || row.previous !== (before?.hash ?? beginning.hash) || hash !== hashOf(row);
  });
  return at < 0 ? undefined : at;
};

const toEntry = (rows: readonly LedgerRow[]): LedgerEntry | undefined => {
  const last = rows.at(-1);
  if (!last) return undefined;
  const sent = rows.filter(({ state }) => state === 'sent');
  const lastSend = rows.findLastIndex(({ state }) => state === 'sent');
  const accepted = rows.slice(Math.max(lastSend, 0)).findLast(({ state }) => state === 'accepted');
  return {
    op_id: last.op_id,
    op: last.op,
    state: last.state === 'accepted' ? 'sent' : last.state,
    sent_at: sent.at(-1)?.at ?? null,
    sends: sent.length - rows.filter(({ state }) => state === 'refused').length,
    what: sent.at(-1)?.what ?? null,
    outcome: last.outcome ?? null,
    monitor: accepted?.monitor ?? null,
    version: rows.length,
  };
};

const stored = (rows: Fields, record: object): Record<string, unknown> => {
  const names = Object.keys(rows).filter((name) => !rows[name]?.computed);
  return Object.fromEntries(names.map((name) => [name, (record as Record<string, unknown>)[name] ?? null]));
};

/** The node as the agent gets it: its fields without secrets; a step that needs the configdrive gets it by argument. */
const agentNode = (node: StoredNode) => ({
  ...stored(nodeFields, node),
  driver_info: maskSecrets(node.driver_info),
  instance_info: maskInstanceInfo(node.instance_info),
});

const textOrNull = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const readRecord = async (table: Table, uuid: string): Promise<BmcRecord> => {
  const [[item, info, secret, rescue], ports] = await Promise.all([
    table.getMany([nodeKey(uuid), instanceInfoKey(uuid), secretKey(uuid), rescuePasswordKey(uuid)]),
    table.query({ partition: nodePartition(uuid), begins: 'port#' }),
  ]);
  if (!item) throw NotFound(`Node ${uuid} could not be found.`);
  const node = toNode(item, info);
  return {
    uuid,
    driver: node.driver,
    generation: node.generation,
    driver_info: node.driver_info,
    sealed: {
      ...(secret?.['values'] as Record<string, string> | undefined),
      ...(rescue && { [rescuePasswordName]: rescue['sealed'] as string }),
    },
    agent_url: textOrNull(node.driver_internal_info['agent_url']),
    agent_verify_ca: textOrNull(node.driver_internal_info['agent_verify_ca']),
    node: agentNode(node),
    ports: ports.map((port) => stored(portFields, port)),
  };
};

const Overtaken = (opId: string) =>
  bmcFault('BmcBusy', `Another invocation is working on ${opId} at this moment; ask again.`);

const Stale = (uuid: string, generation: number) =>
  bmcFault('StaleGeneration', `Node ${uuid} has been given to somebody else since generation ${generation}.`);

/** Somebody else appended for another command of the node in between; 20 times in a row means something is wrong. */
const maxTries = 20;

const append = async (
  { table, clock }: Needs,
  uuid: string,
  { op, op_id }: { op: string; op_id: string },
  step: LedgerStep,
  seen: LedgerEntry | undefined,
): Promise<LedgerEntry> => {
  for (let attempt = 1; ; attempt += 1) {
    const [command, newest] = await table.getMany([commandKey(uuid, op_id), headKey(uuid)]);
    const before = rowsOf(command);
    if (before.length !== (seen?.version ?? 0)) throw Overtaken(op_id);
    const head = newest ? (newest as unknown as Head) : beginning;
    const row = { seq: head.seq + 1, previous: head.hash, at: isoTime(clock.now()), op, op_id, ...step };
    const hash = hashOf(row);
    const rows: LedgerRow[] = [...before, { ...row, hash }];
    const entry = toEntry(rows)!;
    const writes: Write[] = [
      {
        put: { ...commandKey(uuid, op_id), ...entry, rows },
        when: [command ? equals('version', before.length) : absent],
      },
      { put: { ...headKey(uuid), seq: row.seq, hash }, when: [newest ? equals('hash', head.hash) : absent] },
    ];
    // The fence: the node must still be in the generation that the caller holds, or the machine does not get this.
    const fence: Write[] =
      step.state === 'sent' ? [{ check: nodeKey(uuid), when: [below('generation', step.generation + 1)] }] : [];
    try {
      await table.write([...writes, ...fence]);
      return entry;
    } catch (error) {
      if (!isConditionFailed(error)) throw error;
      if (error.index === 0) throw Overtaken(op_id);
      if (error.index === 2 && step.state === 'sent') throw Stale(uuid, step.generation);
      if (attempt >= maxTries) throw Overtaken(op_id);
    }
  }
};

/** The proxy's view of the table. */
export const createBmcRecords = ({ table, clock }: Needs): BmcRecords => ({
  read: async (uuid) => readRecord(table, uuid),
  entry: async (uuid, opId) => toEntry(rowsOf(await table.get(commandKey(uuid, opId)))),
  record: async (uuid, operation, step, seen) => append({ table, clock }, uuid, operation, step, seen),
});
