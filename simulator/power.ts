/** The power button: what a reset asks for, and when it comes true. */
import { recordBoot, recordCut, recordPower } from './evidence.ts';
import { isOn, type Machine, type PowerChange } from './machine.ts';
import { spanOf, type Span, type World } from './world.ts';

type Wanted = { readonly to: PowerChange['to']; readonly after: Span; readonly soft?: true };

/** Seconds from the accepted reset until the machine is as it was asked to be. */
const spans = { on: [0.5, 2], force: [1, 4], soft: [10, 30] } as const satisfies Record<string, Span>;

const resets: Record<string, (machine: Machine) => Wanted | undefined> = {
  On: () => ({ to: 'on', after: spans.on }),
  ForceOff: () => ({ to: 'off', after: spans.force }),
  GracefulShutdown: () => ({ to: 'off', after: spans.soft, soft: true }),
  ForceRestart: () => ({ to: 'restart', after: spans.force }),
  GracefulRestart: () => ({ to: 'restart', after: spans.soft, soft: true }),
  PushPowerButton: (machine) =>
    isOn(machine) ? { to: 'off', after: spans.soft, soft: true } : { to: 'on', after: spans.on },
  Nmi: () => undefined,
};

/** A running system is needed for a soft power off; nothing answers the button before that. */
const hasSystem = ({ phase }: Machine): boolean => phase === 'os' || phase === 'ramdisk';

/** Whether the reset would leave the machine as it is (or already is on its way there), or makes no sense in it. */
export const isRepeated = (machine: Machine, type: string): boolean => {
  const to = resets[type]?.(machine)?.to;
  if (to === 'on') return isOn(machine) ? machine.change?.to !== 'off' : machine.change?.to === 'on';
  if (to === 'off') return !isOn(machine) && machine.change === null;
  // What is off cannot be restarted.
  return to === 'restart' && !isOn(machine);
};

/** Begins what the reset asks for. Nothing happens if it asks for nothing new, or for software that does not run. */
export const reset = (world: World, machine: Machine, type: string): void => {
  const wanted = resets[type]?.(machine);
  if (!wanted || isRepeated(machine, type) || (wanted.soft && !hasSystem(machine))) return;
  change(world, machine, { to: wanted.to, at: world.clock.now() + spanOf(world, machine, wanted.after), cause: type });
};

const change = (world: World, machine: Machine, wanted: PowerChange): void => {
  machine.change = wanted;
  world.changed(machine);
  void carryOut(world, machine, wanted);
};

/** A later change replaces an earlier one that has not come true yet. */
const carryOut = async (world: World, machine: Machine, wanted: PowerChange): Promise<void> => {
  await world.clock.sleep(wanted.at - world.clock.now());
  if (machine.change !== wanted) return;
  machine.change = null;
  const before = isOn(machine) ? 'On' : 'Off';
  if (wanted.to === 'restart' && isOn(machine)) restart(world, machine);
  else if (wanted.to === 'off' && isOn(machine)) cutPower(world, machine, wanted.cause);
  else if (wanted.to !== 'off' && !isOn(machine)) start(world, machine, wanted.cause);
  const stale = world.faults.strikes('power_state_stale', machine);
  if (stale) machine.stale = { power: before, until: world.clock.now() + stale.seconds * 1000 * world.scale };
  world.changed(machine);
};

const start = (world: World, machine: Machine, cause: string): void => {
  recordPower(world, machine, 'On', cause);
  boot(world, machine);
};

/** The power stays on: nothing of it is in the timeline. What ran is gone nevertheless. */
const restart = (world: World, machine: Machine): void => {
  stopAll(world, machine);
  boot(world, machine);
};

const boot = (world: World, machine: Machine): void => {
  recordBoot(world, machine);
  machine.phase = 'post';
  machine.until = world.clock.now() + spanOf(world, machine, postSpan);
  live(world, machine);
};

const postSpan: Span = [40, 90];

const cutPower = (world: World, machine: Machine, cause: string): void => {
  recordPower(world, machine, 'Off', cause);
  stopAll(world, machine);
  machine.phase = 'off';
};

const stopAll = (world: World, machine: Machine): void => {
  recordCut(world, machine, machine.phase);
  world.lives.get(machine)?.controller.abort();
  world.lives.delete(machine);
  machine.device = null;
  machine.agent = null;
  machine.disk.writing = false;
};

/** The system on the machine turns it off (agent command standby.power_off). */
export const powerOff = (world: World, machine: Machine): void =>
  change(world, machine, { to: 'off', at: world.clock.now() + spanOf(world, machine, [2, 5]), cause: 'system' });

/** Somebody at the machine switches it, or it loses its power: its BMC is not asked, and says what is so. */
export const switchByHand = (world: World, machine: Machine, to: 'on' | 'off'): void =>
  change(world, machine, { to, at: world.clock.now(), cause: 'hand' });

const live = (world: World, machine: Machine): void => {
  const life = { controller: new AbortController(), rings: 0 };
  world.lives.set(machine, life);
  world.boot(machine, life);
};

/** Takes a machine up where the record says it was. */
export const resume = (world: World, machine: Machine): void => {
  if (isOn(machine)) live(world, machine);
  if (machine.change) void carryOut(world, machine, machine.change);
};

/** What the BMC says the power is. */
export const reportedPower = (world: World, machine: Machine): 'On' | 'Off' => {
  if (machine.stale && world.clock.now() < machine.stale.until) return machine.stale.power;
  return isOn(machine) ? 'On' : 'Off';
};
