/** How many nodes each shard has (ironic-api.md 9, since 1.82). */
import { countShards } from '../../layers/store/node-lists.ts';
import { route, type Route } from './route.ts';

export const shardRoutes: readonly Route[] = [
  route({
    at: 'GET /v1/shards',
    since: 82,
    policy: 'baremetal:shards:get',
    handle: async ({ table }) => {
      const counts = [...(await countShards(table))].map(([shard, count]) => ({ name: shard ?? 'None', count }));
      return { body: { shards: counts.toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1)) } };
    },
  }),
];
