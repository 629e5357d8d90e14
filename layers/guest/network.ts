/** The network of a guest: what its ports are by the network service, and which cards of the machine they are plugged into. */
import type { FixedIp, GuestPort } from './metadata.ts';

export type Subnet = {
  readonly cidr: string;
  readonly version: 4 | 6;
  readonly gateway: string | null;
  readonly dns: readonly string[];
  readonly routes: readonly { readonly cidr: string; readonly gateway: string }[];
  /** A DHCP server answers in it. */
  readonly dhcp: boolean;
  /** How guests get an address of it, if routers tell them. */
  readonly ipv6_address_mode: 'slaac' | 'dhcpv6-stateful' | 'dhcpv6-stateless' | null;
  /** The addresses of the port in it. */
  readonly ips: readonly FixedIp[];
};

/** A port of the network service, which bare metal calls a VIF. */
export type Vif = {
  readonly id: string;
  /** Its own MAC address, if the network service gives it one; the card's counts. */
  readonly address: string | null;
  readonly network: { readonly id: string; readonly mtu: number | null };
  readonly subnets: readonly Subnet[];
};

/** A card of the machine: a port of the Bare Metal API. `vif`: what is attached to it. */
export type Card = {
  readonly uuid: string;
  readonly address: string;
  readonly portgroup_uuid: string | null;
  readonly vif: string | null;
};

/** Cards that work as one: a port group of the Bare Metal API. */
export type CardGroup = {
  readonly uuid: string;
  readonly address: string | null;
  readonly mode: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly vif: string | null;
};

export type GuestNetwork = {
  /** In the order in which the guest has them. */
  readonly vifs: readonly Vif[];
  readonly cards: readonly Card[];
  readonly groups: readonly CardGroup[];
};

/** The ports of the neutral metadata that these are. */
export const guestPorts = (vifs: readonly Vif[]): GuestPort[] =>
  vifs.map(({ id, subnets }) => ({ uuid: id, fixed_ips: subnets.flatMap(({ ips }) => ips), floating_ips: [] }));
