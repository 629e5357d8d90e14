/** What an instance finds in the machine's drives: the medium that a ramdisk instance boots from, and its configdrive. */
import { configdriveObject } from '../../../layers/domain/configdrive.ts';
import { type Fault, Invalid, isFault } from '../../../layers/domain/fault.ts';
import { isWebUrl } from '../../../layers/domain/instance-image.ts';
import type { Platform } from '../../../layers/platform/platform.ts';
import { imageForBmc, packedForAgent } from '../../../layers/store/configdrives.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { isRefused } from './boot.ts';
import { notUndone } from './history.ts';
import { done, type Phase } from './phase.ts';

/** Who fetches a configdrive, and the form that each reads; what a client's own URL leads to is the client's matter. */
const forms = { agent: packedForAgent, bmc: imageForBmc };

/**
 * Where the configdrive can be fetched from in the form for whom it is, undefined if the node has none. The link is made
 * at the moment of use and is a secret: it goes to the proxy and nowhere else. Throws Invalid (400) if it leads nowhere.
 */
export const configdriveLink = async (
  { objects }: Pick<Platform, 'objects'>,
  node: StoredNode,
  whom: keyof typeof forms,
  seconds: number,
): Promise<string | undefined> => {
  const key = configdriveObject(node);
  if (key !== undefined) return objects.link(await forms[whom]({ objects }, key), seconds);
  const value = node.instance_info['configdrive'];
  if (value === undefined || value === null || value === '') return undefined;
  if (isWebUrl(value)) return value;
  throw Invalid('instance_info.configdrive refers to nothing that is stored: pass the configdrive again.');
};

/** The medium that a ramdisk instance boots from is in the virtual drive. */
export const attachBootIso: Phase = {
  run: async ({ hardware, node }) => {
    const image = node.instance_info['boot_iso'];
    if (!isWebUrl(image)) throw Invalid('instance_info.boot_iso must be an http or https URL.');
    await hardware.ask('vmedia.insert', { slot: 'cd', image });
    return done();
  },
};

/**
 * S3 signs links for at most 7 days, and none outlives the credentials of the function that made it: some hours (docs/aws.md).
 */
const longestLink = 7 * 24 * 3600;

/** The configdrive is in the second drive, or nothing is. */
export const attachConfigdrive: Phase = {
  run: async ({ hardware, node, platform }) => {
    const image = await configdriveLink(platform, node, 'bmc', longestLink);
    if (image === undefined) await hardware.ask('vmedia.eject', { slot: 'usb' });
    else await hardware.ask('vmedia.insert', { slot: 'usb', image, beside: true });
    return done();
  },
};

/** A machine that is off, and whose instance will read its configdrive out of the drive, at each boot. */
const bootsWithConfigdrive = (node: StoredNode): boolean =>
  node.provision_state === 'active' &&
  node.deploy_interface === 'ramdisk' &&
  node.power_state !== 'power on' &&
  configdriveObject(node) !== undefined;

/** What will not be otherwise, however often it is asked: the machine may well boot without. */
const isFinal = (error: unknown): error is Fault => isFault(error) && (error.name === 'Invalid' || isRefused(error));

/**
 * The configdrive of a ramdisk instance is in the second drive by a new link, before the machine boots again: that of the
 * deploy may be dead by now. A proxy that sees the image in the drive leaves it there, so it is taken out first.
 */
export const renewConfigdrive: Phase = {
  run: async (context) => {
    if (!bootsWithConfigdrive(context.node)) return done();
    try {
      await context.hardware.ask('vmedia.eject', { slot: 'usb' });
      return await attachConfigdrive.run(context);
    } catch (error) {
      if (!isFinal(error)) throw error;
      return done(undefined, { events: [notUndone(context.about, 'The old link to the configdrive', error.message)] });
    }
  },
};
