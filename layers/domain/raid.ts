/** What target_raid_config may say, and what drivers tell of it (ironic-api.md 2.1, 6). One row a property. */
import * as z from 'zod';

import { Invalid } from './fault.ts';
import { check } from './schema.ts';

type Property = { readonly schema: z.ZodType; readonly doc: string; readonly required?: true };

const count = z.int().positive();

const logicalDisk = {
  raid_level: {
    required: true,
    schema: z.enum(['JBOD', '0', '1', '2', '5', '6', '1+0', '5+0', '6+0']),
    doc: 'RAID level: JBOD, 0, 1, 2, 5, 6, 1+0, 5+0 or 6+0. Required.',
  },
  size_gb: {
    required: true,
    schema: z.union([count, z.literal('MAX')], 'must be a positive whole number or MAX'),
    doc: 'Size in GiB, or MAX for all that is left. Required.',
  },
  volume_name: { schema: z.string(), doc: 'Name of the volume. Default: one is made up. Optional.' },
  is_root_volume: {
    schema: z.boolean(),
    doc: 'Whether the operating system goes onto it; one disk at most. Default: false. Optional.',
  },
  share_physical_disks: {
    schema: z.boolean(),
    doc: 'Whether others may use its physical disks too. Default: false. Optional.',
  },
  disk_type: { schema: z.enum(['hdd', 'ssd']), doc: 'Kind of the physical disks: hdd or ssd. Default: any. Optional.' },
  interface_type: {
    schema: z.enum(['sata', 'scsi', 'sas', 'nvme']),
    doc: 'Interface of the physical disks: sata, scsi, sas or nvme. Default: any. Optional.',
  },
  number_of_physical_disks: {
    schema: count,
    doc: 'How many physical disks. Default: as few as the level needs. Optional.',
  },
  controller: { schema: z.string(), doc: 'Which controller. Default: one that fits. Optional.' },
  physical_disks: {
    schema: z.array(z.union([z.string(), z.record(z.string(), z.unknown())])),
    doc: 'Which physical disks, by name or by hints; needs controller for names. Default: some that fit. Optional.',
  },
} as const satisfies Record<string, Property>;

const entries = Object.entries<Property>(logicalDisk);

const config = z.strictObject({
  logical_disks: z
    .array(
      z.strictObject(Object.fromEntries(entries.map(([k, p]) => [k, p.required ? p.schema : p.schema.optional()]))),
    )
    .min(1, 'must have at least one disk'),
});

/** Property -> what it means. */
export const logicalDiskProperties: Readonly<Record<string, string>> = Object.fromEntries(
  entries.map(([name, { doc }]) => [name, doc]),
);

/** A target RAID configuration; `{}` is none. Throws Invalid (400) naming the first thing that is wrong. */
export const checkRaidConfig = (value: Record<string, unknown>): void => {
  if (Object.keys(value).length === 0) return;
  const { logical_disks: disks } = check(config, value);
  const roots = disks.filter((disk) => disk['is_root_volume'] === true).length;
  if (roots > 1) throw Invalid(`logical_disks: ${roots} disks have is_root_volume, one at most may have it.`);
  const loose = disks.findIndex(
    ({ physical_disks: names, controller }) =>
      Array.isArray(names) && names.some((name) => typeof name === 'string') && controller === undefined,
  );
  if (loose >= 0) throw Invalid(`logical_disks.${loose}: physical_disks needs controller.`);
};
