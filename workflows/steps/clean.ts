/** clean: automated cleaning through the agent (ironic-states.md 7). The steps are data in the node. */
import { Invalid } from '../../layers/domain/fault.ts';
import type { AgentStep } from '../../layers/bmc/operations.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { finish } from '../../layers/store/reservation.ts';
import { forgetAgent, poweredOff, without } from '../agent.ts';
import { done, type Phase, type Phases, type Settings } from '../phase.ts';
import * as boot from './boot.ts';

/** Equal priorities run in this order of interfaces. */
const interfaceOrder = ['vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid'];

const ofThisRun = [
  'clean_steps',
  'clean_step_index',
  'cleaning_reboot',
  'hardware_manager_version',
  'agent_cached_clean_steps',
];

/** The steps of automated cleaning: those with a priority above 0, highest first. */
export const cleanSteps = (offered: readonly AgentStep[], { cleanPriorities }: Pick<Settings, 'cleanPriorities'>) =>
  offered
    .map((row) => ({ ...row, priority: cleanPriorities[row.step] ?? row.priority }))
    .filter(({ priority }) => priority > 0)
    .sort(
      (a, b) => b.priority - a.priority || interfaceOrder.indexOf(a.interface) - interfaceOrder.indexOf(b.interface),
    );

type Plan = { readonly steps: readonly AgentStep[]; readonly index: number };

/** Steps and position, undefined before the agent has been asked. */
export const planOf = ({ driver_internal_info: info }: StoredNode): Plan | undefined => {
  const steps = info['clean_steps'] as readonly AgentStep[] | undefined;
  return steps && { steps, index: Number(info['clean_step_index'] ?? 0) };
};

const needsRamdisk = (node: StoredNode, { automatedClean }: Settings): boolean =>
  node.deploy_interface !== 'fake' && (node.automated_clean ?? automatedClean);

const prepare: Phase = {
  run: async ({ node, settings }) => {
    const boots = needsRamdisk(node, settings);
    if (boots && node.disable_power_off) {
      throw Invalid('disable_power_off is set, but cleaning has to switch the machine off to boot the ramdisk.');
    }
    return done(
      ({ driver_internal_info }) => ({
        clean_step: {},
        driver_internal_info: without(driver_internal_info, ofThisRun),
      }),
      { way: boots ? 'ramdisk' : 'nothing' },
    );
  },
};

/** A step that asked for a reboot has its wish; the plan goes on with the next one. */
const powerOff: Phase = {
  run: async (context) => {
    await boot.powerOff.run(context);
    return done((node) => {
      const off = poweredOff(node);
      return { ...off, driver_internal_info: without(off.driver_internal_info ?? {}, ['cleaning_reboot']) };
    });
  },
};

/** After a reboot in mid-plan the plan that exists is kept. */
const collectSteps: Phase = {
  run: async ({ hardware, settings }) => {
    const observed = await hardware.ask('agent.steps', { kind: 'clean' });
    const steps = cleanSteps(observed?.steps ?? [], settings);
    return done((node) => ({
      driver_internal_info: {
        ...node.driver_internal_info,
        agent_cached_clean_steps: { deploy: observed?.steps ?? [] },
        hardware_manager_version: observed?.hardware_manager_version ?? {},
        ...(!planOf(node) && { clean_steps: steps, clean_step_index: 0 }),
      },
    }));
  },
};

/** `next`: another step; `reboot`: boot the ramdisk again first; `done`: no step is left. */
const after = (node: StoredNode): { is: 'next' | 'reboot' | 'done' } => {
  if (node.driver_internal_info['cleaning_reboot']) return { is: 'reboot' };
  const plan = planOf(node);
  return { is: plan && plan.index < plan.steps.length ? 'next' : 'done' };
};

const completed = (node: StoredNode, step: AgentStep, index: number): Partial<StoredNode> => ({
  clean_step: {},
  driver_internal_info: {
    ...node.driver_internal_info,
    clean_step_index: index + 1,
    ...(step.reboot_requested && { cleaning_reboot: true }),
  },
});

/** One step. Repeated at each call of the agent until the step has ended. */
const runStep: Phase = {
  shows: (node) => {
    const plan = planOf(node);
    return { clean_step: { ...plan?.steps[plan.index] } };
  },
  run: async ({ hardware, node }) => {
    const plan = planOf(node);
    const step = plan?.steps[plan.index];
    if (!plan || !step || node.driver_internal_info['cleaning_reboot']) return done(undefined, after(node));
    const ended = await hardware.step('clean', step);
    if (!ended) return { is: 'wait', came: ({ revision }) => revision !== node.revision };
    const change = (fresh: StoredNode) => completed(fresh, step, plan.index);
    return done(change, after({ ...node, ...change(node) }));
  },
};

/** Automated cleaning ends available; a clean that was asked for, and a retired node, end manageable. */
const finishClean: Phase = {
  run: async () =>
    done((node) => {
      const stays = node.target_provision_state === 'manageable' || node.retired;
      const forgotten = forgetAgent(node);
      return {
        ...forgotten,
        ...finish(node, stays ? 'manage' : 'done'),
        clean_step: {},
        last_error: null,
        driver_internal_info: without(forgotten.driver_internal_info, ofThisRun),
      };
    }),
};

/** By the names of the states in clean.asl.json. */
export const clean: Phases = {
  Prepare: prepare,
  PowerOff: powerOff,
  AttachBootMedia: boot.attachBootMedia,
  SetBootDevice: boot.bootMediaOnce,
  PowerOn: boot.powerOn,
  WaitForAgent: boot.waitForAgent,
  CollectSteps: collectSteps,
  RunStep: runStep,
  PowerOffAgent: boot.powerOff,
  DetachBootMedia: boot.detachBootMedia,
  Finish: finishClean,
};
