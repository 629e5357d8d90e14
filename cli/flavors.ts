/** `npx ingot flavors update-deploy-images`: gives flavors of nova-baremetal a new pair of deploy images. */
import { existsSync, renameSync } from 'node:fs';

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

/** The report of a run before this one has what was there before that: it stays, under a name of its own. */
const keepAside = (path: string): void => {
  if (!existsSync(path)) return;
  let n = 1;
  while (existsSync(`${path}.${n}`)) n += 1;
  renameSync(path, `${path}.${n}`);
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
    if (images) await checkImages(images, pair);
    else print('Nobody has looked whether the images are there: --image-endpoint says where.');

    const before = await readFlavors(compute);
    const after = before.map((flavor) => withPair(flavor, pair));
    const marked = after.map((flavor, at) => ({ ...flavor, changed: flavor !== before[at] }));
    if (!dry && values.report !== undefined) keepAside(values.report);
    // Before anything is changed: whoever is ended in the middle still has what was there.
    const file = privateFile(values.report);
    file.write(`${JSON.stringify({ dry_run: dry, options: pair, before, after: marked }, undefined, 1)}\n`);
    file.end();
    for (const [at, flavor] of after.entries()) {
      if (flavor === before[at]) continue;
      print(`${flavor.id} ${flavor.name}: ${changesOf(before[at]!, flavor).join(', ')}`);
      if (!dry) await writePair(compute, flavor, pair);
    }
    const changed = marked.filter((flavor) => flavor.changed).length;
    print(
      `flavors: ${before.length} read, ${changed} ${dry ? 'would be ' : ''}changed, ${before.length - changed} left`,
    );
    return 0;
  },
};
