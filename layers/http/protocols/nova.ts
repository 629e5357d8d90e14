/** The protocol of the Compute API v2.1 (compute-api.md 1, 2): microversions, headers, and the forms of an error body. */
import { DEFAULT, MAX, MIN } from '../../domain/compute/versions.ts';
import { Invalid, NotAcceptable } from '../../domain/fault.ts';
import { isKnown } from '../../domain/fields.ts';
import { type About, json, type Protocol, type Reading, type Refusal, type SinceTable } from '../protocol.ts';
import type { HttpRequest } from '../request.ts';

const standardHeader = 'OpenStack-API-Version';
/** Nova's own header; the standard one wins over it. */
const legacyHeader = 'X-OpenStack-Nova-API-Version';

const spell = (version: number): string => `2.${version}`;

/** `compute 2.N` out of a comma list that may also name other services. */
const standard = (header: string | undefined): string | undefined =>
  header
    ?.split(',')
    .map((entry) => entry.trim().split(/\s+/))
    .find(([service]) => service?.toLowerCase() === 'compute')
    ?.slice(1)
    .join(' ');

/**
 * The effective microversion N of 2.N; none means 2.1. `headers` have lower-case names. Throws Invalid (400) for what is
 * no version, NotAcceptable (406) for one that is not spoken.
 */
const negotiate = (headers: Readonly<Record<string, string>>): number => {
  const asked = standard(headers[standardHeader.toLowerCase()]) ?? headers[legacyHeader.toLowerCase()];
  if (asked === undefined) return DEFAULT;
  if (asked.trim().toLowerCase() === 'latest') return MAX;
  const [, major, minor] = /^\s*(\d+)\.(0|[1-9]\d*)\s*$/.exec(asked) ?? [];
  const shown = asked.slice(0, 40);
  if (minor === undefined) throw Invalid(`API version ${shown} is none: it has to be such as 2.1, or latest.`);
  const version = Number(minor);
  if (Number(major) !== 2 || version < MIN || version > MAX) {
    const range = `Minimum is ${spell(MIN)} and maximum is ${spell(MAX)}.`;
    throw NotAcceptable(`Version ${shown} is not supported by the API. ${range}`);
  }
  return version;
};

/** What a version does not have is as unknown to it as a name that never was. */
const refuseNewer = (table: SinceTable, version: number, names: Iterable<string>): void => {
  for (const name of names) {
    if (!Object.hasOwn(table, name) || isKnown(table[name]!, version)) continue;
    throw Invalid(`Unexpected arguments: ${name}; API version ${spell(version)} has none of that name.`);
  }
};

const headers = (about?: About): Record<string, string> => {
  const vary = { Vary: `${standardHeader}, ${legacyHeader}` };
  if (!about) return vary;
  const { version, request_id: id } = about;
  return {
    ...vary,
    [standardHeader]: `compute ${spell(version)}`,
    [legacyHeader]: spell(version),
    'x-openstack-request-id': id,
    'x-compute-request-id': id,
  };
};

const projectId = /^[0-9a-f]{32}$|^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A catalog may put the project into the endpoint. Whose the request is says its token, so the path need not. */
const read = ({ segments }: HttpRequest): Reading => {
  const [root = '', project = '', ...rest] = segments;
  return { segments: rest.length > 0 && projectId.test(project) ? [root, ...rest] : segments };
};

/** The one key of an error body by its status (compute-api.md 2); any other is a computeFault. */
const names: Readonly<Record<number, string>> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  413: 'overLimit',
  415: 'badMediaType',
  429: 'overLimit',
  501: 'notImplemented',
  503: 'serviceUnavailable',
};

const refuse = ({ by, code, message, title = 'Unauthorized' }: Refusal): object => {
  // Said before Nova is asked at all, by the middleware that knows who calls.
  if (by === 'gateway' && code === 401) return { error: { code, title, message } };
  return { [names[code] ?? 'computeFault']: { code, message } };
};

export const nova: Protocol = {
  versions: {
    standard: DEFAULT,
    negotiate,
    spell,
    refuseNewer,
    // Until 2.75 a name in the query that nothing asks for is nobody's business.
    ignoresStrangers: (version) => version < 75,
  },
  headers,
  read,
  refuse: (refusal) => json(refuse(refusal)),
  takes: ['application/json'],
};
