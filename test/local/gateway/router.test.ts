import { expect, it } from 'vitest';

import { apis } from '../../../infra/manifest.ts';
import { createRouter } from '../../../local/gateway/router.ts';

const route = createRouter(apis.baremetal.routes);
const named = (path: string) => {
  const place = route(path);
  return place && [place.rows[0]!.at.split(' ')[1], place.params];
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
])('leads %s to the most specific row that fits', (path, expected) => {
  expect(named(path)).toEqual(expected);
});

it('gives a path that names its methods no others', () => {
  const { row } = route('/v1/lookup')!;
  expect([row('GET')?.function, row('POST')]).toEqual(['ramdisk-api', undefined]);
  expect(route('/v1/nodes')!.row('PATCH')?.function).toBe('baremetal-api');
});

it('finds nothing when no row fits', () => {
  expect(createRouter([{ at: 'ANY /only', function: 'sync', authorize: false }])('/other')).toBeUndefined();
});
