/** A machine as a hypervisor (compute-api.md 6): what fits on it is the machine, once. */
import * as z from 'zod';

import type { ShownMachine } from '../../../layers/baremetal-client/shown.ts';
import { sizeOf } from '../../../layers/schedule/candidate.ts';
import { idOf, shownId } from './numbers.ts';
import { serviceId } from './service.ts';

/** From here on the information about the processor is an object, and before that a text. */
const cpuInfoIsObject = 28;
/** From here on there are no capacities. */
export const withoutCapacity = 88;

/** Numbers of a machine, which clients add up. */
export const capacityOf = (machine: Pick<ShownMachine, 'properties' | 'instance_uuid'>) => {
  const { cpus: vcpus, memory_mb, local_gb } = sizeOf(machine);
  const taken = machine.instance_uuid === null ? 0 : 1;
  return {
    vcpus,
    memory_mb,
    local_gb,
    vcpus_used: taken * vcpus,
    memory_mb_used: taken * memory_mb,
    local_gb_used: taken * local_gb,
    free_ram_mb: (1 - taken) * memory_mb,
    free_disk_gb: (1 - taken) * local_gb,
    disk_available_least: (1 - taken) * local_gb,
    current_workload: 0,
    running_vms: taken,
  };
};

export type Capacity = ReturnType<typeof capacityOf>;

/** That of no machine at all. */
export const noCapacity: Capacity = capacityOf({ properties: {}, instance_uuid: null });

/** A server that is on a machine, by the names that Nova has for it. */
export type ServerOn = { readonly name: string; readonly uuid: string };

/** The brief form. `server`: if servers were asked for, that which it has. */
export const briefOf = (machine: ShownMachine, version: number, server?: ServerOn) => ({
  id: idOf(machine.uuid, version),
  hypervisor_hostname: machine.uuid,
  state: machine.power_state === 'error' ? 'down' : 'up',
  status: machine.maintenance ? 'disabled' : 'enabled',
  ...(server && { servers: [server] }),
});

/** The whole form. */
export const wholeOf = (machine: ShownMachine, version: number, server?: ServerOn) => {
  const host = machine.conductor ?? '';
  return {
    ...briefOf(machine, version, server),
    hypervisor_type: 'ironic',
    hypervisor_version: 1,
    host_ip: '',
    service: { id: serviceId(host, version), host, disabled_reason: null },
    ...(version < withoutCapacity
      ? { ...capacityOf(machine), cpu_info: version < cpuInfoIsObject ? '' : {} }
      : { uptime: null }),
  };
};

const names = Object.keys(noCapacity) as (keyof Capacity)[];
const shownCapacity = z.object(
  Object.fromEntries(names.map((name) => [name, z.int()])) as Record<keyof Capacity, z.ZodInt>,
);

const brief = z.object({
  id: shownId,
  hypervisor_hostname: z.uuid(),
  state: z.enum(['up', 'down']),
  status: z.enum(['enabled', 'disabled']),
  servers: z.array(z.object({ name: z.string(), uuid: z.uuid() })).optional(),
});

/** What answers look like, for the documents. */
export const shownHypervisors = {
  brief,
  whole: brief.extend({
    hypervisor_type: z.literal('ironic'),
    hypervisor_version: z.int(),
    host_ip: z.string(),
    service: z.object({ id: shownId, host: z.string(), disabled_reason: z.null() }),
    ...shownCapacity.partial().shape,
    cpu_info: z.union([z.string(), z.object({})]).optional(),
    uptime: z.null().optional(),
  }),
  statistics: shownCapacity.extend({ count: z.int() }),
} as const;
