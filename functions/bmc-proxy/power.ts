/** Power (redfish.md 4.1, 5 rows 5-8). */
import { bmcFault, isRejection } from '../../layers/bmc/faults.ts';
import type { LedgerEntry } from '../../layers/bmc/records.ts';
import { actionInfo, type ComputerSystem } from '../../layers/redfish-client/resources.ts';
import { withBmc, type Bmc } from './bmc.ts';
import type { Call, Parsed } from './call.ts';
import { ageOf, ensure, lastAnswer, maySend, type Deed, type Seen } from './ensure.ts';

type Power = 'power on' | 'power off';

/** What a BMC says while it is there or on the way there. */
const states: Readonly<Record<string, { power: Power; moving?: true }>> = {
  On: { power: 'power on' },
  PoweringOn: { power: 'power on', moving: true },
  Off: { power: 'power off' },
  PoweringOff: { power: 'power off', moving: true },
};

/** Ironic's words for PowerState; on the way counts as there. null: neither on nor off. */
export const readPower = (state: string | null | undefined): Power | null => states[state ?? '']?.power ?? null;

/** Whether the machine is on its way from one to the other. */
export const isMoving = (state: string | null | undefined): boolean => states[state ?? '']?.moving ?? false;

/** ResetTypes in order of preference. Those in `listed` are sent only to a BMC that lists them. */
const resets = {
  'power on': { plain: 'On', listed: ['ForceOn', 'PushPowerButton'] },
  'power off': { plain: 'ForceOff', listed: [] as string[] },
  soft: { plain: 'GracefulShutdown', listed: ['PushPowerButton'] },
} as const;

/** A reset that was accepted may take so long to show; iDRAC 10 needs a minute after the opposite one. */
const lagMs = 60_000;

/** ResetTypes that the BMC lists; undefined: it does not say. */
export const allowedTypes = async (
  { redfish }: Bmc,
  system: ComputerSystem,
): Promise<readonly string[] | undefined> => {
  const reset = system.Actions?.['#ComputerSystem.Reset'];
  const inline = reset?.['ResetType@Redfish.AllowableValues'];
  if (inline || !reset?.['@Redfish.ActionInfo']) return inline ?? undefined;
  const { body } = await redfish.get(reset['@Redfish.ActionInfo'], actionInfo);
  return body.Parameters?.find(({ Name }) => Name === 'ResetType')?.AllowableValues ?? undefined;
};

const resetDeed = async (bmc: Bmc, kind: keyof typeof resets): Promise<Deed> => {
  const system = await bmc.lastSystem();
  const target = system.Actions?.['#ComputerSystem.Reset']?.target;
  if (!target) throw bmcFault('BmcUnsupported', 'The BMC offers no action to reset the system.');
  const allowed = await allowedTypes(bmc, system);
  const { plain, listed } = resets[kind];
  const type = !allowed || allowed.includes(plain) ? plain : listed.find((other) => allowed.includes(other));
  if (!type) {
    throw bmcFault('BmcUnsupported', `The BMC offers no ${plain}, only ${(allowed ?? []).join(', ') || 'nothing'}.`);
  }
  return {
    what: `${kind === 'soft' ? 'soft ' : ''}${type}`,
    send: async () => bmc.redfish.post(target, { ResetType: type }),
  };
};

const nextReset = async (
  call: Call<'power.ensure'>,
  bmc: Bmc,
  { target, how, soft_seconds, then_force }: Parsed<'power.ensure'>,
  entry: LedgerEntry | undefined,
): Promise<Deed | undefined> => {
  if (target === 'power on' || how === 'hard') return maySend(call, entry, lagMs) ? resetDeed(bmc, target) : undefined;
  const asked = entry?.what?.startsWith('soft ') ?? false;
  // The system refuses to shut down by itself (no operating system runs): time will not help.
  if (asked && then_force && entry?.state === 'refused' && isRejection(entry.outcome)) return resetDeed(bmc, target);
  const age = ageOf(call, entry);
  if (age === undefined) return resetDeed(bmc, asked || !entry?.what ? 'soft' : target);
  if (!asked) return maySend(call, entry, lagMs) ? resetDeed(bmc, target) : undefined;
  if (age < soft_seconds * 1000) return undefined;
  if (then_force) return resetDeed(bmc, target);
  throw entry?.said
    ? bmcFault(
        'BmcStateMismatch',
        `The machine is still on, and was perhaps never asked to shut down.${lastAnswer(entry)}`,
      )
    : bmcFault('BmcStateMismatch', `The operating system did not shut down within ${soft_seconds} s of being asked.`);
};

const observePower = async (bmc: Bmc, target: Power): Promise<Seen<{ power: Power }>> => {
  const { PowerState } = (await bmc.system()).body;
  const state = states[PowerState ?? ''];
  if (state?.power === target && !state.moving) return { so: { power: target } };
  return { not: `The BMC reports power ${PowerState ?? 'unknown'}.`, moving: state?.moving ?? false };
};

/** Done when the BMC reports exactly On or Off: a node is never given on while it is only powering off. */
export const ensurePower = async (call: Call<'power.ensure'>) => {
  const { params } = call;
  return withBmc(call, async (bmc) =>
    ensure(call, {
      observe: async () => observePower(bmc, params.target),
      next: async (entry) => nextReset(call, bmc, params, entry),
      task: bmc.redfish.task,
      ...(params.how === 'soft' && { overtakes: true }),
      quirks: async () => [],
    }),
  );
};
