/**
 * The contract with the hardware side: one row per operation of `functions/bmc-proxy` (redfish.md 6). The caller never
 * sends a BMC's address or password, except to `bmc.prove`. Every `ensure` observes first, then acts, then confirms, so a repetition of the
 * same `op_id` never acts twice.
 *
 * `writes`: changes the machine; such an operation needs the node's current generation (fencing) and leaves a ledger row.
 * `foreign`: of nodes whose driver is not one of ours, with which nothing else can be done.
 */
import * as z from 'zod';

import { firmware, inventory } from './inventory.ts';
import {
  biosSetting,
  bootMode,
  indicator,
  indicatorComponent,
  indicatorState,
  mediaState,
  subscription,
  wantedSubscription,
} from './settings.ts';

const none = z.strictObject({});
const changed = z.object({ changed: z.boolean() });
/** `reboot_needed`: the machine has taken it and goes by it from its next start on. */
const changedForNextBoot = changed.extend({ reboot_needed: z.boolean() });
const power = z.enum(['power on', 'power off']);
export const bootDevice = z.enum(['pxe', 'disk', 'cdrom', 'uefihttp', 'bios']);
const mediaSlot = z.enum(['cd', 'usb']);

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
  /**
   * Whether the BMC of a node of a foreign type can be worked with by Redfish (layers/bmc/conversion.ts): its one system is
   * read. `given`: what the operator says of it; `sealed`: the password that came with it, without which the stored one goes
   * to its own host alone. `moved`: the stored password, sealed as `redfish_password`; as numbers, because in a text
   * the password itself could be found by chance, and blanked.
   */
  'bmc.prove': {
    in: z.strictObject({ given: z.record(z.string(), z.unknown()), sealed: z.string().nullable() }),
    out: z.object({
      power: power.nullable(),
      vendor: z.string().nullable(),
      model: z.string().nullable(),
      serial: z.string().nullable(),
      fingerprint256: z.string().nullable(),
      moved: z.array(z.int()).nullable(),
    }),
    foreign: true,
  },
  'system.get': {
    in: none,
    out: z.object({
      /** null: the BMC reports neither on nor off. */
      power: power.nullable(),
      boot: z.object({
        target: z.string().nullable(),
        enabled: z.string().nullable(),
        mode: bootMode.nullable(),
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
  /**
   * Starts the running machine anew without ever switching it off; `soft` asks the OS. Sent at most once per `op_id`,
   * because a machine does not show that it was restarted. A machine that is off stays off (`changed` is false).
   */
  'power.restart': { in: z.strictObject({ how: z.enum(['hard', 'soft']) }), out: changed, writes: true },
  'boot.ensure': {
    in: z.strictObject({
      device: bootDevice,
      persistence: z.enum(['once', 'continuous']),
      mode: z.enum(['keep', 'uefi', 'bios']).default('keep'),
    }),
    out: changed,
    writes: true,
  },
  /** Done when no override leads to the virtual drive any more; any other stays. */
  'boot.clear': { in: none, out: changed, writes: true },
  /**
   * Same image (its URL without the query) already inserted: nothing happens. Another image: ejected first. `beside`:
   * not into the drive that a CD is or would be in, where the BMC has one drive for all.
   */
  'vmedia.insert': {
    in: z.strictObject({ slot: mediaSlot, image: z.url(), beside: z.boolean().default(false) }),
    out: changed,
    writes: true,
  },
  'vmedia.eject': {
    in: z.strictObject({ slot: z.enum(['cd', 'usb', 'all']) }),
    out: changed,
    writes: true,
  },
  /** Slots of the system, or of its managers if it has none. `removable`: one takes a stick beside the CD. */
  'vmedia.get': { in: none, out: z.object({ media: z.array(mediaState), removable: z.boolean() }) },
  /** How the machine starts from now on, whatever it starts from. */
  'mode.ensure': { in: z.strictObject({ mode: bootMode }), out: changedForNextBoot, writes: true },
  /** The setting, which the running system may not have been started with. null: the BMC knows no secure boot. */
  'secure_boot.get': { in: none, out: z.object({ enabled: z.boolean().nullable() }) },
  'secure_boot.ensure': { in: z.strictObject({ enabled: z.boolean() }), out: changedForNextBoot, writes: true },
  /** Sent at most once per `op_id`: a second one could interrupt the very dump that the first one asked for. */
  'nmi.inject': { in: none, out: changed, writes: true },
  'indicator.list': { in: none, out: z.object({ indicators: z.array(indicator) }) },
  'indicator.ensure': {
    in: z.strictObject({ component: indicatorComponent, name: z.string(), state: indicatorState }),
    out: changed,
    writes: true,
  },
  'subscription.list': { in: none, out: z.object({ subscriptions: z.array(subscription) }) },
  /** A repetition finds what it made by destination and context. The BMC need not show the headers. */
  'subscription.create': { in: wantedSubscription, out: changed.extend({ subscription }), writes: true },
  /** Done as well if there is none of this id: the answer to an earlier request may have been lost. */
  'subscription.delete': { in: z.strictObject({ id: z.string() }), out: changed, writes: true },
  'bios.get': { in: none, out: z.object({ settings: z.array(biosSetting) }) },
  /** Done when the BMC shows the values as current, or as what the next start brings. Other settings stay. */
  'bios.ensure': {
    in: z.strictObject({ settings: z.array(z.strictObject({ name: z.string(), value: z.unknown() })).min(1) }),
    out: changedForNextBoot,
    writes: true,
  },
  /** Asks for factory settings at the next start; the BMC does not show that, so its word is taken for it. */
  'bios.reset': { in: none, out: changedForNextBoot, writes: true },
  'firmware.get': { in: none, out: z.object({ components: z.array(firmware) }) },
  /** Many requests: give it minutes. */
  'inventory.get': { in: none, out: z.object({ inventory }) },
  /** Steps the agent offers; sorted as the agent sent them. */
  'agent.steps': {
    in: z.strictObject({ kind: z.enum(['deploy', 'clean', 'service']) }),
    out: z.object({ steps: z.array(agentStep), hardware_manager_version: z.record(z.string(), z.unknown()) }),
  },
  /**
   * Runs an asynchronous agent command. If the agent's last command is this one for the same step, that one is
   * adopted instead of started again; so it may be repeated at any time and then tells how the command stands.
   * `only_adopt`: it is not started either if there is none to adopt; `command` is null then.
   */
  'agent.execute': {
    in: z.strictObject({
      kind: z.enum(['deploy', 'clean', 'service']),
      step: z.looseObject({ interface: z.string(), step: z.string() }),
      only_adopt: z.literal(true).optional(),
    }),
    out: z.object({ started: z.boolean(), command: agentCommand.nullable() }),
    writes: true,
  },
  /** Whether the agent is at a command that takes its time. */
  'agent.progress': { in: none, out: z.object({ running: z.boolean() }) },
  /**
   * A synchronous agent command, waited for. `rescue.finalize_rescue` takes no params: the proxy opens the sealed value
   * `rescue_password` of the node, which is the hash in the form of crypt(3) that the ramdisk is to use.
   */
  'agent.call': {
    in: z.strictObject({
      command: z.enum([
        'standby.get_partition_uuids',
        'standby.sync',
        'standby.power_off',
        'image.install_bootloader',
        'rescue.finalize_rescue',
      ]),
      params: z.record(z.string(), z.unknown()).default({}),
    }),
    out: z.object({ command: agentCommand }),
    writes: true,
  },
} as const satisfies Record<string, { in: z.ZodType; out: z.ZodType; writes?: true; foreign?: true }>;

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
