/** The note on a node that the inventory of its inspection has come. */
import { note, type Noted } from '../../layers/domain/notes.ts';

/** Whether the stored inventory is what this run found. */
export const hasInspected = (node: Noted, run: string | null): boolean =>
  run !== null && note(node, 'inspected_by_run') === run;
