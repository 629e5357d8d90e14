/** A service that is asked over HTTP: what is refused before anything is sent, and what is told when it breaks off. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';

import { openService } from '../../migrate/service.ts';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
};

describe('a service', () => {
  it('that breaks off in the middle of its answer does not answer, so it is asked again', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"nodes": [');
      setImmediate(() => response.destroy());
    });
    const service = openService('The Bare Metal API', url, { auth: 'none' });
    await expect(service('GET', '/v1/nodes')).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
  });

  it.each(['https://admin:canary@ingot.example', 'https://canary@ingot.example'])(
    'is not asked at %s, and what is proved there is not told',
    (endpoint) => {
      const open = () => openService('The Bare Metal API', endpoint, { auth: 'none' });
      expect(open).toThrow('has a user or password in it');
      expect(open).not.toThrow('canary');
    },
  );

  it.each(['ftp://ingot.example', 'ingot.example', ''])('is not asked at "%s"', (endpoint) => {
    expect(() => openService('The API', endpoint, { auth: 'none' })).toThrow('is no http or https URL');
  });
});
