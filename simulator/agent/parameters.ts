/**
 * The parameters of an agent: the kernel's, and over them what stands on the medium labelled ir-vfd-dev, if the kernel
 * was started with boot_method=vmedia. As the real agent reads them (ironic-python-agent 13.0, utils.get_agent_params and
 * copy_config_from_vmedia). A medium labelled config-2 gives the ramdisk its network too, as glean does.
 */
import * as z from 'zod';

import { readIso } from '../iso.ts';
import type { Machine } from '../machine.ts';
import { fetchBytes, type Built } from '../media.ts';
import type { World } from '../world.ts';

export type Parameters = {
  readonly api_url: string | null;
  readonly inspection_url: string | null;
  readonly token: string | null;
};

const label = 'ir-vfd-dev';
const file = 'parameters.txt';

/** What stands on a configuration drive: the network, and files of the agent's configuration. */
const driveLabel = 'config-2';
const networkFile = 'openstack/latest/network_data.json';
const optionsFile = 'etc/ironic-python-agent.d/ingot.conf';

/** The volume's label stands in the first descriptor, in sector 16 (ECMA-119 8.4.3). */
const [labelAt, labelEnd] = [16 * 2048 + 40, 16 * 2048 + 72];
const enoughForLabel = 64 * 1024;
/** Nothing that is mounted for a few words is anywhere near it. */
const maxBytes = 2 ** 20;

/**
 * A drive whose server is away stalls: the kernel's SCSI layer waits half a minute for each command, and tries again.
 * In real seconds, because what restarts behind the URL does so in real time.
 */
const tries = 30;
const pause = 1000;

/** The first bytes of an image; none if the server refuses it or stays away. */
const fetchStart = async (world: World, url: string, bytes: number, signal: AbortSignal): Promise<Buffer> => {
  const headers = { range: `bytes=0-${bytes - 1}` };
  for (let left = tries; left > 0; left -= 1) {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const take = (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
    };
    try {
      await world.download(async () => fetchBytes(world, url, take, { signal, headers }));
      return Buffer.concat(chunks);
    } catch {
      signal.throwIfAborted();
      await world.clock.sleep(pause, signal);
    }
  }
  return Buffer.alloc(0);
};

/** What is inserted and has the label; labels are compared without regard to case. */
const findMedium = async (world: World, machine: Machine, label: string, signal: AbortSignal) => {
  for (const media of Object.values(machine.media)) {
    if (!media || media.ready_at > world.clock.now()) continue;
    const start = await fetchStart(world, media.image, enoughForLabel, signal);
    const found = start.toString('latin1', labelAt, labelEnd).replace(/[ \0]+$/, '');
    if (found.toLowerCase() === label) return readIso(await fetchStart(world, media.image, maxBytes, signal)).files;
  }
};

/** `key=value` words between white space; what has no `=` is passed over. */
const readWords = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(/\s+/)
      .filter((word) => word.includes('='))
      .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );

/** `name = value` lines, as oslo.config reads them; `$$` is a dollar. */
const readOptions = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^(\w+)\s*=\s*(.*)$/gm)].map(([, name, value]) => [name, value!.trim().replaceAll('$$', '$')]),
  );

type Files = ReadonlyMap<string, Buffer> | undefined;
const textOf = (files: Files, name: string): string => files?.get(name)?.toString('utf8') ?? '';

const networkData = z.object({
  links: z.array(z.object({ id: z.string(), ethernet_mac_address: z.string().nullish() })),
  networks: z.array(z.object({ link: z.string(), type: z.string(), ip_address: z.string().nullish() })),
});

/** Whether a network_data.json gives this machine's card an address, which is not one that a DHCP server would give. */
const hasAddress = (text: string, { mac }: Machine): boolean => {
  const { data } = networkData.safeParse(text === '' ? undefined : JSON.parse(text));
  const own = data?.links.filter(({ ethernet_mac_address: address }) => address?.toLowerCase() === mac.toLowerCase());
  const isStatic = ({ type, ip_address: address }: { type: string; ip_address?: string | null | undefined }) =>
    /^ipv[46]$/.test(type) && (address ?? '') !== '';
  return data?.networks.some((network) => isStatic(network) && own!.some(({ id }) => id === network.link)) ?? false;
};

/** Without a DHCP server the ramdisk has the network that stands on its medium, or none; what sets it up asks no kernel. */
const isReached = (world: World, machine: Machine, files: Files): boolean =>
  hasAddress(textOf(files, networkFile), machine) || !world.faults.strikes('no_dhcp', machine);

/** Reads them once, when the ramdisk starts. Where nothing can be reached it knows no API. */
export const readParameters = async (
  world: World,
  machine: Machine,
  built: Built,
  signal: AbortSignal,
): Promise<Parameters> => {
  const find = async (label: string): Promise<Files> => findMedium(world, machine, label, signal);
  const drive = await find(driveLabel);
  const isAsked = built.boot_method === 'vmedia';
  const words = isAsked ? readWords(textOf(await find(label), file)) : {};
  const options = isAsked ? readOptions(textOf(drive, optionsFile)) : {};
  const url = options['api_url'] ?? words['ipa-api-url'];
  return {
    api_url: isReached(world, machine, drive) ? (url?.replace(/\/$/, '') ?? built.api_url) : null,
    inspection_url: options['inspection_callback_url'] ?? words['ipa-inspection-callback-url'] ?? built.inspection_url,
    token: options['agent_token'] ?? words['ipa-agent-token'] ?? null,
  };
};
