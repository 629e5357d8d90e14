/**
 * Where BMCs and agents may be, and where agents may call from. Their addresses come from node records and heartbeats, so whoever may write those
 * could otherwise make the proxy call anything in its network (redfish.md 8). Pure.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';

import * as z from 'zod';

import { Invalid } from '../domain/fault.ts';

export type Networks = { readonly allows: (address: string) => boolean };

/** RFC 1918 and unique local addresses. */
const privateNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

/** Neither private nor anybody's: carriers, documentation, benchmarks. */
const special = [
  '100.64.0.0/10',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '2001:db8::/32',
];

/** None at all. */
export const noNetworks: Networks = { allows: () => false };

const loopback = ['127.0.0.0/8', '::1/128'];

/** Never, whatever the configuration says. */
const refused = [
  '0.0.0.0/8', // this host
  '169.254.0.0/16', // link-local, and cloud metadata
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '::/96', // unspecified, and IPv4 in disguise (except ::1, which is in `loopback`)
  '::ffff:0:0/96', // IPv4 in disguise
  '64:ff9b::/96', // NAT64
  '2002::/16', // 6to4
  'fe80::/10', // link-local
  'ff00::/8', // multicast
  'fd00:ec2::/32', // metadata of AWS
];

type Family = 'ipv4' | 'ipv6';
const family = (address: string): Family => (isIPv4(address) ? 'ipv4' : 'ipv6');

const split = (cidr: string): [address: string, bits: number] | undefined => {
  const [address = '', bits = '', ...rest] = cidr.split('/');
  const most = isIPv4(address) ? 32 : 128;
  const valid = isIP(address) && /^\d{1,3}$/.test(bits) && Number(bits) <= most && rest.length === 0;
  return valid ? [address, Number(bits)] : undefined;
};

/** One list a family: within one list, Node takes IPv4 in IPv6 disguise for the same address. */
type Ranges = Readonly<Record<Family, BlockList>>;

const toRanges = (cidrs: readonly string[]): Ranges => {
  const ranges: Ranges = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const cidr of cidrs) {
    const [address, bits] = split(cidr)!;
    ranges[family(address)].addSubnet(address, bits, family(address));
  }
  return ranges;
};

const has = (ranges: Ranges, address: string) => ranges[family(address)].check(address, family(address));

const never = toRanges(refused);
const local = toRanges(loopback);
const inner = toRanges([...privateNetworks, ...special]);

/** Whether an address is one of the internet's, where everybody may go. */
export const isPublic = (address: string): boolean =>
  isIP(address) !== 0 && !address.includes('%') && ![never, local, inner].some((ranges) => has(ranges, address));

/**
 * The networks that a setting of this name lists: CIDRs separated by commas; empty: private addresses. Throws Invalid
 * for what is none.
 */
export const listNetworks = (name: string, setting: string): readonly string[] => {
  const named = setting
    .split(',')
    .map((cidr) => cidr.trim())
    .filter(Boolean);
  for (const cidr of named) {
    if (!split(cidr)) throw Invalid(`${name}: "${cidr}" is no network; write it like 10.1.0.0/16.`);
  }
  return named.length > 0 ? named : privateNetworks;
};

/**
 * Loopback is allowed only by a network that is itself within it (127.0.0.0/8): 0.0.0.0/0 does not mean it. Throws
 * Invalid.
 */
export const parseNetworks = (name: string, setting: string): Networks => {
  const cidrs = listNetworks(name, setting);
  const isLocal = (cidr: string) => has(local, cidr.split('/')[0]!);
  const allowed = toRanges(cidrs.filter((cidr) => !isLocal(cidr)));
  const allowedLocal = toRanges(cidrs.filter(isLocal));
  return {
    allows: (address) => {
      if (!isIP(address) || address.includes('%')) return false;
      if (has(local, address)) return has(allowedLocal, address);
      return !has(never, address) && has(allowed, address);
    },
  };
};

/** A setting that lists networks, as a schema of its variable. `otherwise`: what an empty one means, if not private addresses. */
export const networksSetting = (name: string, otherwise?: Networks) =>
  z.string().transform((setting, ctx) => {
    try {
      return otherwise && setting.trim() === '' ? otherwise : parseNetworks(name, setting);
    } catch (error) {
      // Whoever shows it ends the sentence.
      ctx.addIssue({ code: 'custom', message: (error as Error).message.replace(/\.$/, '') });
      return z.NEVER;
    }
  });
