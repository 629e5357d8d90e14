/** `npx ingot ledger verify NODE`: whether what was sent to a machine's BMC is recorded without a gap or a change. */

import { Invalid, NotFound } from '../layers/domain/fault.ts';
import { systemClock } from '../layers/platform/clock.ts';
import { isUuid } from '../layers/domain/values.ts';
import { type Verdict, verifyLedger } from '../layers/store/bmc-records.ts';
import { guardKey } from '../layers/store/kinds/key.ts';
import { readArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { openPlace, placeOptions, type ReadTable } from './table.ts';

const parse = (args: readonly string[]) => readArguments(args, placeOptions);

const uuidOf = async (table: ReadTable, ident: string): Promise<string> => {
  if (isUuid(ident)) return ident;
  const guard = await table.get(guardKey('node_name', ident));
  if (guard) return guard['node'] as string;
  throw NotFound(`There is no node named ${ident}. The ledger of a node that was deleted went with it.`);
};

const tell = (uuid: string, { rows, broken }: Verdict): string => {
  if (broken) return `Node ${uuid}: the ledger is broken at row ${broken.row} of ${rows.length}: ${broken.why}`;
  const [first, last] = [rows.at(0), rows.at(-1)];
  return first && last
    ? `Node ${uuid}: the ledger is whole: ${rows.length} rows from ${first.at} to ${last.at}, last ${last.op} (${last.state}).`
    : `Node ${uuid}: nothing was sent to its BMC for as long as the ledger is kept, 90 days.`;
};

export const verify: Command = {
  usage: 'NODE [--state-dir DIR | --table NAME]',
  doc: "check the chain of what was sent to a node's BMC (exit code 1: it is broken)",
  run: async (args, { env, print }) => {
    const { values, positionals } = parse(args);
    const [ident, ...more] = positionals;
    if (ident === undefined || more.length > 0) throw Invalid('Name one node, by UUID or name.');
    const table = await openPlace(values, env);
    const uuid = await uuidOf(table, ident);
    const verdict = await verifyLedger(table, uuid, systemClock.now());
    print(tell(uuid, verdict));
    return verdict.broken ? 1 : 0;
  },
};
