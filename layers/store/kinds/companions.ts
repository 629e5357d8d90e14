/** Everything that is stored with a node or a server and is no record, a row each. */
import type { LedgerEntry } from '../../bmc/records.ts';
import type { Bios } from '../../domain/bios.ts';
import type { Firmware } from '../../domain/firmware.ts';
import type { LedgerRow } from '../bmc-records.ts';
import type { StoredEvent } from '../events.ts';
import type { DirectRequest, ManagementRequest } from '../management-requests.ts';
import type { PowerRequest } from '../power-requests.ts';
import type { StoredAction, StoredServerEvent } from '../server-history.ts';
import type { GoneServer, SealedPassword } from '../servers.ts';
import { one, several } from './companion.ts';

/** Sealed values by name (driver_info's, or `agent_secret_token`), and the count of their writes. */
export type Secrets = { readonly values: Readonly<Record<string, string>>; readonly revision: number };

/** What a waiting run is told by: the task token that a heartbeat of the agent, or an event of the node, delivers. */
export type Wait = { readonly token: string; readonly phase: string; readonly run: string; readonly since: string };

/** The same of a server's run, and what of its node it is about. */
export type ServerWait = Wait & { readonly about: 'provision' | 'power' };

/** JSON text, or the key of the object that holds it. */
export type KeptInventory = { readonly text?: string; readonly object?: string };

/** Number and hash of the newest row of the ledger, and when it was written; earlier versions did not keep that. */
export type LedgerHead = { readonly seq: number; readonly hash: string; readonly at?: string };

/** By their names. */
export const companions = {
  secret: one<Secrets>('secret'),
  wait: one<Wait>('wait'),
  power_request: one<{ readonly run: string; readonly request: PowerRequest }>('power_request'),
  management_request: one<{ readonly run: string; readonly request: ManagementRequest | DirectRequest }>(
    'management_request',
  ),
  rescue_password: one<{ readonly sealed: string }>('rescue_password'),
  inventory: one<KeptInventory>('inventory'),
  ledger: one<LedgerHead>('ledger'),
  /** Commands to the BMC, by the id of their effect. */
  command: several<LedgerEntry & { readonly rows: readonly LedgerRow[]; readonly expires_at?: number }>('command'),
  /** The history, by ULID. */
  event: several<StoredEvent>('event'),
  /** BIOS settings and firmware components, by name. */
  bios: several<Bios>('bios'),
  firmware: several<Firmware>('firmware'),
} as const;

/** With servers, by their names. */
export const serverCompanions = {
  /** What was asked, by the id of the request. */
  action: several<StoredAction>('action', 'server'),
  /** The history, by ULID. */
  event: several<StoredServerEvent>('event', 'server'),
  /** What is left of one that is deleted. */
  gone: one<GoneServer>('gone', 'server'),
  /** What its run waits by for something to become of its node. */
  wait: one<ServerWait>('wait', 'server'),
  /** The password for its guest, until its run has told that. */
  admin_password: one<SealedPassword>('admin_password', 'server'),
} as const;
