/** The Bare Metal API of tests on the loopback interface, for commands that are started as processes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createFront } from '../functions/baremetal-api/front.ts';

export const serveFront = async () => {
  const front = createFront();
  /** The tokens that requests came with. */
  const proofs = new Set<string | undefined>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    const { 'x-auth-token': token, 'x-openstack-ironic-api-version': version } = request.headers;
    proofs.add(token as string | undefined);
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString() || undefined;
      void front
        .request(`${request.method} ${request.url}`, { body, version: (version as string | undefined) ?? null })
        .then(({ status, body: answer }) =>
          response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer)),
        );
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { front, proofs, endpoint, close: () => server.close() };
};
