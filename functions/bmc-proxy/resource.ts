/** Reading what not every BMC has. */
import type { z } from 'zod';

import { bmcFault } from '../../layers/bmc/faults.ts';
import { isFault } from '../../layers/domain/fault.ts';
import type { Resource } from '../../layers/redfish-client/client.ts';
import type { Bmc } from './bmc.ts';

/** As resources link to each other. */
export type Link = { readonly '@odata.id': string } | null | undefined;

/** undefined: the BMC has no such resource, or announces it and answers 404. Throws what any other failure means. */
export const readOptional = async <S extends z.ZodType>(
  { redfish }: Bmc,
  link: Link,
  shape: S,
): Promise<Resource<z.output<S>> | undefined> => {
  if (!link) return undefined;
  try {
    return await redfish.get(link['@odata.id'], shape);
  } catch (error) {
    if (isFault(error) && error.name === 'BmcNotFound') return undefined;
    throw error;
  }
};

/** Throws BmcUnsupported, in which `what` names the resource, if there is none. */
export const readRequired = async <S extends z.ZodType>(bmc: Bmc, link: Link, shape: S, what: string) => {
  const found = await readOptional(bmc, link, shape);
  if (found) return found;
  throw bmcFault('BmcUnsupported', `The BMC offers no ${what}.`);
};

/** Those of the linked resources that are there; one that is announced and missing is passed over. */
export const readAll = async <S extends z.ZodType>(bmc: Bmc, links: readonly string[], shape: S) => {
  const found: Resource<z.output<S>>[] = [];
  for (const link of links) {
    const resource = await readOptional(bmc, { '@odata.id': link }, shape);
    if (resource) found.push(resource);
  }
  return found;
};

/** The members of a collection; none if the BMC has no such collection. */
export const readMembers = async <S extends z.ZodType>(bmc: Bmc, collection: Link, shape: S) => {
  if (!collection) return [];
  const links = await bmc.redfish.members(collection['@odata.id']).catch((error: unknown) => {
    if (isFault(error) && error.name === 'BmcNotFound') return [];
    throw error;
  });
  return readAll(bmc, links, shape);
};
