/** What a node's ramdisk is booted from: the ISO that its driver_info names, or one that is built of its parts (ADR 29). */
import type { BootImageRequest, Source } from '../../../layers/domain/boot-image.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { isWebUrl } from '../../../layers/domain/instance-image.ts';
import { ramdiskOf, type Part, type Parts, type Purpose } from '../../../layers/domain/ramdisk.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { endLease, takeLease } from '../../../layers/store/boot-leases.ts';
import { wantsMedium } from './agent-medium.ts';
import { Pending } from './hardware.ts';
import type { PhaseContext } from './phase.ts';

/** Whether an image of the Image API may go into what this node boots: who owns the node has to see it. */
const projectOf = ({ owner }: StoredNode): string | undefined => owner ?? undefined;

const sourceOf = async ({ images, node }: PhaseContext, { name, value }: Part): Promise<Source> => {
  if (isWebUrl(value)) return { name, url: value, content: null };
  const { image, url } = await images.find(value, projectOf(node));
  return { name, url, content: [image.id, image.os_hash_value ?? image.checksum].join(' ') };
};

const sourcesOf = async (context: PhaseContext, parts: Parts): Promise<BootImageRequest['parts']> => {
  const [bootloader, kernel, ramdisk] = await Promise.all([
    sourceOf(context, parts.bootloader),
    sourceOf(context, parts.kernel),
    sourceOf(context, parts.ramdisk),
  ]);
  return { bootloader, kernel, ramdisk };
};

/**
 * What the agent is told by its kernel. One that looks for a medium and finds none takes its own drive for it and ends,
 * so it is told to look only if there will be one.
 */
const agentWords = ({ node, settings: { agentEndpoint: api } }: PhaseContext): string[] => {
  if (api === '') throw Invalid('The setting agent_endpoint is empty, so no agent could be told where this API is.');
  if (wantsMedium(node)) return ['boot_method=vmedia', `ipa-api-url=${api}`];
  const inspects = node.run_workflow === 'inspect';
  return [`ipa-api-url=${api}`, ...(inspects ? [`ipa-inspection-callback-url=${api}/v1/continue_inspection`] : [])];
};

/**
 * The link to the image, once it is there; a secret. Of all who need the same one at a time one has it built. Throws
 * Pending while it is built, and what the function throws that builds it.
 */
const builtImage = async (context: PhaseContext, wanted: Omit<BootImageRequest, 'build'>): Promise<string> => {
  const { bootImages, platform, run } = context;
  const found = await bootImages({ ...wanted, build: false });
  if (found.status === 'ready') return found.image;
  const holder = `${run}/${platform.ids.ulid()}`;
  if (!(await takeLease(platform, found.key, holder))) throw Pending('The boot image is being built.');
  try {
    const built = await bootImages({ ...wanted, build: true });
    if (built.status === 'ready') return built.image;
    const [done, of] = built.status === 'building' ? [built.done, built.of] : [0, 1];
    throw Pending(`The boot image is being built: ${Math.floor((done / of) * 100)} % are there.`);
  } finally {
    await endLease(platform, found.key, holder);
  }
};

/** The URL that the BMC reads the ramdisk from. Throws Invalid (400) for a node that has none, and as `builtImage`. */
export const imageToBoot = async (context: PhaseContext, purpose: Purpose): Promise<string> => {
  const { node, run, settings } = context;
  const ramdisk = ramdiskOf(node, purpose, settings.ramdisk);
  if ('iso' in ramdisk) return ramdisk.iso;
  return builtImage(context, {
    parts: await sourcesOf(context, ramdisk.parts),
    words: [...ramdisk.words, ...agentWords(context)],
    boot: run,
    seconds: settings.mediumSeconds,
  });
};
