/**
 * Which ramdisk a node boots to be deployed, cleaned, inspected or rescued: an ISO that was made beforehand, or kernel
 * and ramdisk, of which one is built (ironic-deploy.md 1.1). What driver_info says goes before settings, and parts of
 * the two are never mixed.
 */
import * as z from 'zod';

import { readArguments } from './boot-image.ts';
import { wantedBootMode } from './capabilities.ts';
import { Invalid } from './fault.ts';
import { imageIdOf, isWebUrl } from './instance-image.ts';
import type { Node } from './node.ts';

/** The settings, by the names of the keys of driver_info that they stand in for. */
const ramdiskSettings = [
  'deploy_kernel',
  'deploy_ramdisk',
  'rescue_kernel',
  'rescue_ramdisk',
  'bootloader',
  'kernel_append_params',
] as const;

/** What they say; nothing where one is missing or empty. */
export type RamdiskSettings = { readonly [N in (typeof ramdiskSettings)[number]]?: string };

const variableOf = (name: string) => `INGOT_${name.toUpperCase()}`;

/** The variables of those settings, for the schema of a function's environment. */
export const ramdiskVariables: Readonly<Record<string, z.ZodString>> = Object.fromEntries(
  ramdiskSettings.map((name) => [variableOf(name), z.string()]),
);

/** What they say in an environment. */
export const ramdiskFrom = (env: object): RamdiskSettings =>
  Object.fromEntries(
    ramdiskSettings.map((name) => [name, (env as Readonly<Record<string, string>>)[variableOf(name)] ?? '']),
  );

export type Purpose = 'deploy' | 'rescue';

/** A URL, or the UUID of an image of the Image API; `name`: where it stands, for messages. */
export type Part = { readonly name: string; readonly value: string };
export type Parts = { readonly kernel: Part; readonly ramdisk: Part; readonly bootloader: Part };

export type Ramdisk =
  | { readonly iso: string }
  | {
      readonly parts: Parts;
      /** Arguments of the kernel, besides those for the agent. */
      readonly words: readonly string[];
    };

type Values = Readonly<Record<string, unknown>>;

const has = (values: Values, name: string): boolean => (values[name] ?? '') !== '';

/** The kernel and the ramdisk in one place, by the names they have there; undefined if neither is there. */
const pairIn = (values: Values, where: string, purpose: Purpose) => {
  const names = [`${purpose}_kernel`, `${purpose}_ramdisk`] as const;
  const missing = names.filter((name) => !has(values, name));
  if (missing.length === names.length) return undefined;
  if (missing.length > 0)
    throw Invalid(`Missing: ${where}${missing[0]!}, which belongs to ${names.find((name) => has(values, name))!}.`);
  const [kernel, ramdisk] = names.map((name) => ({ name: `${where}${name}`, value: values[name] }));
  return { kernel: kernel!, ramdisk: ramdisk! };
};

type Named = { readonly name: string; readonly value: unknown };

/** Throws Invalid for what nobody could fetch. */
const fetchable = ({ name, value }: Named): Part => {
  const found = isWebUrl(value) ? value : imageIdOf(value);
  if (found !== undefined) return { name, value: found };
  throw Invalid(`${name} must be an http or https URL, or the UUID of an image of the Image API.`);
};

const bootloaderOf = (info: Values, settings: Values): Named => {
  if (has(info, 'bootloader')) return { name: 'driver_info.bootloader', value: info['bootloader'] };
  if (has(settings, 'bootloader')) return { name: 'setting bootloader', value: settings['bootloader'] };
  throw Invalid(
    'Missing: driver_info.bootloader, the image of an EFI system partition with which a boot image is built of kernel and ramdisk (or the setting bootloader, or driver_info.deploy_iso).',
  );
};

const ours = '%default%';

const wordsOf = (info: Values, settings: RamdiskSettings): string[] => {
  const given = settings.kernel_append_params ?? '';
  const text = info['kernel_append_params'] ?? ours;
  if (typeof text !== 'string') throw Invalid('driver_info.kernel_append_params must be a text.');
  return readArguments('driver_info.kernel_append_params', text.replaceAll(ours, given));
};

const isoIn = (info: Values, name: string): Ramdisk | undefined => {
  if (!has(info, name)) return undefined;
  if (isWebUrl(info[name])) return { iso: info[name] };
  throw Invalid(`driver_info.${name} must be an http or https URL.`);
};

/** What the node boots. Throws Invalid naming what is missing or cannot be. */
export const ramdiskOf = (
  node: Pick<Node, 'driver_info' | 'instance_info' | 'properties'>,
  purpose: Purpose,
  settings: RamdiskSettings,
): Ramdisk => {
  const info = node.driver_info;
  const purposes: readonly Purpose[] = purpose === 'rescue' ? ['rescue', 'deploy'] : ['deploy'];
  for (const one of purposes) {
    const iso = isoIn(info, `${one}_iso`);
    if (iso) return iso;
    if (pairIn(info, 'driver_info.', one)) break;
  }
  const pairs = [
    ...purposes.map((one) => pairIn(info, 'driver_info.', one)),
    ...purposes.map((one) => pairIn(settings, 'setting ', one)),
  ];
  const pair = pairs.find((found) => found !== undefined);
  if (!pair) throw Invalid('Missing: driver_info.deploy_iso, or deploy_kernel, deploy_ramdisk and bootloader.');
  const parts = {
    kernel: fetchable(pair.kernel),
    ramdisk: fetchable(pair.ramdisk),
    bootloader: fetchable(bootloaderOf(info, settings)),
  };
  if (wantedBootMode(node) === 'bios') {
    throw Invalid(
      'A boot image that is built of kernel and ramdisk boots in mode uefi only, and bios is asked for. Give driver_info.deploy_iso.',
    );
  }
  return { parts, words: wordsOf(info, settings) };
};
