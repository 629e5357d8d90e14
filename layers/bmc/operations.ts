/**
 * The contract with the hardware side: one row per operation of `functions/bmc-proxy` (redfish.md 6). The caller never
 * sends a BMC's address or password. Every `ensure` observes first, then acts, then confirms, so a repetition of the
 * same `op_id` never acts twice.
 *
 * `writes`: changes the machine; such an operation needs the node's current generation (fencing) and leaves a ledger row.
 */
import * as z from 'zod';

const none = z.strictObject({});
const changed = z.object({ changed: z.boolean() });
export const power = z.enum(['power on', 'power off']);
export const bootDevice = z.enum(['pxe', 'disk', 'cdrom', 'uefihttp', 'bios']);
export const mediaSlot = z.enum(['cd', 'usb']);

/** An agent step as IPA lists it (ironic-deploy.md 4). */
export const agentStep = z.looseObject({
  step: z.string(),
  interface: z.string(),
  priority: z.number(),
  reboot_requested: z.boolean().optional(),
  abortable: z.boolean().optional(),
});
export type AgentStep = z.output<typeof agentStep>;

/** A result of the agent's command list. */
export const agentCommand = z.looseObject({
  id: z.string(),
  command_name: z.string(),
  command_status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'CLEAN_VERSION_MISMATCH']),
  command_result: z.unknown().optional(),
  command_error: z.unknown().optional(),
});
export type AgentCommand = z.output<typeof agentCommand>;

/** `in` is what the caller sends, `out` what was observed when it is done. */
export const operations = {
  /** Reads the service root; on first contact it reports the certificate so that an operator can pin it. */
  'bmc.probe': {
    in: none,
    out: z.object({
      vendor: z.string().nullable(),
      product: z.string().nullable(),
      redfish_version: z.string().nullable(),
      systems: z.array(z.string()),
      fingerprint256: z.string().nullable(),
    }),
  },
  'system.get': {
    in: none,
    out: z.object({
      /** null: the BMC reports neither on nor off. */
      power: power.nullable(),
      boot: z.object({
        target: z.string().nullable(),
        enabled: z.string().nullable(),
        mode: z.enum(['uefi', 'bios']).nullable(),
      }),
      health: z.enum(['OK', 'Warning', 'Critical']).nullable(),
      vendor: z.string().nullable(),
      model: z.string().nullable(),
      serial: z.string().nullable(),
    }),
  },
  /** Done when PowerState equals the target. `soft` asks the OS; past `soft_seconds` it is forced if `then_force`. */
  'power.ensure': {
    in: z.strictObject({
      target: power,
      how: z.enum(['hard', 'soft']).default('hard'),
      soft_seconds: z.number().int().positive().default(600),
      then_force: z.boolean().default(false),
    }),
    out: changed.extend({ power: power.nullable() }),
    writes: true,
  },
  'boot.ensure': {
    in: z.strictObject({
      device: bootDevice,
      persistence: z.enum(['once', 'continuous']),
      mode: z.enum(['keep', 'uefi', 'bios']).default('keep'),
    }),
    out: changed,
    writes: true,
  },
  'boot.clear': { in: none, out: changed, writes: true },
  /** Same image (its URL without the query) already inserted: nothing happens. Another image: ejected first. */
  'vmedia.insert': { in: z.strictObject({ slot: mediaSlot, image: z.url() }), out: changed, writes: true },
  'vmedia.eject': {
    in: z.strictObject({ slot: z.enum(['cd', 'usb', 'all']) }),
    out: changed,
    writes: true,
  },
  /** Steps the agent offers; sorted as the agent sent them. */
  'agent.steps': {
    in: z.strictObject({ kind: z.enum(['deploy', 'clean', 'service']) }),
    out: z.object({ steps: z.array(agentStep), hardware_manager_version: z.record(z.string(), z.unknown()) }),
  },
  /**
   * Runs an asynchronous agent command. If the agent's last command is this one for the same step, that one is
   * adopted instead of started again; so it may be repeated at any time and then tells how the command stands.
   */
  'agent.execute': {
    in: z.strictObject({
      kind: z.enum(['deploy', 'clean', 'service']),
      step: z.looseObject({ interface: z.string(), step: z.string() }),
    }),
    out: z.object({ started: z.boolean(), command: agentCommand }),
    writes: true,
  },
  /** A synchronous agent command, waited for. */
  'agent.call': {
    in: z.strictObject({
      command: z.enum([
        'standby.get_partition_uuids',
        'standby.sync',
        'standby.power_off',
        'image.install_bootloader',
        'system.lockdown',
        'log.collect_system_logs',
      ]),
      params: z.record(z.string(), z.unknown()).default({}),
    }),
    out: z.object({ command: agentCommand }),
    writes: true,
  },
} as const satisfies Record<string, { in: z.ZodType; out: z.ZodType; writes?: true }>;

export type Operation = keyof typeof operations;
export type Params<O extends Operation> = z.input<(typeof operations)[O]['in']>;
export type Observed<O extends Operation> = z.output<(typeof operations)[O]['out']>;

/**
 * `op_id` names one wanted effect: run + phase (+ step). Repetitions carry the same one.
 * `deadline_ms` bounds this invocation's work, counted from its start; the proxy answers `pending` before it is over.
 */
export type Request<O extends Operation = Operation> = {
  readonly op: O;
  readonly node: string;
  readonly generation: number;
  readonly op_id: string;
  readonly params: Params<O>;
  readonly deadline_ms: number;
};

/** `pending`: asked for and not yet so; ask again with the same `op_id` after `poll_after_s` seconds. */
export type Reply<O extends Operation = Operation> =
  | { readonly status: 'done'; readonly observed: Observed<O>; readonly quirks: readonly string[] }
  | { readonly status: 'pending'; readonly poll_after_s: number; readonly reason: string };
