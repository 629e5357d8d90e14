/** A server of another installation, as it is moved in (ADR 25): what was chosen for it. What state it is in its node says. */
import * as z from 'zod';

import { timestamp, uuid } from '../values.ts';
import { hostAttributes, server } from './server.ts';

const address = z.strictObject({
  addr: z.union([z.ipv4(), z.ipv6()]),
  version: z.literal([4, 6]),
  'OS-EXT-IPS:type': z.enum(['fixed', 'floating']),
  'OS-EXT-IPS-MAC:mac_addr': z.string(),
});

/** What is kept as it comes, by the rows of servers; null is as good as absent. */
const kept = {
  metadata: server.metadata.schema,
  accessIPv4: server.accessIPv4.schema,
  accessIPv6: server.accessIPv6.schema,
  config_drive: server.config_drive.schema,
  key_name: server.key_name.schema,
  security_groups: server.security_groups.schema,
  diskConfig: server.diskConfig.schema,
  launched_at: server.launched_at.schema,
  description: server.description.schema,
  tags: server.tags.schema,
  locked_reason: server.locked_reason.schema,
  hostname: server.hostname.schema,
  user_data: hostAttributes.user_data.schema,
} as const;

export type KeptName = keyof typeof kept;
export const keptNames = Object.keys(kept) as KeptName[];

/** A record of an import. */
export const movedServer = z.strictObject({
  id: uuid,
  name: server.name.schema,
  tenant_id: server.tenant_id.schema,
  user_id: server.user_id.schema,
  created: timestamp,
  /** Empty: of none that could be written again. */
  image: server.image.schema,
  flavor: server.flavor.schema,
  node_uuid: uuid.describe('The node that it is on, which has to have it as its instance_uuid.'),
  addresses: z.record(z.string(), z.array(address)).default({}).describe('By network, as servers show them.'),
  locked: z.boolean().default(false),
  ...(Object.fromEntries(Object.entries(kept).map(([name, schema]) => [name, schema.nullish()])) as {
    readonly [N in KeptName]: z.ZodOptional<z.ZodNullable<(typeof kept)[N]>>;
  }),
});

export type MovedServer = z.output<typeof movedServer>;
