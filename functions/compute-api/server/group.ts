/** The server group that a new server is made in. */
import { Invalid } from '../../../layers/domain/fault.ts';
import { allows, type Subject } from '../../../layers/domain/policy.ts';
import type { Table } from '../../../layers/platform/table.ts';
import { computeKinds } from '../../../layers/store/kinds/compute.ts';
import { readRecord } from '../../../layers/store/records/find.ts';

/** Throws Invalid (400) for one that the caller does not have. */
export const checkGroup = async (table: Table, subject: Subject, uuid: string | undefined): Promise<void> => {
  if (uuid === undefined) return;
  const group = await readRecord(table, computeKinds.server_group, uuid);
  if (!group || !allows('os_compute_api:os-server-groups:show', subject, group)) {
    throw Invalid(`Instance Group ${uuid} could not be found.`);
  }
};
