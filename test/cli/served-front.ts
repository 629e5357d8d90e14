/** The Bare Metal API of tests on the loopback interface, at any microversion, for commands that are started as processes. */
import { createFront } from '../functions/baremetal-api/front.ts';
import { served } from './served.ts';

export const serveFront = async () => {
  const front = createFront();
  /** The tokens that requests came with. */
  const proofs = new Set<string | undefined>();
  const { url, stop } = await served(async ({ line, body, headers }) => {
    proofs.add(headers['x-auth-token']);
    return front.request(line, { body, version: headers['x-openstack-ironic-api-version'] ?? null });
  });
  return { front, proofs, endpoint: url, close: stop };
};
