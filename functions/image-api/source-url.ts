/**
 * Where the data of an image may be. Only agents go there, from the networks that they stand in, so a tenant must not send
 * them to what only they reach. A name is resolved by them alone; here nothing can be told of it.
 */
import { isIP } from 'node:net';

import { isPublic, type Networks } from '../../layers/bmc/networks.ts';
import { Invalid } from '../../layers/domain/fault.ts';
import { isWebUrl } from '../../layers/domain/instance-image.ts';
import { allows, type Subject } from '../../layers/domain/policy.ts';

const longest = 2048;

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

const isLocalName = (host: string): boolean => /(^|\.)localhost\.?$/.test(host);

/**
 * Throws Invalid (400) for a URL that agents do not take, that carries a password, or whose address is not public: those
 * of `image_networks` are for everybody, private ones for administrators too.
 */
export const checkSourceUrl = (
  { imageNetworks, privateNetworks }: { readonly imageNetworks: Networks; readonly privateNetworks: Networks },
  subject: Subject,
  name: string,
  value: string,
): void => {
  const refuse = (why: string) => Invalid(`The URL of ${name} ${why}.`);
  if (!isWebUrl(value) || value.length > longest)
    throw refuse(`must be an http or https URL of ${longest} characters at most`);
  const { username, password, hash, hostname, pathname } = new URL(value);
  if (username !== '' || password !== '') throw refuse('must not have a user or a password in it');
  if (hash !== '') throw refuse('must not have a fragment (#)');
  if (pathname.endsWith('/')) throw refuse('must be that of a file, not of a folder (ending in /)');
  const host = withoutBrackets(hostname);
  const address = isLocalName(host) ? '127.0.0.1' : host;
  if (!isIP(address) || isPublic(address) || imageNetworks.allows(address)) return;
  if (allows('publicize_image', subject) && privateNetworks.allows(address)) return;
  throw refuse('has an address that is not public; an operator may open networks with the setting image_networks');
};
