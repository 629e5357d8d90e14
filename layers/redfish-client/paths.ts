/** Which links of a BMC are followed: paths below its own service root, and nothing else (redfish.md 8). */
import { bmcFault } from '../bmc/faults.ts';
import type { Fault } from '../domain/fault.ts';
import { cutText, quoted } from '../domain/foreign-text.ts';

/** Where a BMC is: its URL's origin and the path before /redfish. */
export type Place = { readonly origin: string; readonly root_prefix: string };

const Outside = (link: string): Fault =>
  bmcFault(
    'BmcProtocol',
    `The BMC answered with a link that leads away from it (${cutText(link.split('?', 1)[0]!, 100)}); it is not followed.`,
  );

/**
 * The path (with query) that a link means. Links may be absolute as long as they name the BMC as we do.
 * Throws BmcProtocol for everything that is not below `<root_prefix>/redfish/`.
 */
export const linkPath = ({ origin, root_prefix }: Place, link: unknown): string => {
  if (typeof link !== 'string' || !URL.canParse(link, origin)) throw Outside(quoted(link));
  const url = new URL(link, origin);
  const inside = url.origin === new URL(origin).origin && !url.username && !url.password;
  // An encoded separator or dot could mean another path to the BMC than it does to us.
  const plain = !/%2f|%2e|%5c/i.test(url.pathname);
  if (!inside || !plain || !url.pathname.startsWith(`${root_prefix}/redfish/`)) throw Outside(link);
  return url.pathname + url.search;
};
