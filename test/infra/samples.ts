/** Rows of APIs that are not there, as they would stand in the manifest. Its functions stand in for those they would bring. */
import type { ApiRow } from '../../infra/manifest.ts';
import { lampProtocol, textProtocol } from '../layers/http/lamps.ts';

export const samples = {
  lamps: {
    doc: 'Lamps v2',
    prefix: '/lamps',
    stage: 'lamps',
    protocol: lampProtocol,
    challenge: 'Lamps API',
    routes: [
      { at: 'ANY /v2', function: 'sync', authorize: false },
      { at: 'ANY /v2/{proxy+}', function: 'sync', authorize: true },
    ],
  },
  files: {
    doc: 'Files',
    port: 1,
    stage: 'files',
    protocol: textProtocol,
    challenge: null,
    routes: [
      { at: 'GET /latest/{name}', function: 'workflow', authorize: false },
      { at: 'PUT /latest/file', function: 'workflow', authorize: false, networks: 'agent_networks' },
    ],
  },
} as const satisfies Record<string, ApiRow>;
