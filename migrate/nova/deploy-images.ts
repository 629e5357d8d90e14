/**
 * The pair of deploy images that flavors name (nova-bm-migration.md 6). Asked is any Compute API, with no microversion:
 * what is used of it all of them have.
 */
import * as z from 'zod';

import { Fault, Invalid } from '../../layers/domain/fault.ts';
import type { Service } from '../service.ts';
import { answered } from './answer.ts';

export type Pair = { readonly deploy_kernel: string; readonly deploy_ramdisk: string };

/** A flavor as far as it is looked at. */
export type FlavorSpecs = {
  readonly id: string;
  readonly name: string;
  readonly extra_specs: Readonly<Record<string, string>>;
};

const keys = { deploy_kernel: 'baremetal:deploy_kernel_id', deploy_ramdisk: 'baremetal:deploy_ramdisk_id' } as const;

const listed = z.object({ flavors: z.array(z.object({ id: z.string(), name: z.string() })) });
const specs = z.object({ extra_specs: z.record(z.string(), z.string()) });

const most = 1000;

const read = <T>(schema: z.ZodType<T>, body: unknown, asked: string): T => {
  const { data } = schema.safeParse(body);
  if (data !== undefined) return data;
  throw new Fault('ComputeFailed', 502, `The Compute API answered ${asked} with what is no answer to it.`);
};

const specsPath = (id: string): string => `/flavors/${encodeURIComponent(id)}/os-extra_specs`;

/** Every flavor, public or not, in the order of their ids. Throws Fault ComputeFailed (502), and what the service throws. */
export const readFlavors = async (compute: Service): Promise<FlavorSpecs[]> => {
  const found: FlavorSpecs[] = [];
  for (let marker = ''; ;) {
    const path = `/flavors?is_public=None&limit=${most}${marker}`;
    const { flavors } = read(listed, answered(await compute('GET', path), 'GET /flavors'), 'GET /flavors');
    for (const { id, name } of flavors) {
      const asked = `GET ${specsPath(id)}`;
      const { extra_specs } = read(specs, answered(await compute('GET', specsPath(id)), asked), asked);
      found.push({ id, name, extra_specs });
    }
    // A service may have pages of its own size: the last one is empty.
    const last = flavors.at(-1);
    if (!last) return found;
    marker = `&marker=${encodeURIComponent(last.id)}`;
  }
};

const specsOf = ({ deploy_kernel, deploy_ramdisk }: Pair): Readonly<Record<string, string>> => ({
  [keys.deploy_kernel]: deploy_kernel,
  [keys.deploy_ramdisk]: deploy_ramdisk,
});

/** The flavor with the pair, if it names one image of a pair already; an empty name is none. The same object: it stays as it is. */
export const withPair = (flavor: FlavorSpecs, pair: Pair): FlavorSpecs => {
  const { extra_specs: now } = flavor;
  const wanted = Object.entries(specsOf(pair));
  const isOfOne = wanted.some(([key]) => (now[key] ?? '') !== '');
  if (!isOfOne || wanted.every(([key, id]) => now[key] === id)) return flavor;
  return { ...flavor, extra_specs: { ...now, ...specsOf(pair) } };
};

/** Writes both keys of the pair, and nothing else of the flavor. Throws as `readFlavors`. */
export const writePair = async (compute: Service, { id }: FlavorSpecs, pair: Pair): Promise<void> => {
  answered(await compute('POST', specsPath(id), { body: { extra_specs: specsOf(pair) } }), `POST ${specsPath(id)}`);
};

/** What changes between two forms of a flavor: each key with what it said and what it says. */
export const changesOf = (before: FlavorSpecs, after: FlavorSpecs): string[] =>
  Object.values(keys)
    .filter((key) => before.extra_specs[key] !== after.extra_specs[key])
    .map((key) => `${key} ${before.extra_specs[key] || 'none'} -> ${after.extra_specs[key]}`);

const image = z.object({ status: z.string() });

/** Looks whether both images are there and have data. Throws Invalid for one that has not. */
export const checkImages = async (images: Service, pair: Pair): Promise<void> => {
  for (const [name, id] of Object.entries(pair)) {
    const { status, body } = await images('GET', `/v2/images/${encodeURIComponent(id)}`);
    const { data } = image.safeParse(body);
    const option = `--${name.replace('_', '-')}`;
    if (status === 404) throw Invalid(`Image ${id} of ${option} is not there: upload it first.`);
    if (status !== 200 || !data) {
      throw new Fault('ImageFailed', 502, `The Image API answered with ${status} to GET /v2/images/${id}.`);
    }
    if (data.status !== 'active') throw Invalid(`Image ${id} of ${option} is ${data.status}: it has no data yet.`);
  }
};
