/** The protocol of the Bare Metal API v1 (ironic-api.md 1): microversions, headers, and the forms of an error body. */
import { NotAcceptable } from '../../domain/fault.ts';
import { refuseNewer } from '../../domain/fields.ts';
import { DEFAULT, MAX, MIN } from '../../domain/versions.ts';
import { type About, json, type Protocol, type Reading, type Refusal } from '../protocol.ts';
import type { HttpRequest } from '../request.ts';

/** Ironic's own header; `OpenStack-API-Version` wins over it. */
const legacyHeader = 'x-openstack-ironic-api-version';
const standardHeader = 'openstack-api-version';

const spell = (version: number): string => `1.${version}`;

/** `baremetal 1.N` out of a comma list that may also name other services. */
const standard = (header: string | undefined): string | undefined =>
  header
    ?.split(',')
    .map((entry) => entry.trim().split(/\s+/))
    .find(([service]) => service?.toLowerCase() === 'baremetal')
    ?.slice(1)
    .join(' ');

const unsupported = (asked: string) =>
  NotAcceptable(
    `Version ${asked.slice(0, 40)} was requested but is not supported. The supported versions are ${spell(MIN)} to ${spell(MAX)}.`,
  );

/**
 * The effective microversion N of 1.N. The standard header wins over the legacy one; none means 1.1.
 * `headers` have lower-case names. Throws NotAcceptable (406).
 */
const negotiate = (headers: Readonly<Record<string, string>>): number => {
  const asked = standard(headers[standardHeader]) ?? headers[legacyHeader];
  if (asked === undefined) return DEFAULT;
  if (asked.trim().toLowerCase() === 'latest') return MAX;
  const [, major, minor] = /^\s*(\d+)\.(\d+)\s*$/.exec(asked) ?? [];
  const version = Number(minor);
  if (Number(major) !== 1 || !(version >= MIN && version <= MAX)) throw unsupported(asked);
  return version;
};

/** Clients read the range of versions from every answer, also from those that no function gave. */
const range = {
  'X-OpenStack-Ironic-API-Minimum-Version': spell(MIN),
  'X-OpenStack-Ironic-API-Maximum-Version': spell(MAX),
};

const headers = (about?: About): Record<string, string> => {
  if (!about) return range;
  const { version, request_id: id } = about;
  return {
    ...range,
    'X-OpenStack-Ironic-API-Version': spell(version),
    'Openstack-Request-Id': id,
    ...(version >= 107 && { 'X-OpenStack-Request-Id': id }),
  };
};

/** "Bookmark" links leave /v1 out. */
const withVersion = (segments: readonly string[]): readonly string[] =>
  segments.length > 0 && segments[0] !== 'v1' ? ['v1', ...segments] : segments;

/** Ironic's router takes a node at the end of its states, too: no node may be called so. */
const nodeFirst = (segments: readonly string[]): readonly string[] => {
  const [, kind, states, ...more] = segments;
  const ident = more.at(-1);
  if (kind !== 'nodes' || states !== 'states' || !ident) return segments;
  return ['v1', 'nodes', ident, 'states', ...more.slice(0, -1)];
};

const inFull = (segments: readonly string[]): readonly string[] => nodeFirst(withVersion(segments));

const suffix = '.json';

/** Below 1.91, and only for clients that use the legacy version header, `.json` is not part of a name. */
const read = ({ headers: given, segments }: HttpRequest, version: number): Reading => {
  const last = segments.at(-1) ?? '';
  const cuts = version < 91 && given[legacyHeader] !== undefined && last.endsWith(suffix) && last !== suffix;
  if (!cuts) return { segments: inFull(segments) };
  const cut = [...segments.slice(0, -1), last.slice(0, -suffix.length)];
  return { segments: inFull(cut), spare: inFull(segments) };
};

/** Where agents call, names keep what they end with. */
const readWhole = ({ segments }: HttpRequest): Reading => ({ segments: withVersion(segments) });

/** Titles of what a router says; those of node:http would load all of Node's HTTP and fetch into every cold start. */
const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Refused before any controller was asked; these two are not wrapped. */
const flat = new Set(['TooLarge', 'TooDeep']);
/** What middleware says of callers, which knows of no controllers (1.3). */
const ofMiddleware = new Set([401, 403]);

/** The usual body is JSON in JSON (1.3). */
const errorBody = ({ by, name, code, message, title }: Refusal): object => {
  const fault = { faultcode: code < 500 ? 'Client' : 'Server', faultstring: message };
  if (flat.has(name)) return fault;
  if (by === 'gateway' && ofMiddleware.has(code)) return { error: { message, code, ...(title && { title }) } };
  const inner =
    by === 'router'
      ? { status: code, code, title: titles[code] ?? 'Error', description: message }
      : { ...fault, debuginfo: null };
  return { error_message: JSON.stringify(inner) };
};

export const ironic: Protocol = {
  versions: { standard: DEFAULT, negotiate, spell, refuseNewer },
  headers,
  read,
  refuse: (refusal) => json(errorBody(refusal)),
  answers: ['application/json'],
  takes: ['application/json', 'application/json-patch+json'],
  // Only configdrives are that large.
  largeBodies:
    'Upload a larger configdrive to the link that POST /v1/nodes/{node}/configdrive answers and pass the name that comes with it, or pass an http(s) URL.',
};

/** The same as deploy agents speak it. */
export const ironicOfAgents: Protocol = { ...ironic, read: readWhole };
