/**
 * What a node becomes by what was seen of its machine (ironic-states.md 4). Pure: a decision for `changeRecord`, made on
 * the node as it is stored by then.
 */
import { bmcFaults } from '../../layers/bmc/faults.ts';
import type { PowerSeen } from '../../layers/bmc/power-survey.ts';
import { hasPowerFailure, isSynced, powerFailure } from '../../layers/domain/baremetal/power-sync.ts';
import { maxReason, plainText } from '../../layers/domain/foreign-text.ts';
import { drop, keep, note, type Noted } from '../../layers/domain/notes.ts';
import type { NodeEvent } from '../../layers/store/events.ts';
import type { ListedNode, StoredNode } from '../../layers/store/nodes.ts';
import { type PowerRequest, powerRequestWrite } from '../../layers/store/power-requests.ts';
import type { Change } from '../../layers/store/records/plan.ts';
import { lock } from '../../layers/store/reservation.ts';
import { poweredOff } from '../../workflows/owners/node/agent.ts';
import type { Config } from './config.ts';

type Power = 'power on' | 'power off';
type Decision = Change<StoredNode> | undefined;

/** `listed`: the node as it was before anybody looked; `birth`: of a run, if one is begun (layers/store/reservation.ts). */
export type Finding = {
  readonly listed: Pick<ListedNode, 'generation' | 'power_state'> & Noted;
  readonly seen: PowerSeen;
  readonly birth: string;
};

/** As Ironic calls what it finds by itself. */
const event_type = 'monitoring';

const found = (message: string): NodeEvent => ({ kind: 'finding', severity: 'INFO', event_type, message });

const failuresOf = (node: Noted): number => note(node, 'power_sync_failures') ?? 0;

const withoutFailures = (node: StoredNode): Partial<StoredNode> =>
  failuresOf(node) > 0 ? drop(node, 'power_sync_failures') : {};

/** What the node shows of a machine that is `power`; what was known of its agent ends with its power. */
const showing = (node: StoredNode, power: Power): Partial<StoredNode> => {
  const kept = { ...node, ...withoutFailures(node) };
  return { ...withoutFailures(node), ...(power === 'power off' ? poweredOff(kept) : { power_state: power }) };
};

/** Ironic's sentence, in which what is not known is None. */
const given = ({ uuid, power_state: recorded }: StoredNode, actual: Power | null, why: string): string => {
  const now = actual ?? 'None';
  return `During sync_power_state, max retries exceeded for node ${uuid}, node state ${now} does not match expected state '${recorded ?? 'None'}'. Updating DB state to '${now}' Switching node to maintenance mode.${why && ` Error: ${plainText(why, maxReason)}`}`;
};

const giveUp = (node: StoredNode, actual: Power | null, why = ''): Change<StoredNode> => {
  const message = given(node, actual, why);
  return {
    set: {
      ...drop(node, 'power_sync_failures'),
      power_state: actual,
      last_error: message,
      maintenance: true,
      maintenance_reason: message,
      fault: powerFailure,
    },
    events: [{ kind: 'error', severity: 'ERROR', event_type, message }],
  };
};

/** What keeps the power from being read and is not about the machine or its BMC: nobody is to blame for it. */
const isOurs = (name: string): boolean => !Object.hasOwn(bmcFaults, name);

const unread = (node: StoredNode, name: string, why: string, { maxRetries }: Config): Decision => {
  const unknown = node.power_state === null && name === 'InvalidCommand';
  if (hasPowerFailure(node) || isOurs(name) || unknown) return undefined;
  const failures = failuresOf(node) + 1;
  if (failures > maxRetries) return giveUp(node, null, why);
  return { set: keep(node, { power_sync_failures: failures }) };
};

const recovered = (node: StoredNode, power: Power): Change<StoredNode> => ({
  set: {
    ...showing(node, power),
    ...(node.last_error === node.maintenance_reason && { last_error: null }),
    maintenance: false,
    maintenance_reason: null,
    fault: null,
  },
  events: [found(`Node ${node.uuid} is recovered from power failure with actual power state '${power}'.`)],
});

/** The run that switches the machine to what its node says. */
export const forcing = ({ uuid, power_state }: Pick<StoredNode, 'uuid' | 'power_state'>): PowerRequest => ({
  node: uuid,
  target: power_state!,
  timeout: null,
});

const force = (node: StoredNode, power: Power, birth: string, { maxRetries }: Config): Change<StoredNode> => {
  const failures = failuresOf(node) + 1;
  if (failures > maxRetries) return giveUp(node, power);
  const held = lock(node, birth);
  const { power_state: recorded } = node;
  return {
    set: { ...held, ...keep(node, { power_sync_failures: failures }), target_power_state: recorded },
    events: [
      {
        ...found(
          `The machine was found as '${power}', which does not match expected state '${recorded!}'. Changing hardware state to '${recorded!}'.`,
        ),
        run: held.reservation,
      },
    ],
    also: [powerRequestWrite(held.reservation, forcing(node))],
  };
};

const followed = (node: StoredNode, power: Power): Change<StoredNode> => ({
  set: showing(node, power),
  events: [
    found(
      node.power_state === null
        ? `The machine has no previous known state. Recording current state '${power}'.`
        : `The machine does not match expected state '${node.power_state}'. Updating recorded state to '${power}'.`,
    ),
  ],
});

const read = (node: StoredNode, power: Power, birth: string, config: Config): Decision => {
  const { power_state: recorded } = node;
  if (hasPowerFailure(node)) return recovered(node, power);
  if (recorded === power) return failuresOf(node) > 0 ? { set: withoutFailures(node) } : undefined;
  const isForced = config.force && !node.disable_power_off && recorded !== null && recorded !== 'error';
  return isForced ? force(node, power, birth, config) : followed(node, power);
};

/**
 * Nothing, if somebody has done anything with the machine or its power since the list was made: what was seen may be older
 * than that.
 */
export const settle = (node: StoredNode, { listed, seen, birth }: Finding, config: Config): Decision => {
  const same =
    node.generation === listed.generation &&
    node.power_state === listed.power_state &&
    failuresOf(node) === failuresOf(listed);
  if (!same || !isSynced(node)) return undefined;
  if ('fault' in seen) return unread(node, seen.fault.name, seen.fault.message, config);
  if (seen.power !== null) return read(node, seen.power, birth, config);
  return unread(node, 'BmcProtocol', 'The BMC says neither that the machine is on nor that it is off.', config);
};
