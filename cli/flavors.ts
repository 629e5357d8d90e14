/** `npx ingot flavors update-deploy-images`: gives flavors of nova-baremetal a new pair of deploy images. */

import { Invalid } from '../layers/domain/fault.ts';
import { changesOf, checkImages, type Pair, readFlavors, withPair, writePair } from '../migrate/nova/deploy-images.ts';
import { readOptions } from './arguments.ts';
import type { Command } from './command.ts';
import { privateFile } from './private-file.ts';
import { openCompute, openImages, targetOptions, targetUsageOf } from './target.ts';

const options = {
  'deploy-kernel': { type: 'string' },
  'deploy-ramdisk': { type: 'string' },
  ...targetOptions,
  'image-endpoint': { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  report: { type: 'string' },
} as const;

const parse = (args: readonly string[]) => readOptions(args, options);

const pairOf = (values: ReturnType<typeof parse>): Pair => {
  const { 'deploy-kernel': deploy_kernel, 'deploy-ramdisk': deploy_ramdisk } = values;
  if (!deploy_kernel || !deploy_ramdisk) {
    throw Invalid('--deploy-kernel and --deploy-ramdisk are the ids of the new images: they are a pair.');
  }
  return { deploy_kernel, deploy_ramdisk };
};

export const updateDeployImages: Command = {
  usage:
    '--deploy-kernel ID --deploy-ramdisk ID --endpoint URL [--image-endpoint URL] [--dry-run] [--report FILE] [options]',
  doc: `give every flavor that names a deploy image the new pair, and leave all others as they are
      --image-endpoint URL  where it is looked whether the images are there; asked as who the other options say${targetUsageOf('Compute API, as its catalog has it')}`,
  run: async (args, { env, print }) => {
    const values = parse(args);
    const [pair, dry] = [pairOf(values), values['dry-run']];
    const compute = openCompute(values, env);
    const images = openImages(values, env);
    const file = privateFile(values.report);
    if (images) await checkImages(images, pair);
    else print('Nobody has looked whether the images are there: --image-endpoint says where.');

    const before = await readFlavors(compute);
    const after = before.map((flavor) => withPair(flavor, pair));
    for (const [at, flavor] of after.entries()) {
      if (flavor === before[at]) continue;
      print(`${flavor.id} ${flavor.name}: ${changesOf(before[at]!, flavor).join(', ')}`);
      if (!dry) await writePair(compute, flavor, pair);
    }
    const marked = after.map((flavor, at) => ({ ...flavor, changed: flavor !== before[at] }));
    const changed = marked.filter((flavor) => flavor.changed).length;
    print(
      `flavors: ${before.length} read, ${changed} ${dry ? 'would be ' : ''}changed, ${before.length - changed} left`,
    );
    file.write(`${JSON.stringify({ dry_run: dry, options: pair, before, after: marked }, undefined, 1)}\n`);
    file.end();
    return 0;
  },
};
