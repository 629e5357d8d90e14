/** deploy: active and rebuild (ironic-deploy.md 2 and 6). The plan of steps is data in the node, the core steps are states. */
import type { AgentStep } from '../../layers/bmc/operations.ts';
import { checkCapabilities, wantedBootMode } from '../../layers/domain/capabilities.ts';
import { configdriveObject } from '../../layers/domain/configdrive.ts';
import {
  askedSteps,
  coreOf,
  coreSteps,
  mergeSteps,
  planDeploy,
  wayOf,
  type CoreStep,
} from '../../layers/domain/deploy-plan.ts';
import { Fault, Invalid } from '../../layers/domain/fault.ts';
import { checkBootIso, checkImage, imageType } from '../../layers/domain/instance-image.ts';
import { asOffered, nameOf, needAgent, placeOf, toPlan } from '../../layers/domain/machine-steps.ts';
import { keep, note } from '../../layers/domain/notes.ts';
import type { PlannedStep } from '../../layers/domain/steps.ts';
import { deployTemplatesOf } from '../../layers/store/deploy-templates.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { finish } from '../../layers/store/reservation.ts';
import { agentCalled, agentIsAtIt } from '../owners/node/agent.ts';
import * as instance from '../owners/node/instance-media.ts';
import { AgentFailed } from '../owners/node/hardware.ts';
import { imageInfo } from './image.ts';
import { imageOf, withSource } from '../owners/node/image-source.ts';
import { withGuestDocument } from '../owners/node/guest.ts';
import { answer, done, type Phase, type PhaseContext, type Phases } from '../owners/node/phase.ts';
import {
  currentStep,
  forgetSteps,
  keepOffer,
  planOf,
  replaceSteps,
  setPlan,
  showStep,
  stepEnded,
  wantsReboot,
} from '../owners/node/plan.ts';
import * as boot from '../owners/node/boot.ts';
import { offersOf, powerOffForRamdisk, runStepThen } from '../owners/node/run-step.ts';
import { requireSecureBoot, withoutFormerSecureBoot, withSecureBoot } from '../owners/node/secure-boot.ts';

/** Core steps that happen in the agent. */
const inAgent: readonly (CoreStep | undefined)[] = ['write_image', 'prepare_instance_boot'];

/** The name of a core step, or what `next` says else. */
const words = {
  is: ['ramdisk', 'iso', 'step', 'write_image', 'prepare_instance_boot', 'tear_down_agent', 'boot_instance', 'done'],
} as const;

/**
 * What the Choice after a step reads: the name of a core step, `step` for one that somebody added, `ramdisk` if the
 * agent has to be booted (again) for it, `iso` to boot the instance's own medium, `done` if none is left.
 */
const next = (node: StoredNode): { is: (typeof words.is)[number] } => {
  const way = wayOf(node);
  const step = currentStep(node, 'deploy');
  if (!step) return { is: 'done' };
  const name = coreOf(way, step);
  if (name === 'deploy') return { is: way === 'ramdisk' ? 'iso' : 'ramdisk' };
  const agentIsNeeded = name ? inAgent.includes(name) : needAgent(node, [step]);
  if (wantsReboot(node, 'deploy') || (agentIsNeeded && !agentCalled(node))) return { is: 'ramdisk' };
  return { is: name ?? 'step' };
};

const isCurrent = (node: StoredNode, name: CoreStep): boolean => {
  const step = currentStep(node, 'deploy');
  return step !== undefined && coreOf(wayOf(node), step) === name;
};

/** The core step has ended with this phase. The ramdisk that is booted again in mid-plan ends no step. */
const coreEnded = (node: StoredNode, name: CoreStep): Partial<StoredNode> =>
  isCurrent(node, name) ? stepEnded(node, 'deploy', planOf(node, 'deploy')!.index) : {};

const during = (phase: Phase): Phase => ({ ...phase, shows: showStep('deploy') });

/** The phase with which a core step ends: it tells what is next. */
const ending = (name: CoreStep, phase: Phase): Phase<typeof words> => ({
  ...during(phase),
  answers: words,
  run: async (context) => {
    // It ended, and nobody heard: to do it again would be another effect. The ramdisk is booted in mid-plan too.
    if (name !== 'deploy' && !isCurrent(context.node, name)) return answer(next(context.node));
    const outcome = await phase.run(context);
    if (outcome.is === 'wait') return outcome;
    const change = (node: StoredNode): Partial<StoredNode> => {
      const changed = outcome.change?.(node) ?? {};
      return { ...changed, ...coreEnded({ ...node, ...changed }, name) };
    };
    return { ...outcome, change, output: next({ ...context.node, ...change(context.node) }) };
  },
});

const traitsOf = ({ instance_info: info }: StoredNode): string[] => (info['traits'] ?? []) as string[];

/** Any text is taken as a configdrive; of what is none the deploy must not find out when the disk is written. */
const checkConfigdrive = (node: StoredNode): void => {
  const flaw = configdriveObject(node) === undefined ? undefined : note(node, 'drive_flaw');
  if (flaw !== undefined) throw Invalid(`${flaw} Deploy again with another configdrive.`);
};

/**
 * What an operator did to the node, to its image or to a template since the request is noticed here. `node`: with its
 * source.
 */
const checkDeploy = (node: StoredNode): void => {
  const way = wayOf(node);
  if (way !== 'fake') checkConfigdrive(node);
  if (way === 'direct') checkImage(node.instance_info);
  if (way === 'ramdisk') checkBootIso(node.instance_info);
  if (way !== 'fake') checkCapabilities(node);
  if (way !== 'fake' && node.disable_power_off) {
    throw Invalid('disable_power_off is set, but a deploy has to switch the machine off to boot other media.');
  }
};

const imageNotes = (node: StoredNode) =>
  wayOf(node) === 'direct' && {
    is_whole_disk_image: imageType(node.instance_info) === 'whole-disk',
    deploy_boot_mode: wantedBootMode(node) ?? 'uefi',
  };

/** Makes the plan, with the deploy templates that the traits of the instance name; one that was held goes on. */
const validate: Phase<typeof words> = {
  answers: words,
  run: async (context) => {
    const { node, platform, images } = context;
    const sourced = await withSource(images, node, note(node, 'image_project'));
    checkDeploy(sourced);
    await requireSecureBoot(context);
    if (planOf(node, 'deploy')) return answer(next(node));
    const templates = await deployTemplatesOf(platform.table, traitsOf(node));
    const asked = askedSteps(templates, note(node, 'user_deploy_steps') ?? []);
    const steps = planDeploy(node, asked);
    const change = (fresh: StoredNode) =>
      keep(setPlan(fresh, 'deploy', steps), {
        ...imageNotes(sourced),
        ...(imageOf(node) !== undefined && { image_id: imageOf(node)! }),
        ...(asked.length > 0 && { user_deploy_steps: asked }),
      });
    return answer(next({ ...node, ...change(node) }), change);
  },
};

/** The rest of the plan with the steps of the agent's hardware managers in it. Throws Invalid for what it lacks. */
const withAgentSteps = (node: StoredNode, offers: readonly AgentStep[]): PlannedStep[] => {
  const { steps, index } = planOf(node, 'deploy')!;
  const gone = steps.slice(0, index + 1);
  const isNew = (step: PlannedStep) => gone.every((other) => nameOf(other) !== nameOf(step));
  const way = wayOf(node);
  const core: readonly PlannedStep[] = coreSteps[way];
  const others = offers.map(toPlan).filter((step) => coreOf(way, step) === undefined);
  const merged = mergeSteps([...core, ...others], note(node, 'user_deploy_steps') ?? []).filter(isNew);
  const asked = (step: PlannedStep) => coreOf(way, step) === undefined && placeOf(node, step) === 'agent';
  return [...gone, ...merged.map((step) => (asked(step) ? asOffered(step, offers) : step))];
};

const requireWriteImage = (node: StoredNode, plan: readonly PlannedStep[], offers: readonly AgentStep[]): void => {
  const writes = (step: { interface: string; step: string }) => coreOf(wayOf(node), step) === 'write_image';
  if (!plan.some(writes) || offers.some(writes)) return;
  throw new Fault(
    'AgentRejected',
    400,
    'The agent of this ramdisk has no step deploy.write_image: use the ramdisk of a current ironic-python-agent.',
  );
};

/** What the agent offers is kept for operators to see; its first answer completes the plan. */
const collectSteps: Phase = {
  run: async (context) => {
    const { node } = context;
    const { asked, steps: offers, versions } = await offersOf(context, 'deploy');
    const { steps } = planOf(node, 'deploy')!;
    if (asked) requireWriteImage(node, steps, offers);
    const complete = note(node, 'steps_validated') ? steps : withAgentSteps(node, offers);
    return done((fresh) =>
      keep(keepOffer(replaceSteps(fresh, 'deploy', complete), 'deploy', offers, versions ?? {}), {
        steps_validated: true,
      }),
    );
  },
};

/** What the plan was made for, and who was asked about it, is not what is there any more: it may be of another project. */
const requireSameImage = (node: StoredNode): void => {
  if (imageOf(node) === note(node, 'image_id')) return;
  throw Invalid('instance_info.image_source was changed while the machine was deployed. Deploy it again.');
};

/** What the agent is to write: the image is looked up, and links are made. */
const imageArgs = async ({ images, node, platform, settings }: PhaseContext) => {
  const sourced = await withSource(images, node, note(node, 'image_project'));
  const configdrive = await instance.configdriveLink(platform, node, 'agent', settings.linkSeconds);
  return { image_info: imageInfo(sourced, imageOf(node)), ...(configdrive !== undefined && { configdrive }) };
};

/**
 * Repeated at each call of the agent: the proxy adopts the command that is already there and says how it stands. What
 * becomes of the image by then is no business of an agent that has its link.
 */
const writeImage: Phase = {
  rests: async (_node, hardware) => agentIsAtIt(hardware),
  run: async (context) => {
    const { hardware, node } = context;
    requireSameImage(node);
    const step = { interface: 'deploy', step: 'write_image', priority: 80 };
    const written = await hardware.step('deploy', step, async () => imageArgs(context));
    if (written) return done();
    return { is: 'wait', came: ({ revision }) => revision !== node.revision };
  },
};

type PartitionUuids = Readonly<Record<string, string | undefined>>;

/** UEFI needs a boot entry; a partition image needs a boot loader in any case. Custom steps have seen to it themselves. */
const prepareInstanceBoot: Phase = {
  run: async ({ hardware, node }) => {
    if (wayOf(node) === 'custom-agent') return done();
    const found = await hardware.ask('agent.call', { command: 'standby.get_partition_uuids' }, 'uuids');
    const uuids = (found?.command.command_result ?? {}) as PartitionUuids;
    const mode = wantedBootMode(node) ?? node.boot_mode ?? 'uefi';
    const whole = note(node, 'is_whole_disk_image') !== false;
    if (whole && mode === 'bios') return done();
    const installed = await hardware.ask(
      'agent.call',
      {
        command: 'image.install_bootloader',
        params: {
          root_uuid: uuids['root uuid'] ?? null,
          efi_system_part_uuid: uuids['efi system partition uuid'] ?? null,
          prep_boot_part_uuid: uuids['PReP Boot partition uuid'] ?? null,
          target_boot_mode: mode,
        },
      },
      'bootloader',
    );
    if (installed?.command.command_status === 'FAILED') {
      const look = `Is the image one that boots in mode ${mode}?`;
      throw AgentFailed('The agent could not install the boot loader', installed.command, look);
    }
    return done();
  },
};

const finishDeploy: Phase = {
  run: async () => done((node) => ({ ...forgetSteps(node), ...finish(node, 'done'), last_error: null })),
};

/** By the names of the states in deploy.asl.json. */
export const phases: Phases = {
  Validate: withGuestDocument(validate),
  PowerOff: during(withoutFormerSecureBoot(powerOffForRamdisk('deploy'))),
  AttachBootMedia: during(boot.attachBootMedia),
  SetBootDevice: during(boot.bootMediaOnce),
  PowerOn: during(boot.powerOn),
  WaitForAgent: during(boot.waitForAgent),
  CollectSteps: ending('deploy', collectSteps),
  RunStep: runStepThen('deploy', words.is, next),
  WriteImage: ending('write_image', writeImage),
  PrepareInstanceBoot: ending('prepare_instance_boot', prepareInstanceBoot),
  PowerOffAgent: during(boot.powerOffAgent),
  DetachBootMedia: during(boot.detachBootMedia),
  SetDiskBoot: ending('tear_down_agent', withSecureBoot(boot.bootDisk)),
  BootInstance: ending('boot_instance', boot.powerOn),
  PowerOffForIso: during(boot.powerOff),
  AttachBootIso: during(instance.attachBootIso),
  AttachConfigdrive: during(instance.attachConfigdrive),
  SetIsoBoot: ending('deploy', withSecureBoot(boot.bootMediaAlways)),
  Finish: finishDeploy,
};
