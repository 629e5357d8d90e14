/** Begins the runs that tell nodes of addresses that their servers have got or lost (layers/store/address-changes.ts). */
import { isBound } from '../../layers/domain/network/port.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import { type AddressChange, openChanges, settleChange } from '../../layers/store/address-changes.ts';
import { computeKinds, type StoredServer } from '../../layers/store/kinds/compute.ts';
import { networkKinds } from '../../layers/store/kinds/networks.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { beginRun } from '../../layers/store/servers.ts';
import { startRun } from '../../workflows/run/start.ts';

type Needs = Pick<Platform, 'table' | 'workflows' | 'log' | 'clock' | 'chance' | 'ids'>;

const kind = computeKinds.server;

/** Changes that are looked at together. */
const atOnce = 16;

/** Whose machine it is about; undefined: nobody's, so there is nobody to tell. */
const serverOf = async ({ table }: Needs, { port: uuid }: AddressChange): Promise<StoredServer | undefined> => {
  const port = await readRecord(table, networkKinds.network_port, uuid);
  const server = port && isBound(port) ? await readRecord(table, kind, port.device_id) : undefined;
  return server?.node_uuid === null ? undefined : server;
};

/** The runs of others tell the node as well, or end soon: what stays open is looked at again. */
const begin = async (needs: Needs, uuid: string): Promise<void> => {
  const [birth, request_id] = [needs.ids.ulid(), `req-${needs.ids.uuid()}`];
  const { after } = await changeRecord(needs, kind, uuid, (server) =>
    server.run === null ? { set: beginRun(server, { workflow: 'server-metadata', birth, request_id }) } : undefined,
  );
  if (after.request_id === request_id) await startRun(needs, 'server-metadata', after.run!, { server: uuid });
};

/** One that fails is for the next round. */
const tellOne = async (needs: Needs, change: AddressChange): Promise<void> => {
  try {
    const server = await serverOf(needs, change);
    if (server) await begin(needs, server.uuid);
    else await settleChange(needs.table, change);
  } catch (error) {
    const { port } = change;
    needs.log.error('A change of addresses could not be told; the next round tries again.', { port, error });
  }
};

/** All that is open: what stays so, because its server is busy, keeps nobody behind it waiting. */
export const tellAddresses = async (needs: Needs): Promise<void> => {
  let after: string | undefined;
  do {
    const changes = await openChanges(needs.table, { limit: atOnce, after });
    await Promise.all(changes.map(async (change) => tellOne(needs, change)));
    after = changes.at(-1)?.port;
  } while (after !== undefined);
};
