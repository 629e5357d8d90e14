/** Inspection rules, and those of a phase in the order in which they are applied. */
import { inspectionRule, type InspectionRule } from '../domain/inspection-rule.ts';
import { records, type Keeping } from './records.ts';
import type { Table } from '../platform/table.ts';

export type StoredInspectionRule = InspectionRule & Keeping;

export const inspectionRules = records<StoredInspectionRule>({
  name: 'inspection_rule',
  title: 'Inspection rule',
  fields: inspectionRule,
});

/** The rules of a phase, highest priority first, equal ones in the order of their creation. */
export const rulesOfPhase = async (table: Table, phase: InspectionRule['phase']): Promise<InspectionRule[]> => {
  const all = { limit: Infinity, marker: undefined, sort_key: 'id', descending: false };
  const rules = await inspectionRules.list(table, all, { keep: (rule) => rule.phase === phase });
  return rules.toSorted((a, b) => b.priority - a.priority);
};
