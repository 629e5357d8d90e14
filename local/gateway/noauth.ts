/**
 * Whom the gateway answers while nobody proves who they are (auth_strategy noauth): programs of this machine that call it
 * directly. Web pages in its browsers and whoever stands behind a proxy are refused, before a request is looked at.
 *
 * What is mounted beside the API (presigned links of objects) is not asked this: each link carries its own proof, which no
 * page can make, and BMCs and agents follow links by names and through proxies that are their network's business.
 */
import type { IncomingMessage } from 'node:http';

import { Invalid } from '../../layers/domain/fault.ts';
import { type Headers, isForOwnHost, isFromForeignPage, type Own, ownOf } from '../../layers/http/loopback.ts';
import type { Answer } from './event.ts';
import { refuse } from './refusal.ts';
import type { Match } from './router.ts';

type Asked = { readonly headers: Headers; readonly own: Own; readonly match: Match | undefined };
type Rule = { readonly status: 400 | 403 | 415; readonly text: string; breaks(asked: Asked): boolean };

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

/** A page may send a body of any other type, or of none, to another site without being asked about it (CORS). */
const bodyTypes = new Set(['application/json', 'application/json-patch+json']);
const typeOf = ({ 'content-type': type = '' }: Headers): string => String(type).split(';')[0]!.trim().toLowerCase();
const hasBody = ({ 'content-length': length = '0', 'transfer-encoding': coding }: Headers): boolean =>
  length !== '0' || coding !== undefined;
/** The deploy agent sends its inventory as text, to which its HTTP library adds no Content-Type. */
const isOfRamdisk = (match: Match | undefined): boolean => match?.row.function === 'ramdisk-api';

const strategies =
  'Who calls from elsewhere has to prove who they are: INGOT_AUTH_STRATEGY=http_basic, oidc or keystone.';

/** In order; the first that a request breaks answers it. */
const rules: readonly Rule[] = [
  {
    status: 403,
    text: `With auth_strategy noauth only 127.0.0.1, localhost, [::1] and the host of public_endpoint are answered, at the port of this API. ${strategies}`,
    breaks: ({ headers, own }) => !isForOwnHost(headers, own),
  },
  {
    status: 403,
    text: `With auth_strategy noauth whoever reaches a proxy would be the administrator, so nothing is answered that came through one (headers such as X-Forwarded-For, Forwarded, Via). ${strategies}`,
    breaks: ({ headers }) => Object.keys(headers).some(isOfProxy),
  },
  {
    status: 403,
    text: 'With auth_strategy noauth pages of other sites are not answered (headers Origin, Sec-Fetch-Site).',
    breaks: ({ headers, own }) => isFromForeignPage(headers, own),
  },
  {
    status: 400,
    text: 'The request has a body but no Content-Type, use application/json.',
    breaks: ({ headers, match }) => hasBody(headers) && typeOf(headers) === '' && !isOfRamdisk(match),
  },
  {
    status: 415,
    text: 'With auth_strategy noauth the Content-Type of a body has to be application/json or application/json-patch+json.',
    breaks: ({ headers }) => hasBody(headers) && typeOf(headers) !== '' && !bodyTypes.has(typeOf(headers)),
  },
];

/** A target in absolute form, which proxies send, names the host before the Host header does (RFC 9112 3.2.2). */
const hostOf = ({ url = '', headers }: IncomingMessage): string | undefined =>
  /^https?:\/\/([^/?]*)/i.exec(url)?.[1] ?? headers.host;

/** Answers the refusal of a request, undefined for one that may be answered. `match`: where it leads. */
export type Guard = (request: IncomingMessage, match: Match | undefined) => Answer | undefined;

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
  return (request, match) => {
    const headers = { ...request.headers, host: hostOf(request) };
    const asked = { headers, own: ownAt(request.socket.localPort ?? 0), match };
    const broken = rules.find((rule) => rule.breaks(asked));
    return broken && refuse(broken.status, broken.text);
  };
};
