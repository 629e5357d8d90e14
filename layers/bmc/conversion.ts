/**
 * What becomes of driver_info when a node of a foreign type becomes one of redfish (ADR 22). Pure: the API writes it, and
 * the proxy, which alone can open the password, asks where it says.
 */
import { Conflict, Invalid } from '../domain/fault.ts';
import { foreignAccess } from '../domain/foreign-types.ts';
import { mask } from '../domain/masking.ts';
import type { Node } from '../domain/node.ts';
import { parseDriverInfo } from './driver-info.ts';

/** What a converted node has its password under. */
const password = 'redfish_password';

type DriverInfo = Readonly<Record<string, unknown>>;

export type Conversion = {
  /** driver_info afterwards. Its password is the mask, or the one that was given. */
  readonly info: DriverInfo;
  /** The key under which the password is sealed that becomes `redfish_password`; undefined: it was given, or there is none. */
  readonly moves: string | undefined;
};

/** Undefined for what is no host. */
const hostOf = (address: string): string | undefined => {
  const url = `https://${address.includes(':') ? `[${address}]` : address}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : undefined;
};

const addressOf = (host: string): string => `https://${host.includes(':') ? `[${host}]` : host}`;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/**
 * `given`: keys of redfish that the request brings; what it does not bring is what the node has for its old driver, the
 * address that of its BMC. A stored password goes to the host that it was for and to no other: for another one it has to
 * be given again. Throws Invalid (400), and Conflict (409) for a node whose type is one of ours.
 */
export const convert = (
  { uuid, driver, driver_info: before }: Pick<Node, 'uuid' | 'driver' | 'driver_info'>,
  given: DriverInfo,
): Conversion => {
  const access = foreignAccess(driver);
  if (!access) throw Conflict(`Node ${uuid} is of driver ${driver}: there is nothing to convert.`);
  const {
    [access.address]: address,
    [access.username]: user,
    [access.password]: stored,
    [password]: _,
    ...rest
  } = before;
  const host = hostOf(text(address) ?? '');
  const moves = stored === mask && (given[password] ?? null) === null ? access.password : undefined;
  const info = {
    ...(host !== undefined && { redfish_address: addressOf(host) }),
    ...(text(user) !== undefined && { redfish_username: user }),
    ...rest,
    ...given,
    ...(moves && { [password]: mask }),
  };
  const { host: asked } = parseDriverInfo(info);
  if (moves && asked !== host) {
    throw Invalid(
      `The stored password of node ${uuid} is for ${host ?? 'no host that is known'}, not for ${asked}: give redfish_password in the same request.`,
    );
  }
  return { info, moves };
};

/**
 * The password of a node that had a foreign driver and was converted: under which name it was kept before, and under
 * which it is kept now. Undefined where there is none to be moved: nobody moves over one that is there.
 */
export const movedPassword = (
  before: string,
  info: DriverInfo,
): { readonly from: string; readonly to: string; readonly value: unknown } | undefined => {
  const access = foreignAccess(before);
  const value = access && text(info[access.password]);
  if (!access || value === undefined || (info[password] ?? null) !== null) return undefined;
  return { from: access.password, to: password, value: info[access.password] };
};
