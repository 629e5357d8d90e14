/** What a machine consists of, out of band (redfish.md 4.1 inspection). */
import type { Inventory } from '../../layers/bmc/inventory.ts';
import { drive, memoryModule, processor, simpleStorage, storage } from '../../layers/redfish-client/parts.ts';
import { withBmc, type Bmc } from './bmc.ts';
import { done, type Call } from './call.ts';
import { findInterfaces } from './interfaces.ts';
import { readAll, readMembers } from './resource.ts';
import { modeOf } from './system.ts';

/** Redfish's processor architectures in the words of Linux, which Ironic uses. */
const architectures: Readonly<Record<string, string>> = {
  x86: 'x86_64',
  'IA-64': 'ia64',
  ARM: 'aarch64',
  MIPS: 'mips',
  Power: 'ppc64le',
  'RISC-V': 'riscv64',
};

const sum = (numbers: readonly (number | null | undefined)[]): number | null => {
  const known = numbers.filter((value): value is number => typeof value === 'number');
  return known.length > 0 ? known.reduce((total, value) => total + value, 0) : null;
};

const readCpu = async (bmc: Bmc): Promise<Inventory['cpu']> => {
  const system = await bmc.lastSystem();
  const all = (await readMembers(bmc, system.Processors, processor)).map((found) => found.body);
  const cpus = all.filter(({ ProcessorType }) => (ProcessorType ?? 'CPU') === 'CPU');
  const told = cpus.find(({ ProcessorArchitecture }) => ProcessorArchitecture)?.ProcessorArchitecture;
  const threads = sum(cpus.map(({ TotalThreads, TotalCores }) => TotalThreads ?? TotalCores));
  return {
    count: threads ?? system.ProcessorSummary?.LogicalProcessorCount ?? system.ProcessorSummary?.Count ?? null,
    architecture: told ? (architectures[told] ?? told) : null,
    model_name: cpus.find(({ Model }) => Model)?.Model ?? system.ProcessorSummary?.Model ?? null,
  };
};

const readMemory = async (bmc: Bmc): Promise<number | null> => {
  const system = await bmc.lastSystem();
  const gib = system.MemorySummary?.TotalSystemMemoryGiB;
  if (gib) return Math.round(gib * 1024);
  const modules = await readMembers(bmc, system.Memory, memoryModule);
  return sum(modules.map((found) => found.body.CapacityMiB));
};

const readDrives = async (bmc: Bmc): Promise<Inventory['disks']> => {
  const controllers = await readMembers(bmc, (await bmc.lastSystem()).Storage, storage);
  const links = controllers.flatMap(({ body }) => (body.Drives ?? []).map((link) => link['@odata.id']));
  const drives = await readAll(bmc, [...new Set(links)], drive);
  return drives.flatMap(({ path, body }) =>
    body.CapacityBytes
      ? {
          name: body.Name ?? body.Id ?? path.split('/').at(-1)!,
          size: body.CapacityBytes,
          model: body.Model ?? null,
          serial: body.SerialNumber ?? null,
          vendor: body.Manufacturer ?? null,
        }
      : [],
  );
};

/** Older BMCs know their disks without more than a name and a size. */
const readDevices = async (bmc: Bmc): Promise<Inventory['disks']> => {
  const controllers = await readMembers(bmc, (await bmc.lastSystem()).SimpleStorage, simpleStorage);
  return controllers
    .flatMap(({ body }) => body.Devices ?? [])
    .flatMap(({ Name, CapacityBytes, Model, Manufacturer }) =>
      CapacityBytes
        ? {
            name: Name ?? 'disk',
            size: CapacityBytes,
            model: Model ?? null,
            serial: null,
            vendor: Manufacturer ?? null,
          }
        : [],
    );
};

/** Reads all parts one after another; what a BMC does not tell is null or missing. */
export const getInventory = async (call: Call<'inventory.get'>) =>
  withBmc(call, async (bmc) => {
    const { body } = await bmc.system();
    const drives = await readDrives(bmc);
    const inventory: Inventory = {
      interfaces: await findInterfaces(bmc),
      disks: drives.length > 0 ? drives : await readDevices(bmc),
      memory: { physical_mb: await readMemory(bmc) },
      cpu: await readCpu(bmc),
      system_vendor: {
        product_name: body.Model ?? null,
        serial_number: body.SerialNumber ?? null,
        manufacturer: body.Manufacturer ?? null,
      },
      boot: { current_boot_mode: modeOf(body) },
    };
    return done<'inventory.get'>({ inventory });
  });
