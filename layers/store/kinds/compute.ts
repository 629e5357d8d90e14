/** The kinds of record of the Compute API, a row each; they stand in the tenants' table (`tenants.ts`). */
import { firstFlavor, flavor as flavorFields, type Flavor, type FlavorKeeping } from '../../domain/compute/flavor.ts';
import { firstQuota, type ComputeQuota } from '../../domain/compute/quota.ts';
import { hostAttributes, largeParts, server as serverFields, type Server } from '../../domain/compute/server.ts';
import { serverGroup, type ServerGroup } from '../../domain/compute/server-group.ts';
import { firstServer } from '../../domain/compute/server-keeping.ts';
import { serverLine, stateLine } from '../server-history.ts';
import type { Kept, Kind } from './kind.ts';

export type StoredFlavor = Flavor & FlavorKeeping & Kept;
/** Times are in ISO 8601. */
export type StoredServer = Server & Kept & { readonly created_at: string; readonly updated_at?: string };
export type StoredServerGroup = ServerGroup & Kept;
/** Its UUID says whose: `project:` or `user:`, and the id. */
export type StoredComputeQuota = ComputeQuota & Kept;

/** What all kinds begin with. */
const first = { schema: 1, upgrades: [] } as const;

const flavor: Kind<StoredFlavor> = {
  name: 'flavor',
  title: 'Flavor',
  ...first,
  fields: flavorFields,
  kept: firstFlavor,
  taken: {
    uuid: 'A flavor with UUID * already exists.',
    flavor_id: 'Flavor with ID * already exists.',
    flavor_name: 'Flavor with name * already exists.',
  },
};

/** Its lines stay when it is gone, for those who look after it what was done with it. */
const server: Kind<StoredServer> = {
  name: 'server',
  title: 'Instance',
  ...first,
  fields: { ...hostAttributes, ...largeParts, ...serverFields },
  kept: firstServer,
  taken: { uuid: 'A server with UUID * already exists.' },
  apart: ['user_data', 'personality'],
  indexes: {
    node: { of: ({ node_uuid: node }) => node },
    // What `sync` looks at: one that nothing works on is not in it.
    busy: { of: ({ run }) => (run === null ? undefined : '') },
  },
  brief: ['tenant_id'],
  briefIn: ['tenant_id'],
  line: serverLine,
  tells: stateLine,
};

const server_group: Kind<StoredServerGroup> = {
  name: 'server_group',
  title: 'Instance group',
  ...first,
  fields: serverGroup,
  taken: { uuid: 'A server group with UUID * already exists.' },
};

const compute_quota: Kind<StoredComputeQuota> = {
  name: 'compute_quota',
  title: 'Quota',
  ...first,
  fields: {},
  kept: firstQuota,
  taken: { uuid: 'There are quotas of * already.' },
};

/** By their names. */
export const computeKinds = { flavor, server, server_group, compute_quota } as const;
