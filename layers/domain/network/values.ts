/** The kinds of values that the resources of the Networking API have. Texts of addresses become canonical. */
import * as z from 'zod';

import { mac } from '../values.ts';
import { formatAddress, formatCidr, parseAddress, parseCidr } from './addresses.ts';

/** At most 255 characters; it may be empty, and several records may have the same. */
export const label = z.string().max(255);

/** An IPv4 or IPv6 address. */
export const ip = z.string().transform((text, issues) => {
  const address = parseAddress(text);
  if (address) return formatAddress(address);
  issues.addIssue({ code: 'custom', message: `must be an IP address, not "${text}"` });
  return z.NEVER;
});

/** A prefix without bits behind it. */
export const cidr = z.string().transform((text, issues) => {
  const read = parseCidr(text);
  if (read) return formatCidr(read);
  const message = `must be a network with its prefix length and no bits set behind that, such as 192.168.1.0/24, not "${text}"`;
  issues.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** The MAC address of one interface: the lowest bit of the first byte is set in those of groups. */
export const unicastMac = mac.refine((text) => Number.parseInt(text.slice(0, 2), 16) % 2 === 0, {
  error: 'must be the MAC address of one interface, not of a group',
});

/** A whole number, which the command line client sends as text at some places. */
export const whole = (min: number, max: number) =>
  z
    .union([
      z.int(),
      z
        .string()
        .regex(/^\d{1,9}$/)
        .transform(Number),
    ])
    .pipe(z.int().min(min).max(max));
