/**
 * Servers: how they come to be, how their runs begin, how they go. A run is recorded with its server before it is started,
 * so that whoever dies in between leaves one that `sync` starts (DESIGN.md 3.9).
 */
import type { Asked } from '../domain/compute/actions.ts';
import type { Amounts } from '../domain/compute/quota.ts';
import type { ServerWorkflow } from '../domain/compute/server-workflows.ts';
import { isoTime } from '../domain/values.ts';
import type { Table, Write } from '../platform/table.ts';
import { givingBack, spending } from './compute-quotas.ts';
import { expiryOf } from './events.ts';
import { serverCompanions } from './kinds/companions.ts';
import { partition } from './kinds/key.ts';
import { type StoredServer, type StoredServerGroup, tenantKinds } from './kinds/tenants.ts';
import { createRecord, type Needs, removeRecord } from './records/change.ts';
import { readRecord } from './records/find.ts';
import { type Beside, beside, besideNew, type Change } from './records/plan.ts';
import { runName } from './runs.ts';
import { actionWrite, type Asking } from './server-history.ts';

const kind = tenantKinds.server;

/** A password as it is stored until the guest was told it. */
export type SealedPassword = { readonly sealed: string };

/** What a server counts for. */
export const amountsOf = ({ flavor: { vcpus, ram } }: Pick<StoredServer, 'flavor'>): Amounts => ({
  instances: 1,
  cores: vcpus,
  ram,
});
