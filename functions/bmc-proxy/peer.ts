/** From a host name to the one address that is called: resolved once, checked, and never resolved again. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

import { bmcFault, type BmcFaultName } from '../../layers/bmc/faults.ts';
import type { Peer } from '../../layers/platform/wire.ts';
import type { Call, Resolve } from './call.ts';

/** All addresses of a name, in the order of the resolver. Throws what node:dns throws. */
export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/**
 * Finds and checks the address. Throws TargetForbidden for a host outside the allowed networks, and `unknown` (a
 * retryable fault) for a name that does not resolve.
 */
export const findPeer = async (
  { config, resolve }: Pick<Call, 'config' | 'resolve'>,
  target: Omit<Peer, 'address'>,
  unknown: BmcFaultName,
): Promise<Peer> => {
  const { host, label } = target;
  const addresses = isIP(host)
    ? [host]
    : await resolve(host).catch((error: unknown) => {
        throw bmcFault(unknown, `${label}: the name ${host} does not resolve.`, error);
      });
  const address = addresses.find((candidate) => config.networks.allows(candidate));
  if (address) return { ...target, address };
  throw bmcFault(
    'TargetForbidden',
    `${label} is at ${addresses.join(', ') || 'no address'}, outside the networks of the setting bmc_networks.`,
  );
};
