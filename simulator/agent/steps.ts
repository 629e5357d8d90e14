/** The steps that the agent offers, as its GenericHardwareManager does, and what each does (ironic-deploy.md 4). */
import { isDeepStrictEqual } from 'node:util';

import { Fault, Invalid } from '../../layers/domain/fault.ts';
import type { Machine } from '../machine.ts';
import { spanOf, type Span, type World } from '../world.ts';
import { writeImage } from './write-image.ts';

export type Params = Record<string, unknown>;
export type Work = (world: World, machine: Machine, params: Params, signal: AbortSignal) => unknown;
export type Kind = 'deploy' | 'clean' | 'service';

type Step = {
  readonly interface: string;
  /** Priority by kind; a kind that is not here does not have the step. 0: only when it is asked for. */
  readonly priority: { readonly [K in Kind]?: number };
  readonly abortable: boolean;
  readonly argsinfo?: Readonly<Record<string, { readonly description: string; readonly required: boolean }>>;
  readonly run: Work;
};

const manager = 'GenericHardwareManager';
const managerVersion = { generic_hardware_manager: '1.2' };

/** Lets a span of the machine's time pass. Rejects when its power is cut. */
export const wait = async (world: World, machine: Machine, span: Span, signal: AbortSignal): Promise<void> =>
  world.clock.sleep(spanOf(world, machine, span), signal);

const erase =
  (span: Span, residue: boolean): Work =>
  async (world, machine, _params, signal) => {
    await wait(world, machine, span, signal);
    const { disk } = machine;
    machine.disk = { ...disk, image: null, configdrive: null, ephemeral: null, residue: residue && disk.residue };
    return null;
  };

const asParams = (value: unknown): Params => (value && typeof value === 'object' ? (value as Params) : {});

/** As long as the node's driver_info says (seconds of the machine's time), a day unless it says anything. */
const burnIn =
  (part: string): Work =>
  async (world, machine, { node }, signal) => {
    const asked = Number(asParams(asParams(node)['driver_info'])[`agent_burnin_${part}_timeout`] ?? 86_400);
    if (!(asked >= 0)) throw Invalid(`agent_burnin_${part}_timeout must be a number of seconds.`);
    await wait(world, machine, [asked, asked], signal);
    return null;
  };

const burnInStep = (part: string): Step => ({
  interface: 'deploy',
  priority: { clean: 0, service: 0 },
  abortable: true,
  run: burnIn(part),
});

/** Erasing the metadata only makes the disk unbootable; what was on it could be recovered. */
const steps: Record<string, Step> = {
  erase_devices: { interface: 'deploy', priority: { clean: 10 }, abortable: true, run: erase([60, 180], false) },
  erase_devices_metadata: {
    interface: 'deploy',
    priority: { clean: 99, deploy: 0 },
    abortable: true,
    run: erase([5, 15], true),
  },
  erase_devices_express: {
    interface: 'deploy',
    priority: { clean: 0 },
    abortable: true,
    run: erase([10, 30], false),
  },
  burnin_cpu: burnInStep('cpu'),
  burnin_memory: burnInStep('memory'),
  burnin_disk: burnInStep('disk'),
  write_image: {
    interface: 'deploy',
    priority: { deploy: 0 },
    abortable: false,
    argsinfo: {
      image_info: { description: 'The image and where it is.', required: true },
      configdrive: { description: 'The configdrive to write with it.', required: false },
    },
    run: async (world, machine, { step }, signal) =>
      writeImage(world, machine, asParams(asParams(step)['args']), signal),
  },
};

/** The work of `<kind>.get_<kind>_steps`. */
export const listSteps =
  (kind: Kind): Work =>
  () => {
    const listed = Object.entries(steps)
      .filter(([, { priority }]) => priority[kind] !== undefined)
      .map(([step, { priority, interface: on, abortable, argsinfo }]) => ({
        step,
        priority: priority[kind],
        interface: on,
        reboot_requested: false,
        abortable,
        ...(argsinfo && { argsinfo }),
      }));
    return { [`${kind}_steps`]: { [manager]: listed }, hardware_manager_version: managerVersion };
  };

/** The work of `<kind>.execute_<kind>_step`. Throws CleaningVersionMismatch, Invalid. */
export const executeStep =
  (kind: Kind): Work =>
  async (world, machine, params, signal) => {
    const version = params[`${kind}_version`];
    if (version && !isDeepStrictEqual(version, managerVersion)) {
      throw new Fault('CleaningVersionMismatch', 500, 'The hardware managers changed since the steps were listed.');
    }
    const wanted = params['step'] as Params | undefined;
    const step = steps[String(wanted?.['step'])];
    if (step?.priority[kind] === undefined) throw Invalid(`There is no ${kind} step ${String(wanted?.['step'])}.`);
    return { [`${kind}_step`]: wanted, [`${kind}_result`]: await step.run(world, machine, params, signal) };
  };
