/**
 * What tests can ask a machine about its past. Lists keep the latest entries only; `boot_count` counts all.
 */
import type { Machine, Phase } from './machine.ts';
import type { World } from './world.ts';

const limit = 200;

const keep = <T>(list: T[], entry: T): void => {
  list.push(entry);
  if (list.length > limit) list.splice(0, list.length - limit);
};

/** Notes that the power changed, and what made it. */
export const recordPower = (world: World, machine: Machine, to: 'On' | 'Off', cause: string): void =>
  keep(machine.timeline, { at: world.clock.now(), from: to === 'On' ? 'Off' : 'On', to, cause });

/** Notes a reset that was asked for and how it was answered, refused ones too. */
export const recordReset = (world: World, machine: Machine, type: string, status: number): void => {
  keep(machine.resets, { at: world.clock.now(), type, status });
  world.changed(machine);
};

/** Notes that a boot began; device and outcome follow when they are known. */
export const recordBoot = (world: World, machine: Machine): void => {
  machine.boot_count += 1;
  keep(machine.boots, { at: world.clock.now(), device: null, result: null, cut: null });
};

/** Something that must never happen to a machine, whatever is restarted when. */
export const recordViolation = (world: World, machine: Machine, what: string): void => {
  keep(machine.violations, { at: world.clock.now(), what });
  world.changed(machine);
};

/** Notes in which phase the power went, or a restart came, and what that did harm to. */
export const recordCut = (world: World, machine: Machine, phase: Phase): void => {
  const boot = machine.boots.at(-1);
  if (boot) boot.cut = phase;
  if (machine.disk.writing)
    recordViolation(world, machine, 'power was cut, or the machine restarted, while an image was being written');
};
