/** The protocol of the Networking API v2.0 (compute-api.md 9). It has no microversions; errors have a type by name. */
import { type About, json, type Protocol, type Refusal } from '../protocol.ts';

const headers = (about?: About): Record<string, string> =>
  about ? { 'X-Openstack-Request-Id': about.request_id } : {};

/**
 * How Neutron calls what any API refuses. Clients tell errors apart by these names; a fault that Neutron has a name for
 * (NetworkNotFound, IpAddressInUse) has it itself.
 */
const types: Readonly<Record<string, string>> = {
  Invalid: 'HTTPBadRequest',
  TooDeep: 'HTTPBadRequest',
  Forbidden: 'PolicyNotAuthorized',
  NotFound: 'HTTPNotFound',
  MethodNotAllowed: 'HTTPMethodNotAllowed',
  TooLarge: 'HTTPRequestEntityTooLarge',
  Unavailable: 'ServiceUnavailable',
  Error: 'HTTPInternalServerError',
};

const refuse = ({ by, name, code, message, title = 'Unauthorized' }: Refusal): object => {
  // Said before Neutron is asked at all, by the middleware that knows who calls.
  if (by === 'gateway' && code === 401) return { error: { code, title, message } };
  return { NeutronError: { type: types[name] ?? name, message, detail: '' } };
};

export const neutron: Protocol = {
  headers,
  refuse: (refusal) => json(refuse(refusal)),
  takes: ['application/json'],
};
