/** The agent's inventory, and how it is sent before anything else (ironic-deploy.md 3.3, 4). */
import { versionOf } from '../firmware.ts';
import { cardOf, diskOf, interface_mbps, memory, processors } from '../parts.ts';
import { profileOf, type Machine } from '../machine.ts';
import { retrySpan, type World } from '../world.ts';
import { ask } from './call.ts';

/** What the machine consists of, as the operating system of the ramdisk sees it. */
const inventoryOf = (world: World, machine: Machine) => {
  const disk = diskOf(machine);
  const { model, vendor } = profileOf(machine);
  return {
    interfaces: [
      {
        name: 'enp1s0',
        mac_address: machine.mac,
        ipv4_address: '127.0.0.1',
        has_carrier: true,
        speed_mbps: interface_mbps,
        vendor: cardOf(machine).vendor,
        product: cardOf(machine).model,
      },
    ],
    cpu: {
      model_name: processors.model,
      frequency: String(processors.mhz),
      count: processors.sockets * processors.threads,
      architecture: 'x86_64',
      flags: [],
      socket_count: processors.sockets,
    },
    disks: [{ ...disk, rotational: false, wwn: null, hctl: null, by_path: null, tran: 'nvme' }],
    memory: { total: (memory.mib - 512) * 2 ** 20, physical_mb: memory.mib },
    bmc_address: '127.0.0.1',
    system_vendor: {
      product_name: model,
      serial_number: machine.serial,
      manufacturer: vendor,
      firmware: { vendor, version: versionOf(world, machine, 'BIOS'), build_date: '01/01/2026' },
    },
    boot: { current_boot_mode: machine.boot.mode === 'Legacy' ? 'bios' : 'uefi', pxe_interface: machine.mac },
    hostname: machine.name,
  };
};

const tries = 5;

/** Whether the agent sends it once more: no answer, or one that may be another next time. */
const mayHelp = (status: number): boolean => status === 0 || status === 409 || status >= 500;

/**
 * Sends the inventory to where the ramdisk was told to. An agent does so at every start, knowing nothing of why it was
 * started; who does not inspect answers 404, and the agent goes on to look itself up.
 */
export const sendInventory = async (world: World, machine: Machine, signal: AbortSignal): Promise<void> => {
  const url = machine.agent!.inspection_url;
  if (!url) return;
  const body = { inventory: inventoryOf(world, machine), error: null };
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const { status } = await ask(world, machine, { method: 'POST', url, signal, body });
    if (!mayHelp(status)) return;
    await world.clock.sleep(retrySpan(world, machine, [5, 5]), signal);
  }
};
