/** The Fail phase: every workflow's Catch leads here. */
import { isFault } from '../../layers/domain/fault.ts';
import { removeConfigdrive } from '../../layers/store/configdrives.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import type { Invocation } from '../../layers/platform/platform.ts';
import { failNode, lockToFail, type Failure } from '../../workflows/owners/node/failure.ts';
import { createHardware, isFake } from '../../workflows/owners/node/hardware.ts';
import { removeAgentMedium } from '../../workflows/owners/node/agent-medium.ts';
import type { Call, Deps } from './call.ts';

/** After these the BMC must not be asked again: a wrong password would lock its account. */
const neverAskAgain = ['BmcAuthFailed', 'BmcTlsMismatch', 'TargetForbidden'];

const mayPowerOff = (node: StoredNode, { error }: Failure): boolean =>
  !node.disable_power_off && !isFake(node, 'power') && !neverAskAgain.includes(error);

/** As in Ironic a machine that runs a ramdisk of ours is switched off when the work failed that the ramdisk is for. */
const leavesRamdisk = (node: StoredNode, workflow: Call['workflow']): boolean =>
  workflow === 'deploy' || workflow === 'rescue' || (workflow === 'inspect' && node.inspect_interface === 'agent');

/** That must not hide why the work failed. */
const powerOff = async (platform: Deps, call: Call, node: StoredNode, deadline_ms: number): Promise<boolean> => {
  const hardware = createHardware(platform, { node, op_id: `${call.run}/Fail`, deadline_ms });
  try {
    await hardware.ask('power.ensure', { target: 'power off' });
  } catch (error) {
    platform.log.warn('After a failure the machine could not be switched off.', { node: node.uuid, error });
    return false;
  }
  await hardware.ask('vmedia.eject', { slot: 'all' }).catch((error: unknown) => {
    platform.log.warn('After a failure the boot media could not be ejected.', { node: node.uuid, error });
  });
  return true;
};

/** The stored image must not outlive the reference to it, which is cleared next. */
const forgetConfigdrive = async (platform: Deps, node: StoredNode): Promise<void> => {
  try {
    await removeConfigdrive(platform, node);
  } catch (error) {
    if (!isFault(error)) platform.log.error('A configdrive could not be removed.', { node: node.uuid, error });
  }
};

/** Answers what the ASL's Fail state shows. Throws Superseded, NodeLocked. */
export const fail = async (platform: Deps, call: Call, failure: Failure, invocation: Invocation): Promise<object> => {
  const { node: uuid, workflow, run } = call;
  const node = await lockToFail(platform, uuid, workflow, run);
  const deadline_ms = Math.max(1000, Math.min(30_000, Math.floor(invocation.remaining_ms() / 3)));
  const mayTry = leavesRamdisk(node, workflow) && mayPowerOff(node, failure);
  const off = mayTry && (await powerOff(platform, call, node, deadline_ms));
  if (off) await removeAgentMedium({ platform, node });
  if (workflow === 'undeploy') await forgetConfigdrive(platform, node);
  const failed = await failNode(platform, { uuid, workflow, run, failure, off });
  return { error: failure.error, cause: failed.last_error };
};
