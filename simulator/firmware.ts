/** The versions of a machine's firmware, which updates change. */
import { profileOf, type Machine } from './machine.ts';
import { bios_version, cardOf } from './parts.ts';
import type { World } from './world.ts';

const asDelivered = (machine: Machine) => ({
  BIOS: bios_version,
  BMC: profileOf(machine).firmware,
  NIC1: cardOf(machine).firmware,
});

/** By their names in the inventory of the BMC. */
export type FirmwareId = keyof ReturnType<typeof asDelivered>;

export const firmwareIds: readonly FirmwareId[] = ['BIOS', 'BMC', 'NIC1'];

/** As it is now: that of the last update which is done. */
export const versionOf = ({ clock }: World, machine: Machine, id: FirmwareId): string => {
  const done = machine.updates?.findLast((update) => update.id === id && update.at <= clock.now());
  return done?.version ?? asDelivered(machine)[id];
};
