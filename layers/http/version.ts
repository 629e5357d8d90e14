/** Microversion negotiation (ironic-api.md 1.2). */
import { NotAcceptable } from '../domain/fault.ts';
import { DEFAULT, MAX, MIN } from '../domain/versions.ts';

/** Ironic's own header; `OpenStack-API-Version` wins over it. */
export const legacyHeader = 'x-openstack-ironic-api-version';
const standardHeader = 'openstack-api-version';

/** `baremetal 1.N` out of a comma list that may also name other services. */
const standard = (header: string | undefined): string | undefined =>
  header
    ?.split(',')
    .map((entry) => entry.trim().split(/\s+/))
    .find(([service]) => service?.toLowerCase() === 'baremetal')
    ?.slice(1)
    .join(' ');

const refuse = (asked: string) =>
  NotAcceptable(
    `Version ${asked.slice(0, 40)} was requested but is not supported. The supported versions are 1.${MIN} to 1.${MAX}.`,
  );

/**
 * The effective microversion N of 1.N. The standard header wins over the legacy one; none means 1.1.
 * `headers` have lower-case names. Throws NotAcceptable (406).
 */
export const negotiate = (headers: Readonly<Record<string, string>>): number => {
  const asked = standard(headers[standardHeader]) ?? headers[legacyHeader];
  if (asked === undefined) return DEFAULT;
  if (asked.trim().toLowerCase() === 'latest') return MAX;
  const [, major, minor] = /^\s*(\d+)\.(\d+)\s*$/.exec(asked) ?? [];
  const version = Number(minor);
  if (Number(major) !== 1 || !(version >= MIN && version <= MAX)) throw refuse(asked);
  return version;
};
