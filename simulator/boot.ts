/** From power on to a running system: POST, choice of the device, load. */
import { runAgent } from './agent/agent.ts';
import { readParameters } from './agent/parameters.ts';
import { recordViolation } from './evidence.ts';
import { profileOf, type Device, type Machine, type Phase } from './machine.ts';
import { startLoader } from './boot-loader.ts';
import { type Built, readMedia } from './media.ts';
import { takeOver } from './settings.ts';
import { spanOf, type Life, type Span, type World } from './world.ts';

const loadSpan: Span = [15, 40];

/** The slots a device name of Redfish stands for. */
const mediaTypes: Record<string, string> = { Cd: 'CD', UsbCd: 'CD', Usb: 'USBStick' };
/** Without an override: disk, CD, stick. Nothing answers network boot here. */
const order = ['Hdd', 'Cd', 'Usb'];

const devicesOf = (world: World, machine: Machine, target: string): Device[] => {
  if (target === 'Hdd') return machine.disk.image ? ['hdd'] : [];
  const wanted = mediaTypes[target];
  return profileOf(machine)
    .slots.filter(({ id, media_types }) => {
      const media = machine.media[id];
      return wanted && media_types.includes(wanted) && media && media.ready_at <= world.clock.now();
    })
    .map(({ id }) => id);
};

/** The device that is booted from. An override that has nothing to boot falls back to the boot order. */
const chooseDevice = (world: World, machine: Machine): Device | undefined => {
  const { enabled, target } = machine.boot;
  const ignored = enabled !== 'Disabled' && world.faults.strikes('boot_once_ignored', machine);
  if (enabled === 'Once') machine.boot = { ...machine.boot, target: 'None', enabled: 'Disabled' };
  const wanted = enabled === 'Disabled' || ignored ? order : [target, ...order];
  return wanted.flatMap((name) => devicesOf(world, machine, name))[0];
};

const enter = (world: World, machine: Machine, phase: Phase, reason?: string): void => {
  machine.phase = phase;
  const boot = machine.boots.at(-1);
  if (boot && (phase === 'os' || phase === 'ramdisk' || phase === 'halted')) {
    boot.result = phase;
    if (reason) boot.reason = reason;
  }
  world.changed(machine);
};

const post = async (world: World, machine: Machine, { signal }: AbortController): Promise<void> => {
  await world.clock.sleep(machine.until - world.clock.now(), signal);
  takeOver(machine, world.clock.now());
  const device = chooseDevice(world, machine);
  if (!device) return enter(world, machine, 'halted', 'there is nothing to boot from');
  machine.device = device;
  machine.boots.at(-1)!.device = device;
  machine.until = world.clock.now() + spanOf(world, machine, loadSpan);
  enter(world, machine, 'load');
};

const builtBy = (words: Readonly<Record<string, string>>): Built => ({
  api_url: words['ipa-api-url'] ?? null,
  inspection_url: words['ipa-inspection-callback-url'] ?? null,
  boot_method: words['boot_method'] ?? null,
});

const load = async (world: World, machine: Machine, { signal }: AbortController): Promise<void> => {
  await world.clock.sleep(machine.until - world.clock.now(), signal);
  if (world.faults.strikes('boot_fails', machine)) return enter(world, machine, 'halted', 'fault boot_fails');
  if (machine.device === 'hdd') {
    return machine.disk.image ? enter(world, machine, 'os') : enter(world, machine, 'halted', 'the disk is empty');
  }
  const media = machine.media[machine.device!];
  if (!media) return enter(world, machine, 'halted', 'the media were removed');
  const found = await readMedia(world, machine, media.image, signal);
  signal.throwIfAborted();
  if ('reason' in found) return enter(world, machine, 'halted', found.reason);
  if (!found.built) return enter(world, machine, 'os');
  const started = found.boots ? await startLoader(world, machine, media.image, signal) : undefined;
  signal.throwIfAborted();
  if (started && 'reason' in started) return enter(world, machine, 'halted', started.reason);
  const built = started ? builtBy(started.words) : found.built;
  const { api_url, ...parameters } = await readParameters(world, machine, built, signal);
  signal.throwIfAborted();
  machine.agent = {
    ...parameters,
    api_url: api_url ?? '',
    // Whom nobody told where the API is ends at its start.
    state: api_url ? 'calling' : 'dead',
    node_uuid: null,
    version: 1,
    heartbeat_timeout: 300,
    started_at: world.clock.now(),
    commands: [],
    running: null,
  };
  enter(world, machine, 'ramdisk');
};

/** Runs the machine from the phase it is in until it stays as it is. Ends without a word when its power is cut. */
export const bootUp = async (world: World, machine: Machine, life: Life): Promise<void> => {
  const { controller } = life;
  try {
    if (machine.phase === 'post') await post(world, machine, controller);
    if (machine.phase === 'load') await load(world, machine, controller);
    if (machine.phase === 'ramdisk') await runAgent(world, machine, life);
  } catch (error) {
    // A simulator that is wrong must not look like a machine that is quiet.
    if (!controller.signal.aborted) recordViolation(world, machine, `the simulator failed: ${String(error)}`);
  }
};
