/**
 * What a machine consists of, as its BMC tells it, in the form in which deploy agents tell it (ironic-deploy.md 4), so
 * that whoever reads inventories need not know who made one. What the BMC does not say is left out or null.
 */
import * as z from 'zod';

const text = z.string().nullable();

export const inventory = z.object({
  interfaces: z.array(
    z.object({
      name: z.string(),
      /** Lower case, with colons. */
      mac_address: z.string(),
      speed_mbps: z.number().optional(),
      has_carrier: z.boolean().optional(),
    }),
  ),
  /** `size` in bytes. */
  disks: z.array(z.object({ name: z.string(), size: z.number(), model: text, serial: text, vendor: text })),
  memory: z.object({ physical_mb: z.number().nullable() }),
  /** `count`: logical processors; `architecture` as Ironic spells it, such as x86_64. */
  cpu: z.object({ count: z.number().nullable(), architecture: text, model_name: text }),
  system_vendor: z.object({ product_name: text, serial_number: text, manufacturer: text }),
  boot: z.object({ current_boot_mode: z.enum(['uefi', 'bios']).nullable() }),
});
export type Inventory = z.output<typeof inventory>;

/** `component` as Ironic names it: bios, bmc, `nic:<id>`. */
export const firmware = z.object({
  component: z.string(),
  current_version: text,
  vendor: text,
  model: text,
  serial_number: text,
});
export type Firmware = z.output<typeof firmware>;
