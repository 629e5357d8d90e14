/** The inspection rules of a phase in the order in which they are applied. */
import type { InspectionRule } from '../domain/inspection-rule.ts';
import type { Table } from '../platform/table.ts';
import { kinds } from './kinds/kinds.ts';
import { listRecords } from './records/list.ts';

/** The rules of a phase, highest priority first, equal ones in the order of their creation. */
export const rulesOfPhase = async (table: Table, phase: InspectionRule['phase']): Promise<InspectionRule[]> => {
  const all = { limit: Infinity, marker: undefined, sort_key: 'id', descending: false };
  const rules = await listRecords(table, kinds.inspection_rule, all, { keep: (rule) => rule.phase === phase });
  return rules.toSorted((a, b) => b.priority - a.priority);
};
