/**
 * Begins the runs that tell nodes of addresses that their servers have got or lost (layers/store/address-changes.ts): by
 * who has changed them, at once, and by `server-sync`, for what was left open.
 */
import { isBound } from '../../../layers/domain/network/port.ts';
import type { Platform } from '../../../layers/platform/platform.ts';
import { type AddressChange, openChange, settleChange } from '../../../layers/store/address-changes.ts';
import { computeKinds, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { networkKinds } from '../../../layers/store/kinds/networks.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { beginRun } from '../../../layers/store/servers.ts';
import { startRun } from '../../run/start.ts';

/** What telling of addresses needs of the platform. */
export type Telling = Pick<Platform, 'table' | 'workflows' | 'log' | 'clock' | 'chance' | 'ids'>;

const kind = computeKinds.server;

/** Whose machine it is about; undefined: nobody's, so there is nobody to tell. */
const serverOf = async ({ table }: Telling, { port: uuid }: AddressChange): Promise<StoredServer | undefined> => {
  const port = await readRecord(table, networkKinds.network_port, uuid);
  const server = port && isBound(port) ? await readRecord(table, kind, port.device_id) : undefined;
  return server?.node_uuid === null ? undefined : server;
};

/** The runs of others tell the node as well, or end soon: what stays open is looked at again. */
const begin = async (needs: Telling, uuid: string): Promise<void> => {
  const [birth, request_id] = [needs.ids.ulid(), `req-${needs.ids.uuid()}`];
  const { after } = await changeRecord(needs, kind, uuid, (server) =>
    server.run === null ? { set: beginRun(server, { workflow: 'server-metadata', birth, request_id }) } : undefined,
  );
  if (after.request_id === request_id) await startRun(needs, 'server-metadata', after.run!, { server: uuid });
};

/** Has a change told to the node that it concerns, or settles it if that is none. One that fails stays open. */
export const tellAddresses = async (needs: Telling, change: AddressChange): Promise<void> => {
  try {
    const server = await serverOf(needs, change);
    if (server) await begin(needs, server.uuid);
    else await settleChange(needs.table, change);
  } catch (error) {
    const { port } = change;
    needs.log.error('A change of addresses could not be told; server-sync tries again.', { port, error });
  }
};

/** The same of these ports, as far as there is something to tell of them; it never throws. */
export const tellAddressesOf = async (needs: Telling, ports: readonly string[]): Promise<void> => {
  for (const port of new Set(ports)) {
    const change = await openChange(needs.table, port).catch((error: unknown) => {
      needs.log.error('A change of addresses could not be looked up; server-sync tries again.', { port, error });
      return undefined;
    });
    if (change) await tellAddresses(needs, change);
  }
};
