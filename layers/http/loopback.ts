/**
 * A server on a loopback address is reached by every program of its machine, and so by every web page that a browser
 * there has open: a name that resolves to 127.0.0.1 makes the page one of the server's own (DNS rebinding), and simple
 * requests to other sites need nobody's leave. What a browser says of a request tells them apart.
 */

/** By lower-case name, as node:http has them: the first Host, and several Origins in one text that is none. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `hosts`: what a Host header may be; `origins`: pages that may call. */
export type Own = { readonly hosts: ReadonlySet<string>; readonly origins: ReadonlySet<string> };

const names = ['127.0.0.1', 'localhost', '[::1]'];
const standardPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** What belongs to a server at `port`, which is known by `endpoint` (a URL; empty: by no other name), too. */
export const ownOf = (port: number, endpoint = ''): Own => {
  const hosts = names.flatMap((name) => [name, `${name}:${port}`]);
  // A page of another port is that of another program, whatever the name.
  const origins = names.map((name) => new URL(`http://${name}:${port}`).origin);
  if (endpoint === '') return { hosts: new Set(hosts), origins: new Set(origins) };
  const { protocol, host, hostname, port: named, origin } = new URL(endpoint);
  const whole = `${hostname}:${named || standardPorts[protocol]}`;
  return { hosts: new Set([...hosts, host, whole]), origins: new Set([...origins, origin]) };
};

/** Whether the request names this server. */
export const isForOwnHost = ({ host }: Headers, { hosts }: Own): boolean => hosts.has(String(host).toLowerCase());

/** Same-site is not enough: a site is all ports of a name. `none`: typed by the user. */
const ownSites = new Set(['same-origin', 'none']);

/** Whether a page of somebody else made the request. Programs other than browsers send neither header. */
export const isFromForeignPage = ({ origin, 'sec-fetch-site': site }: Headers, { origins }: Own): boolean =>
  (origin !== undefined && !origins.has(String(origin).toLowerCase())) ||
  (site !== undefined && !ownSites.has(String(site)));
