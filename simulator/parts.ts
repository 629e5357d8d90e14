/**
 * What every simulated machine is made of. Nothing of it is kept with the machine: views and inventories are made from
 * these facts and the machine's identity when somebody asks.
 */
import type { Machine } from './machine.ts';

export const processors = { sockets: 2, cores: 8, threads: 16, model: 'Simulated CPU', mhz: 2600 } as const;

export const memory = { modules: 4, module_mib: 16_384, mib: 65_536 } as const;

export const bios_version = '2.4.1';

export const interface_mbps = 25_000;

/** The one disk. */
export const diskOf = ({ serial }: Machine) => ({
  name: '/dev/nvme0n1',
  size: 480 * 10 ** 9,
  model: 'Simulated SSD 480',
  vendor: 'Ingot',
  serial: `${serial}D1`,
});

/** The one network card. */
export const cardOf = ({ serial }: Machine) => ({
  model: 'Simulated 25G Adapter',
  vendor: 'Ingot',
  serial: `${serial}N1`,
  firmware: '22.31.1',
});
