/** Settings of the ramdisk API, from its environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

import { networksSetting } from '../../layers/bmc/networks.ts';

/** Seconds: no storm of heartbeats, and more than one within the time that runs wait for them. */
const heartbeatTimeout = z
  .string()
  .regex(/^\d+$/, 'has to be a whole number')
  .transform(Number)
  .refine((seconds) => seconds >= 10 && seconds <= 1800, 'has to be from 10 to 1800');

export const Config = z
  .object({
    INGOT_PUBLIC_ENDPOINT: z.string(),
    INGOT_AGENT_ENDPOINT: z.string(),
    INGOT_AGENT_NETWORKS: networksSetting('agent_networks'),
    INGOT_RAMDISK_HEARTBEAT_TIMEOUT: heartbeatTimeout,
    INGOT_AGENT_REQUIRE_TLS: z.stringbool(),
  })
  .transform((env) => ({
    publicEndpoint: env.INGOT_PUBLIC_ENDPOINT.replace(/\/$/, ''),
    /** Whether the media of agents say where inventories go, and with which key. */
    tellsWhere: env.INGOT_AGENT_ENDPOINT !== '',
    /** Where ramdisks may call from. */
    networks: env.INGOT_AGENT_NETWORKS,
    heartbeatTimeout: env.INGOT_RAMDISK_HEARTBEAT_TIMEOUT,
    /** Whether an agent may be called over https only. */
    requireTls: env.INGOT_AGENT_REQUIRE_TLS,
  }));

export type Config = z.output<typeof Config>;
