/** The protocol of the Networking API: errors by the names that its clients know. */
import { expect, it } from 'vitest';

import { neutron } from '../../../../layers/http/protocols/neutron.ts';
import type { Refusal } from '../../../../layers/http/protocol.ts';

const body = (refusal: Partial<Refusal>): unknown =>
  JSON.parse(neutron.refuse({ by: 'resource', name: 'Conflict', code: 409, message: 'taken', ...refusal }).text);

it.each([
  ['Invalid', 'HTTPBadRequest'],
  ['Forbidden', 'PolicyNotAuthorized'],
  ['NotFound', 'HTTPNotFound'],
  ['Error', 'HTTPInternalServerError'],
  // What Neutron has a name for keeps it.
  ['NetworkNotFound', 'NetworkNotFound'],
  ['IpAddressInUse', 'IpAddressInUse'],
])('calls %s %s', (name, type) => {
  expect(body({ name })).toEqual({ NeutronError: { type, message: 'taken', detail: '' } });
});

it('tells whom nobody knows in the words of the middleware', () => {
  expect(body({ by: 'gateway', code: 401 })).toEqual({ error: { code: 401, title: 'Unauthorized', message: 'taken' } });
});
