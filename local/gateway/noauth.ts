/**
 * Whom the gateway answers while nobody proves who they are (auth_strategy noauth): programs of this machine that call it
 * directly. Web pages in its browsers and whoever stands behind a proxy are refused, before a request is looked at.
 *
 * What is mounted beside the API (presigned links of objects) is not asked this: each link carries its own proof, which no
 * page can make, and BMCs and agents follow links by names and through proxies that are their network's business.
 */
import type { IncomingMessage } from 'node:http';

import { Fault, Forbidden, Invalid } from '../../layers/domain/fault.ts';
import { type Headers, isForOwnHost, isFromForeignPage, type Own, ownOf } from '../../layers/http/loopback.ts';
import type { Protocol } from '../../layers/http/protocol.ts';
import type { Place } from './router.ts';

type Asked = {
  readonly headers: Headers;
  readonly own: Own;
  readonly place: Place | undefined;
  /** Media types of bodies. */
  readonly types: readonly string[];
};
type Rule = { breaks(asked: Asked): boolean; refuse(asked: Asked): Fault };

/** What proxies add; all of X-Forwarded-* too. Some add nothing, and cannot be told from a program of this machine. */
const proxyHeaders = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-forwarded-for',
  'true-client-ip',
  'cf-connecting-ip',
]);
const isOfProxy = (name: string): boolean => proxyHeaders.has(name) || name.startsWith('x-forwarded-');

const typeOf = ({ 'content-type': type = '' }: Headers): string => String(type).split(';')[0]!.trim().toLowerCase();
const hasBody = ({ 'content-length': length = '0', 'transfer-encoding': coding }: Headers): boolean =>
  length !== '0' || coding !== undefined;
/** Who calls from the networks of a setting is a program, whose HTTP library may add no Content-Type to text. */
const isOfMachines = ({ place }: Asked): boolean => place?.rows.some(({ networks }) => networks !== undefined) ?? false;

const strategies =
  'Who calls from elsewhere has to prove who they are: INGOT_AUTH_STRATEGY=http_basic, oidc or keystone.';

/** In order; the first that a request breaks answers it. */
const rules: readonly Rule[] = [
  {
    breaks: ({ headers, own }) => !isForOwnHost(headers, own),
    refuse: () =>
      Forbidden(
        `With auth_strategy noauth only 127.0.0.1, localhost, [::1] and the host of public_endpoint are answered, at the port of this API. ${strategies}`,
      ),
  },
  {
    breaks: ({ headers }) => Object.keys(headers).some(isOfProxy),
    refuse: () =>
      Forbidden(
        `With auth_strategy noauth whoever reaches a proxy would be the administrator, so nothing is answered that came through one (headers such as X-Forwarded-For, Forwarded, Via). ${strategies}`,
      ),
  },
  {
    breaks: ({ headers, own }) => isFromForeignPage(headers, own),
    refuse: () =>
      Forbidden('With auth_strategy noauth pages of other sites are not answered (headers Origin, Sec-Fetch-Site).'),
  },
  {
    breaks: (asked) => hasBody(asked.headers) && typeOf(asked.headers) === '' && !isOfMachines(asked),
    refuse: ({ types }) => Invalid(`The request has a body but no Content-Type, use ${types[0]}.`),
  },
  {
    // A page may send a body of other types, or of none, to another site without being asked about it (CORS).
    breaks: ({ headers, types }) => hasBody(headers) && typeOf(headers) !== '' && !types.includes(typeOf(headers)),
    refuse: ({ types }) =>
      new Fault(
        'UnsupportedMediaType',
        415,
        `With auth_strategy noauth the Content-Type of a body has to be ${types.join(' or ')}.`,
      ),
  },
];

/** A target in absolute form, which proxies send, names the host before the Host header does (RFC 9112 3.2.2). */
const hostOf = ({ url = '', headers }: IncomingMessage): string | undefined =>
  /^https?:\/\/([^/?]*)/i.exec(url)?.[1] ?? headers.host;

/** The refusal of a request, undefined for one that may be answered. `place`: where it leads. */
export type Guard = (request: IncomingMessage, protocol: Protocol, place: Place | undefined) => Fault | undefined;

/** Throws Invalid for a `public_endpoint` that is neither empty nor an http or https URL. */
export const createGuard = (publicEndpoint: string): Guard => {
  if (publicEndpoint !== '' && !(/^https?:/i.test(publicEndpoint) && URL.canParse(publicEndpoint))) {
    throw Invalid(`Setting public_endpoint has to be an http or https URL, not "${publicEndpoint}".`);
  }
  const kept = new Map<number, Own>();
  const ownAt = (port: number): Own => {
    const own = kept.get(port) ?? ownOf(port, publicEndpoint);
    kept.set(port, own);
    return own;
  };
  return (request, { takes: types }, place) => {
    const headers = { ...request.headers, host: hostOf(request) };
    const asked = { headers, own: ownAt(request.socket.localPort ?? 0), place, types };
    return rules.find((rule) => rule.breaks(asked))?.refuse(asked);
  };
};
