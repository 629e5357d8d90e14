/** Versions of the firmware, by component as Ironic names them (redfish.md 4.1). */
import type { Observed } from '../../layers/bmc/operations.ts';
import { manager } from '../../layers/redfish-client/resources.ts';
import { chassis, networkAdapter, softwareInventory, updateService } from '../../layers/redfish-client/parts.ts';
import { withBmc, type Bmc } from './bmc.ts';
import { done, type Call } from './call.ts';
import { readAll, readMembers, readOptional } from './resource.ts';

type Component = Observed<'firmware.get'>['components'][number];

/** The version in the update service's own list, for systems that do not tell it themselves. */
const fromUpdateService = async (bmc: Bmc, name: RegExp): Promise<string | null> => {
  const service = await readOptional(bmc, (await bmc.redfish.root()).UpdateService, updateService);
  const all = await readMembers(bmc, service?.body.FirmwareInventory, softwareInventory);
  // Dell iDRAC also lists what was there before and what could be installed.
  const present = all.filter(({ body }) => !/^(Previous|Available)/i.test(body.Id ?? ''));
  return present.find(({ body }) => name.test(`${body.Id} ${body.Name}`) && body.Version)?.body.Version ?? null;
};

const biosOf = async (bmc: Bmc): Promise<Component> => {
  const system = await bmc.lastSystem();
  return {
    component: 'bios',
    current_version: system.BiosVersion ?? (await fromUpdateService(bmc, /\b(bios|system rom|uefi)\b/i)),
    vendor: system.Manufacturer ?? null,
    model: system.Model ?? null,
    serial_number: system.SerialNumber ?? null,
  };
};

const managerOf = async (bmc: Bmc): Promise<Component> => {
  const [found] = await readAll(bmc, (await bmc.managers()).slice(0, 1), manager);
  return {
    component: 'bmc',
    current_version: found?.body.FirmwareVersion ?? (await fromUpdateService(bmc, /\b(bmc|idrac|ilo|xcc|manager)\b/i)),
    vendor: found?.body.Manufacturer ?? null,
    model: found?.body.Model ?? null,
    serial_number: found?.body.SerialNumber ?? null,
  };
};

const cardsOf = async (bmc: Bmc): Promise<Component[]> => {
  const links = (await bmc.lastSystem()).Links?.Chassis ?? [];
  const housings = await readAll(
    bmc,
    links.map((link) => link['@odata.id']),
    chassis,
  );
  const cards: Component[] = [];
  for (const { body } of housings) {
    for (const { path, body: card } of await readMembers(bmc, body.NetworkAdapters, networkAdapter)) {
      cards.push({
        component: `nic:${card.Id ?? decodeURIComponent(path.split('/').at(-1)!)}`,
        current_version: card.Controllers?.find(({ FirmwarePackageVersion: v }) => v)?.FirmwarePackageVersion ?? null,
        vendor: card.Manufacturer ?? null,
        model: card.Model ?? null,
        serial_number: card.SerialNumber ?? null,
      });
    }
  }
  return cards;
};

/** BIOS, BMC and network cards; those whose version nobody tells are left out, as Ironic does. */
export const getFirmware = async (call: Call<'firmware.get'>) =>
  withBmc(call, async (bmc) => {
    const all = [await biosOf(bmc), await managerOf(bmc), ...(await cardsOf(bmc))];
    return done<'firmware.get'>({ components: all.filter(({ current_version }) => current_version !== null) });
  });
