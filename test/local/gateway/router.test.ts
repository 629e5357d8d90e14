import { expect, it } from 'vitest';

import { routes } from '../../../infra/manifest.ts';
import { createRouter } from '../../../local/gateway/router.ts';

const route = createRouter(routes);
const named = (path: string) => {
  const match = route(path);
  return match && [match.row.path, match.params];
};

it.each([
  ['/', ['/', null]],
  ['/v1', ['/v1', null]],
  ['/v1/', ['/v1', null]],
  ['/v1/lookup', ['/v1/lookup', null]],
  ['/v1/heartbeat/n1', ['/v1/heartbeat/{node_ident}', { node_ident: 'n1' }]],
  ['/v1/heartbeat/a%20b', ['/v1/heartbeat/{node_ident}', { node_ident: 'a b' }]],
  ['/v1/heartbeat', ['/v1/{proxy+}', { proxy: 'heartbeat' }]],
  ['/v1/nodes/n1/states', ['/v1/{proxy+}', { proxy: 'nodes/n1/states' }]],
  ['/nodes', ['/{proxy+}', { proxy: 'nodes' }]],
  ['/v1/nodes/%zz', ['/v1/{proxy+}', { proxy: 'nodes/%zz' }]],
])('leads %s to the first row that fits', (path, expected) => {
  expect(named(path)).toEqual(expected);
});

it('finds nothing when no row fits', () => {
  expect(createRouter([{ path: '/only', function: 'sync', authorize: false }])('/other')).toBeUndefined();
});
