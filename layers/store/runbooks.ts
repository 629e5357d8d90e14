/** Runbooks, by UUID or name: `runbooks.find`. Their steps are stored as given; `inOrder` of the steps sorts them. */
import { runbook, type Runbook } from '../domain/runbook.ts';
import { records, type Keeping } from './records.ts';

export type StoredRunbook = Runbook & Keeping;

export const runbooks = records<StoredRunbook>({ name: 'runbook', title: 'Runbook', fields: runbook });
