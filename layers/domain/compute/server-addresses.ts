/** The addresses of a server as it shows them (compute-api.md 3): those of its ports, by the names of their networks. */
import type { Address, Addresses, ServerKeeping } from './server-keeping.ts';

const versionOf = (address: string): 4 | 6 => (address.includes(':') ? 6 : 4);

const addressOf = (addr: string, type: Address['OS-EXT-IPS:type'], mac: string): Address => ({
  addr,
  version: versionOf(addr),
  'OS-EXT-IPS:type': type,
  'OS-EXT-IPS-MAC:mac_addr': mac,
});

/** Those that it was moved in with, then each fixed address, followed by the floating ones that stand for it. */
export const addressesOf = ({
  interfaces,
  moved_addresses: moved,
}: Pick<ServerKeeping, 'interfaces' | 'moved_addresses'>): Addresses => {
  const all = new Map<string, readonly Address[]>(Object.entries(moved));
  for (const { seen } of interfaces) {
    if (!seen) continue;
    const { network_name: name, mac_address: mac, fixed_ips: ips } = seen;
    const own = ips.flatMap(({ ip_address: ip, floating_ips: floating }) => [
      addressOf(ip, 'fixed', mac),
      ...floating.map((one) => addressOf(one, 'floating', mac)),
    ]);
    all.set(name, [...(all.get(name) ?? []), ...own]);
  }
  // A network may be called as what objects have of their own.
  return Object.fromEntries(all);
};
