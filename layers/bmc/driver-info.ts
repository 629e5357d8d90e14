/**
 * How a BMC is reached, out of `driver_info` (ironic-deploy.md 1.1). Pure: the API validates with it, the proxy
 * connects with it.
 */
import { Invalid } from '../domain/fault.ts';
import { withoutTail } from '../domain/foreign-text.ts';
import { bool } from '../domain/values.ts';
import { normalFingerprint, pemFingerprints, type Trust } from './trust.ts';

export type RedfishAccess = {
  /** Name or IP address (IPv6 without brackets), as in the certificate. */
  readonly host: string;
  readonly port: number;
  /** Path of the address, before /redfish: empty or /something. */
  readonly root_prefix: string;
  /** Path of the System, with root_prefix; null: the only one there is. */
  readonly system_id: string | null;
  readonly username: string | null;
  readonly password: string | null;
  readonly auth_type: 'auto' | 'basic' | 'session';
  readonly trust: Trust;
};

type DriverInfo = Readonly<Record<string, unknown>>;

const key = (name: string) => `driver_info.${name}`;

const text = (info: DriverInfo, name: string): string | null => {
  const value = info[name] ?? null;
  if (value === null || value === '') return null;
  if (typeof value !== 'string') throw Invalid(`${key(name)} must be a text.`);
  return value;
};

const parseAddress = (
  info: DriverInfo,
): Pick<RedfishAccess, 'host' | 'port' | 'root_prefix'> & { readonly plain: boolean } => {
  const name = 'redfish_address';
  const value = text(info, name)?.trim();
  if (!value) throw Invalid(`Missing: ${key(name)}, the address of the BMC such as https://10.1.0.7.`);
  const full = value.includes('://') ? value : `https://${value}`;
  if (!URL.canParse(full))
    throw Invalid(`${key(name)} is no address: give a host name, an IP address or an https URL.`);
  const url = new URL(full);
  const plain = url.protocol === 'http:';
  if (!plain && url.protocol !== 'https:') throw Invalid(`${key(name)} must be an https URL, or an http one.`);
  if (url.username || url.password) throw Invalid(`${key(name)} must not hold credentials; use redfish_username.`);
  if (url.search || url.hash) throw Invalid(`${key(name)} must not have a query or a fragment.`);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (plain ? 80 : 443)),
    root_prefix: withoutTail(url.pathname, '/').replace(/\/redfish(\/v1)?$/, ''),
    plain,
  };
};

/**
 * Throws Invalid (400) for a BMC over http where the operator has not said (setting `bmc_require_tls`) that passwords may
 * travel in the clear.
 */
export const requireSecured = ({ trust }: Pick<RedfishAccess, 'trust'>): void => {
  if (trust.mode !== 'plain') return;
  throw Invalid(
    `${key('redfish_address')} must be https: the password would travel in the clear. Where that is meant so, the setting bmc_require_tls has to be false.`,
  );
};

const parseSystem = (info: DriverInfo, prefix: string): string | null => {
  const name = 'redfish_system_id';
  const value = text(info, name);
  if (value === null) return null;
  const path = value.startsWith(`${prefix}/redfish/`) ? value : prefix + value;
  const plain = /^\/[\w\-.~:@!$&'()*+,;=%/]*$/.test(value) && !/\/\.\.?(\/|$)/.test(value);
  if (plain && path.startsWith(`${prefix}/redfish/`)) return path;
  throw Invalid(`${key(name)} must be the path of a System, such as /redfish/v1/Systems/1.`);
};

const isCertificate = (pem: string): boolean => {
  try {
    return pemFingerprints(pem).length > 0;
  } catch {
    return false;
  }
};

/**
 * Whom a server's certificate has to satisfy, from a setting of the kind of `redfish_verify_ca`: true (public CAs),
 * false (nobody), PEM text (the server's own certificate or a CA), or `sha256:<fingerprint>`. A file path means
 * nothing here and is refused. Throws Invalid naming the key.
 */
export const parseTrust = (name: string, value: unknown): Trust => {
  if (value === undefined || value === null || value === '') return { mode: 'system' };
  const flag = bool.safeParse(value);
  if (flag.success) return { mode: flag.data ? 'system' : 'insecure' };
  if (typeof value === 'string') {
    const pin = /^sha256:\s*([0-9a-f:\s]+)$/i.exec(value.trim())?.[1];
    const fingerprint256 = normalFingerprint(pin ?? '');
    if (fingerprint256.length === 32 * 3 - 1) return { mode: 'pin', fingerprint256 };
    if (isCertificate(value)) return { mode: 'pem', pem: value };
  }
  throw Invalid(
    `${key(name)} must be true, false, a certificate as PEM text, or sha256: and the fingerprint of the certificate.`,
  );
};

const authTypes = ['auto', 'basic', 'session'] as const;

const parseAuthType = (info: DriverInfo): RedfishAccess['auth_type'] => {
  const name = 'redfish_auth_type';
  const value = text(info, name)?.toLowerCase() ?? 'auto';
  const known = authTypes.find((type) => type === value);
  if (!known) throw Invalid(`${key(name)} must be one of ${authTypes.join(', ')}.`);
  return known;
};

/** Reads the `redfish_*` keys; others are left alone. Throws Invalid (400) naming the key. */
export const parseDriverInfo = (info: DriverInfo): RedfishAccess => {
  const { plain, ...address } = parseAddress(info);
  const username = text(info, 'redfish_username');
  const password = text(info, 'redfish_password');
  if (password !== null && username === null) {
    throw Invalid(`${key('redfish_password')} is set but ${key('redfish_username')} is not.`);
  }
  return {
    ...address,
    system_id: parseSystem(info, address.root_prefix),
    username,
    password,
    auth_type: parseAuthType(info),
    trust: plain ? { mode: 'plain' } : parseTrust('redfish_verify_ca', info['redfish_verify_ca']),
  };
};
