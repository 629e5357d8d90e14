/** network_data.json of a configdrive (nova-driver.md 4), from which the guest sets up its cards. */
import type { Card, CardGroup, GuestNetwork, Subnet, Vif } from './network.ts';

type Json = Readonly<Record<string, unknown>>;
type Links = { readonly link: Json; readonly members: readonly Json[] };

/** A subnet with a DHCP server tells the MTU itself. */
const mtuOf = ({ network, subnets }: Vif): number | null => (subnets.some(({ dhcp }) => dhcp) ? null : network.mtu);

const bondOf = (
  { uuid, address, mode, properties }: CardGroup,
  id: string,
  vif: Vif,
  cards: readonly Card[],
): Links => {
  const members = cards.filter(({ portgroup_uuid }) => portgroup_uuid === uuid);
  const settings = Object.entries(properties).map(([name, value]) => [
    name.startsWith('bond') ? name : `bond_${name}`,
    value,
  ]);
  return {
    link: {
      id,
      vif_id: vif.id,
      type: 'bond',
      mtu: mtuOf(vif),
      ethernet_mac_address: address ?? vif.address,
      bond_mode: mode,
      bond_links: members.map((card) => card.uuid),
      ...Object.fromEntries(settings),
    },
    members: members.map((card) => ({ id: card.uuid, type: 'phy', ethernet_mac_address: card.address })),
  };
};

/** The link of a VIF: the card or the group of cards that it is attached to; of neither, what the network says of it. */
const linksOf = (vif: Vif, id: string, { cards, groups }: GuestNetwork): Links => {
  const group = groups.find((one) => one.vif === vif.id);
  if (group) return bondOf(group, id, vif, cards);
  const card = cards.find((one) => one.vif === vif.id);
  const address = card?.address ?? vif.address;
  return { link: { id, vif_id: vif.id, type: 'phy', mtu: mtuOf(vif), ethernet_mac_address: address }, members: [] };
};

const bits = { 4: 32, 6: 128 } as const;

/** The netmask of so many bits: 255.255.255.0, or ffff:ffff:: */
const netmask = (version: 4 | 6, prefix: number): string => {
  const width = version === 4 ? 8 : 16;
  const ones = (at: number) => Math.min(width, Math.max(0, prefix - at * width));
  const pieces = Array.from({ length: bits[version] / width }, (_, at) => 2 ** width - 2 ** (width - ones(at)));
  if (version === 4) return pieces.join('.');
  const set = pieces.filter((piece) => piece > 0).map((piece) => piece.toString(16));
  return set.length === pieces.length ? set.join(':') : `${set.join(':')}::`;
};

const maskOf = (version: 4 | 6, cidr: string): string =>
  netmask(version, cidr.includes('/') ? Number(cidr.split('/')[1]) : bits[version]);

const anywhere = { 4: '0.0.0.0', 6: '::' } as const;

const routesOf = ({ version, gateway, routes }: Subnet): Json[] => [
  ...(gateway === null ? [] : [{ network: anywhere[version], netmask: anywhere[version], gateway }]),
  ...routes.map((route) => ({
    network: route.cidr.split('/')[0],
    netmask: maskOf(version, route.cidr),
    gateway: route.gateway,
  })),
];

const dnsOf = ({ dns }: Subnet): Json[] => dns.map((address) => ({ type: 'dns', address }));

/** What comes with DHCP the guest asks there. */
const networkOf = (subnet: Subnet, id: string, link: string, network_id: string): Json => {
  const { version, ipv6_address_mode: mode, dhcp, cidr, ips } = subnet;
  if (dhcp && mode === null) return { id, type: `ipv${version}_dhcp`, link, network_id };
  return {
    id,
    type: mode === null ? `ipv${version}` : `ipv6_${mode}`,
    link,
    ip_address: ips[0]!.address,
    netmask: maskOf(version, cidr),
    routes: routesOf(subnet),
    network_id,
    services: dnsOf(subnet),
  };
};

/** Of each version the first subnet in which the port has an address: the document has no place for others. */
const subnetsTold = ({ subnets }: Vif): Subnet[] =>
  ([4, 6] as const).flatMap((wanted) => subnets.find(({ version, ips }) => version === wanted && ips.length > 0) ?? []);

const unique = (services: readonly Json[]): Json[] => [
  ...new Map(services.map((service) => [JSON.stringify(service), service])).values(),
];

/** `{links, networks, services}`; an empty object for a guest without a network. */
export const networkData = (network: GuestNetwork): Json => {
  if (network.vifs.length === 0) return {};
  const links = network.vifs.map((vif, at) => linksOf(vif, `interface${at}`, network));
  const told = network.vifs.flatMap((vif, at) => subnetsTold(vif).map((subnet) => ({ vif, subnet, at })));
  return {
    links: links.flatMap(({ link, members }) => [link, ...members]),
    networks: told.map(({ vif, subnet, at }, number) =>
      networkOf(subnet, `network${number}`, `interface${at}`, vif.network.id),
    ),
    services: unique(told.flatMap(({ subnet }) => dnsOf(subnet))),
  };
};
