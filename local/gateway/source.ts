/**
 * Who calls: the address of the connection, unless that is a reverse proxy of the operator's (INGOT_TRUSTED_PROXIES), which
 * adds the address of its own caller to X-Forwarded-For. What other proxies say may be anybody's invention, so behind
 * one of those nobody is known.
 */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

import type { Networks } from '../../layers/bmc/networks.ts';

/** What proxies tell of whom they speak for. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/** IPv4 in IPv6 disguise, as sockets that listen on both give it. */
const plain = (address: string): string => address.trim().replace(/^::ffff:(?=\d+\.)/i, '');

/** The newest entry that is not a trusted proxy itself, if it is an address; undefined if there is none. */
const behind = (header: string, trusted: Networks): string | undefined => {
  const entries = header.split(',').map(plain).filter(Boolean);
  const newest = entries.findLast((address) => !trusted.allows(address));
  return newest === undefined || isIP(newest) ? newest : '';
};

/** An IP address; empty if it is not known. */
export const sourceOf = ({ socket, headers }: IncomingMessage, trusted: Networks): string => {
  const address = plain(socket.remoteAddress ?? '');
  if (trusted.allows(address)) return behind(String(headers['x-forwarded-for'] ?? ''), trusted) ?? address;
  return proxyHeaders.some((name) => headers[name] !== undefined) ? '' : address;
};
