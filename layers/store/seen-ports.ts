/** The ports of servers: what they are now, noted down with the servers so that lists need not look. */
import type { SeenPort, ServerInterface } from '../domain/compute/server-keeping.ts';
import type { Table } from '../platform/table.ts';
import { floatingIpsOf } from './floating-ips.ts';
import { networkKinds } from './kinds/networks.ts';
import { readRecord } from './records/find.ts';

/** A port as it is now; null: it is gone. */
const seePort = async (table: Table, uuid: string): Promise<SeenPort | null> => {
  const port = await readRecord(table, networkKinds.network_port, uuid);
  if (!port) return null;
  const network = await readRecord(table, networkKinds.network, port.network_id);
  const floating = await floatingIpsOf(table, uuid);
  return {
    network_name: network?.name || port.network_id,
    mac_address: port.mac_address,
    fixed_ips: port.fixed_ips.map(({ ip_address, subnet_id }) => ({
      ip_address,
      subnet_id,
      floating_ips: floating
        .filter(({ fixed_ip_address: fixed }) => fixed === ip_address)
        .map(({ floating_ip_address: address }) => address),
    })),
  };
};

/** The interfaces of a server with what their ports are now. */
export const seePorts = async (table: Table, interfaces: readonly ServerInterface[]): Promise<ServerInterface[]> =>
  Promise.all(interfaces.map(async (one) => ({ ...one, seen: await seePort(table, one.port_id) })));
