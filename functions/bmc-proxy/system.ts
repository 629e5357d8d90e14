/** What is only read: who the BMC is, and how its system stands. */
import type { Observed } from '../../layers/bmc/operations.ts';
import type { ComputerSystem } from '../../layers/redfish-client/resources.ts';
import { systemsOf, withBmc } from './bmc.ts';
import { done, type Call } from './call.ts';
import { readPower } from './power.ts';

/** Proves address, certificate and credentials: the collection of systems is not for everybody. */
export const probe = async (call: Call<'bmc.probe'>) =>
  withBmc(call, async ({ redfish }) => {
    const systems = await systemsOf(redfish);
    const { Vendor, Product, RedfishVersion } = await redfish.root();
    return done<'bmc.probe'>({
      vendor: Vendor ?? null,
      product: Product ?? null,
      redfish_version: RedfishVersion ?? null,
      systems,
      fingerprint256: redfish.fingerprint256(),
    });
  });

const modes: Readonly<Record<string, 'uefi' | 'bios'>> = { UEFI: 'uefi', Legacy: 'bios' };

/** The mode in which the machine starts; null: the BMC does not say. */
export const modeOf = ({ Boot }: ComputerSystem) => modes[Boot?.BootSourceOverrideMode ?? ''] ?? null;

const readHealth = (health: string | null | undefined): Observed<'system.get'>['health'] =>
  health === 'OK' || health === 'Warning' || health === 'Critical' ? health : null;

/** Power, boot settings and health as the BMC tells them; what it does not tell is null. */
export const getSystem = async (call: Call<'system.get'>) =>
  withBmc(call, async ({ system }) => {
    const { body } = await system();
    return done<'system.get'>({
      power: readPower(body.PowerState),
      boot: {
        target: body.Boot?.BootSourceOverrideTarget ?? null,
        enabled: body.Boot?.BootSourceOverrideEnabled ?? null,
        mode: modeOf(body),
      },
      health: readHealth(body.Status?.Health),
      vendor: body.Manufacturer ?? null,
      model: body.Model ?? null,
      serial: body.SerialNumber ?? null,
    });
  });
