/** The kinds of record of the Networking API, a row each; they stand in the tenants' table (`tenants.ts`). */
import { floatingIp, type FloatingIp } from '../../domain/network/floating-ip.ts';
import { isPublic, network as networkFields, type Network } from '../../domain/network/network.ts';
import { port, type Port } from '../../domain/network/port.ts';
import { quota, type Quota } from '../../domain/network/quota.ts';
import { subnet as subnetFields, type Subnet } from '../../domain/network/subnet.ts';
import { keyOf, type Kept, type Kind } from './kind.ts';

/** What counts against the quota of a project has a numbered place there (`quotas.ts`). */
type Counted = Kept & { readonly slot: number };

/** Whether everybody sees it: what is shared or external, and the subnets of that. */
type Open = { readonly public: boolean };

export type StoredNetwork = Network & Counted & Open;
export type StoredSubnet = Subnet & Counted & Open;
export type StoredPort = Port & Counted;
export type StoredFloatingIp = FloatingIp & Counted;
/** Its UUID is that of the project. */
export type StoredQuota = Quota & Kept;

/** What all kinds begin with. */
const first = { schema: 1, upgrades: [] } as const;

const counted = { ...first, kept: { slot: 0 } } as const;

const open = {
  ...first,
  kept: { slot: 0, public: false },
  indexes: { public: { of: ({ public: isOpen }: Open) => (isOpen ? '' : undefined) } },
} as const;

const network: Kind<StoredNetwork> = {
  name: 'network',
  title: 'Network',
  ...open,
  fields: networkFields,
  taken: { uuid: 'A network with UUID * already exists.' },
  stamps: (_before, after) => ({ public: isPublic(after) }),
};

/** Those of a network are named in its record. */
const subnet: Kind<StoredSubnet> = {
  name: 'subnet',
  title: 'Subnet',
  ...open,
  fields: subnetFields,
  taken: { uuid: 'A subnet with UUID * already exists.' },
};

const network_port: Kind<StoredPort> = {
  name: 'network_port',
  title: 'Port',
  ...counted,
  fields: port,
  taken: { uuid: 'A port with UUID * already exists.' },
  indexes: { device_id: { of: ({ device_id: device }) => (device === '' ? undefined : device) } },
};

const floatingip: Kind<StoredFloatingIp> = {
  name: 'floatingip',
  title: 'Floating IP',
  ...counted,
  fields: floatingIp,
  taken: { uuid: 'A floating IP with UUID * already exists.' },
  // A port that goes lets go of its floating addresses, and has to know all of them.
  refersTo: ({ port_id: uuid }) =>
    uuid === null ? undefined : { key: keyOf(network_port, uuid), gone: `Port ${uuid} was deleted meanwhile.` },
};

const network_quota: Kind<StoredQuota> = {
  name: 'network_quota',
  title: 'Quota',
  ...first,
  fields: quota,
  taken: { uuid: 'Project * has quotas of its own already.' },
};

/** By their names. */
export const networkKinds = { network, subnet, network_port, floatingip, network_quota } as const;
