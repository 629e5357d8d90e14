/** What instance_info would tell of a server if it was deployed today, as far as Nova's API says it. */
import { instanceInfoKeys } from '../../layers/guest/instance-info.ts';
import { createMetadata, type GuestPort, type Known } from '../../layers/guest/metadata.ts';
import { type Flavor, isCopyOf, type Server } from '../../migrate/nova/servers.ts';

/** Names by IDs, which the Compute API does not tell. */
export type Names = {
  readonly users: Readonly<Record<string, string>>;
  readonly projects: Readonly<Record<string, string>>;
};

const nameIn = (names: Readonly<Record<string, string>>, id: string): string | undefined =>
  Object.hasOwn(names, id) ? names[id] : undefined;

type Address = Server['addresses'][string][number];

const portOf = (addresses: readonly Address[]): GuestPort => {
  const all = (type: 'fixed' | 'floating') => addresses.filter((one) => one['OS-EXT-IPS:type'] === type);
  return {
    uuid: null,
    fixed_ips: all('fixed').map(({ addr, version }) => ({ address: addr, type: 'fixed', version, floating_ips: [] })),
    floating_ips: all('floating').map(({ addr, version }) => ({ address: addr, type: 'floating', version })),
  };
};

/** One for each MAC address, in the order in which the server names them. */
const portsOf = ({ addresses }: Server): GuestPort[] => {
  const byMac = Object.groupBy(Object.values(addresses).flat(), (one) => one['OS-EXT-IPS-MAC:mac_addr'] ?? '');
  return Object.values(byMac).map((found) => portOf(found ?? []));
};

/** The flavor that the server was made with, as far as it can be told: one may have been made anew under the same name. */
const flavorOf = ({ flavor: own }: Server, flavors: readonly Flavor[]): { name?: string; id?: string } => {
  if (own.id !== undefined) {
    const name = flavors.find(({ id }) => id === own.id)?.name;
    return { id: own.id, ...(name !== undefined && { name }) };
  }
  if (own.original_name === undefined) return {};
  const found = flavors.filter((one) => isCopyOf(own, one));
  return { name: own.original_name, ...(found.length === 1 && { id: found[0]!.id }) };
};

const factsOf = (server: Server, flavors: readonly Flavor[], names: Names): Partial<Known> => {
  const flavor = flavorOf(server, flavors);
  const known = {
    display_name: server.name,
    created_at: server.created,
    user_id: server.user_id,
    user_name: nameIn(names.users, server.user_id),
    project_id: server.tenant_id,
    project_name: nameIn(names.projects, server.tenant_id),
    flavor_name: flavor.name,
    flavor_id: flavor.id,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
};

/** What does not come from a server is none of these keys' business. */
const elsewhere = { host: '', local_gb: 0, ephemeral_format: null };

/** Values of instance_info by the rows of a deploy (layers/guest/instance-info.ts); what is not known is left out. */
export const toldBy = (server: Server, flavors: readonly Flavor[], names: Names): Record<string, unknown> => {
  const facts = factsOf(server, flavors, names);
  const metadata = createMetadata({ uuid: server.id, package: '', ...facts }, portsOf(server));
  return Object.fromEntries(
    Object.entries(instanceInfoKeys).flatMap(([name, { backfilled, isFact, of }]) =>
      backfilled && (!isFact || Object.hasOwn(facts, name)) ? [[name, of(metadata, elsewhere)]] : [],
    ),
  );
};
