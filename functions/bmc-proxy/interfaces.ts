/** Network interfaces with their MAC addresses, by which nodes get their ports. */
import type { Inventory } from '../../layers/bmc/inventory.ts';
import { chassis, ethernetInterface, networkAdapter, networkPort } from '../../layers/redfish-client/parts.ts';
import type { Bmc } from './bmc.ts';
import { readAll, readMembers } from './resource.ts';

type Interface = Inventory['interfaces'][number];

/** The six octets of Ethernet in Ironic's spelling; undefined for what is none (InfiniBand has 20, unset ones are 0). */
const normalMac = (value: string | null | undefined): string | undefined => {
  const mac = value?.trim().toLowerCase().replaceAll('-', ':') ?? '';
  return /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac) && mac !== '00:00:00:00:00:00' ? mac : undefined;
};

const carriers: Readonly<Record<string, boolean>> = {
  LinkUp: true,
  Up: true,
  LinkDown: false,
  Down: false,
  NoLink: false,
};

const toInterface = (
  name: string,
  address: string | null | undefined,
  mbps: number | null | undefined,
  link: string | null | undefined,
): Interface[] => {
  const mac_address = normalMac(address);
  if (!mac_address) return [];
  const has_carrier = carriers[link ?? ''];
  return [{ name, mac_address, ...(mbps && { speed_mbps: mbps }), ...(has_carrier !== undefined && { has_carrier }) }];
};

const fromSystem = async (bmc: Bmc): Promise<Interface[]> => {
  const found = await readMembers(bmc, (await bmc.lastSystem()).EthernetInterfaces, ethernetInterface);
  return found.flatMap(({ path, body }) =>
    toInterface(
      body.Id ?? body.Name ?? path.split('/').at(-1)!,
      body.MACAddress ?? body.PermanentMACAddress,
      body.SpeedMbps,
      body.LinkStatus,
    ),
  );
};

/** HPE iLO 5: a system that has not been started yet has no interfaces, but its chassis has the cards. */
const fromCards = async (bmc: Bmc): Promise<Interface[]> => {
  const links = ((await bmc.lastSystem()).Links?.Chassis ?? []).map((link) => link['@odata.id']);
  const found: Interface[] = [];
  for (const { body: housing } of await readAll(bmc, links, chassis)) {
    for (const { body: card } of await readMembers(bmc, housing.NetworkAdapters, networkAdapter)) {
      for (const { path, body } of await readMembers(bmc, card.Ports ?? card.NetworkPorts, networkPort)) {
        const speed = body.CurrentLinkSpeedMbps ?? (body.CurrentSpeedGbps ?? 0) * 1000;
        const [address] = body.Ethernet?.AssociatedMACAddresses ?? body.AssociatedNetworkAddresses ?? [];
        const name = [card.Id, body.Id ?? path.split('/').at(-1)!].filter(Boolean).join('-');
        found.push(...toInterface(name, address, speed, body.LinkStatus));
      }
    }
  }
  return found;
};

/** Each address once, in the order of the BMC. */
export const findInterfaces = async (bmc: Bmc): Promise<Interface[]> => {
  const own = await fromSystem(bmc);
  const all = own.length > 0 ? own : await fromCards(bmc);
  return [...new Map(all.toReversed().map((one) => [one.mac_address, one])).values()].toReversed();
};
