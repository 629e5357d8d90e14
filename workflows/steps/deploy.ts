/** deploy: active and rebuild (ironic-deploy.md 2 and 6). */
import { checkCapabilities } from '../../layers/domain/capabilities.ts';
import { Fault, Invalid } from '../../layers/domain/fault.ts';
import { checkBootIso, checkImage, imageType, isWebUrl } from '../../layers/domain/image.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { finish } from '../../layers/store/reservation.ts';
import { forgetAgent, without } from '../agent.ts';
import { bootMode, configdriveLink, imageInfo } from '../image.ts';
import { done, type Phase, type Phases } from '../phase.ts';
import * as boot from './boot.ts';

/** Ironic's names of what a deploy consists of; they are what clients see in deploy_step. */
const steps = [
  { interface: 'deploy', step: 'deploy', priority: 100 },
  { interface: 'deploy', step: 'write_image', priority: 80 },
  { interface: 'deploy', step: 'prepare_instance_boot', priority: 60 },
  { interface: 'deploy', step: 'tear_down_agent', priority: 40 },
  { interface: 'deploy', step: 'boot_instance', priority: 20 },
] as const;

type StepName = (typeof steps)[number]['step'];

const during = (name: StepName, phase: Phase): Phase => ({
  ...phase,
  shows: (node) => {
    const index = steps.findIndex(({ step }) => step === name);
    return {
      deploy_step: { ...steps[index] },
      driver_internal_info: { ...node.driver_internal_info, deploy_steps: steps, deploy_step_index: index },
    };
  },
});

/** The three ways of a deploy. */
const wayOf = (node: StoredNode): 'fake' | 'ramdisk' | 'direct' => {
  const way = node.deploy_interface;
  if (way === 'fake' || way === 'ramdisk' || way === 'direct') return way;
  throw Invalid(`deploy_interface ${way} cannot deploy; set it to direct or ramdisk.`);
};

const validate: Phase = {
  run: async ({ node }) => {
    const way = wayOf(node);
    if (way === 'direct') checkImage(node.instance_info);
    if (way === 'ramdisk') checkBootIso(node.instance_info);
    if (way !== 'fake') checkCapabilities(node);
    if (way !== 'fake' && node.disable_power_off) {
      throw Invalid('disable_power_off is set, but a deploy has to switch the machine off to boot other media.');
    }
    const whole = imageType(node.instance_info) === 'whole-disk';
    return done(
      ({ driver_internal_info }) => ({
        driver_internal_info: {
          ...driver_internal_info,
          ...(way === 'direct' && { is_whole_disk_image: whole, deploy_boot_mode: bootMode(node) ?? 'uefi' }),
        },
      }),
      { way },
    );
  },
};

/** What the agent offers is kept for operators to see, and a ramdisk that cannot write images is noticed here. */
const collectSteps: Phase = {
  run: async ({ hardware }) => {
    const observed = await hardware.ask('agent.steps', { kind: 'deploy' });
    const offered = observed?.steps ?? [];
    if (observed && !offered.some((row) => row.interface === 'deploy' && row.step === 'write_image')) {
      throw new Fault(
        'AgentRejected',
        400,
        'The agent of this ramdisk has no step deploy.write_image: use the ramdisk of a current ironic-python-agent.',
      );
    }
    return done(({ driver_internal_info }) => ({
      driver_internal_info: {
        ...driver_internal_info,
        agent_cached_deploy_steps: { deploy: offered },
        hardware_manager_version: observed?.hardware_manager_version ?? {},
      },
    }));
  },
};

/** Repeated at each call of the agent: the proxy adopts the command that is already there and says how it stands. */
const writeImage: Phase = {
  run: async ({ hardware, node, ports, settings }) => {
    const configdrive = await configdriveLink(ports, node, settings.linkSeconds);
    const args = { image_info: imageInfo(node), ...(configdrive !== undefined && { configdrive }) };
    const written = await hardware.step('deploy', { ...steps[1], args });
    if (written) return done(undefined, { is: 'done' });
    return { is: 'wait', came: ({ revision }) => revision !== node.revision };
  },
};

type PartitionUuids = Readonly<Record<string, string | undefined>>;

/** UEFI needs a boot entry; a partition image needs a boot loader in any case. */
const prepareInstanceBoot: Phase = {
  run: async ({ hardware, node }) => {
    const found = await hardware.ask('agent.call', { command: 'standby.get_partition_uuids' }, 'uuids');
    const uuids = (found?.command.command_result ?? {}) as PartitionUuids;
    const mode = bootMode(node) ?? node.boot_mode ?? 'uefi';
    const whole = node.driver_internal_info['is_whole_disk_image'] !== false;
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
      throw new Fault('StepFailed', 400, 'The agent could not install the boot loader: is the image bootable?');
    }
    return done();
  },
};

export const attachBootIso: Phase = {
  run: async ({ hardware, node }) => {
    const image = node.instance_info['boot_iso'];
    if (!isWebUrl(image)) throw Invalid('instance_info.boot_iso must be an http or https URL.');
    await hardware.ask('vmedia.insert', { slot: 'cd', image });
    return done();
  },
};

/** S3 signs links for at most 7 days; a BMC that reads the medium later than that gets nothing. */
const longestLink = 7 * 24 * 3600;

export const attachConfigdrive: Phase = {
  run: async ({ hardware, node, ports }) => {
    const image = await configdriveLink(ports, node, longestLink);
    if (image === undefined) await hardware.ask('vmedia.eject', { slot: 'usb' });
    else await hardware.ask('vmedia.insert', { slot: 'usb', image });
    return done();
  },
};

const finishDeploy: Phase = {
  run: async () =>
    done((node) => {
      const forgotten = forgetAgent(node);
      return {
        ...forgotten,
        ...finish(node, 'done'),
        deploy_step: {},
        last_error: null,
        driver_internal_info: without(forgotten.driver_internal_info, ['deploy_steps', 'deploy_step_index']),
      };
    }),
};

/** By the names of the states in deploy.asl.json. */
export const deploy: Phases = {
  Validate: validate,
  PowerOff: during('deploy', boot.powerOff),
  AttachBootMedia: during('deploy', boot.attachBootMedia),
  SetBootDevice: during('deploy', boot.bootMediaOnce),
  PowerOn: during('deploy', boot.powerOn),
  WaitForAgent: during('deploy', boot.waitForAgent),
  CollectSteps: during('deploy', collectSteps),
  WriteImage: during('write_image', writeImage),
  PrepareInstanceBoot: during('prepare_instance_boot', prepareInstanceBoot),
  PowerOffAgent: during('tear_down_agent', boot.powerOffAgent),
  DetachBootMedia: during('tear_down_agent', boot.detachBootMedia),
  SetDiskBoot: during('tear_down_agent', boot.bootDisk),
  BootInstance: during('boot_instance', boot.powerOn),
  PowerOffForIso: during('deploy', boot.powerOff),
  AttachBootIso: during('deploy', attachBootIso),
  AttachConfigdrive: during('deploy', attachConfigdrive),
  SetIsoBoot: during('deploy', boot.bootMediaAlways),
  Finish: finishDeploy,
};
