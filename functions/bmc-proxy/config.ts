/** Settings of the BMC proxy, from its environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

import { networksSetting } from '../../layers/bmc/networks.ts';

/** Empty text is no number; coercion would make it 0. */
const milliseconds = z
  .string()
  .regex(/^[1-9]\d*$/, 'has to be a whole number above 0')
  .transform(Number);

export const Config = z
  .object({
    /** Networks of BMCs and agents, see layers/bmc/networks.ts. */
    INGOT_BMC_NETWORKS: networksSetting('bmc_networks'),
    INGOT_BMC_REQUIRE_TLS: z.stringbool(),
    INGOT_POLL_INTERVAL_MS: milliseconds,
    /** To connect to a BMC, TLS handshake included. */
    INGOT_BMC_CONNECT_TIMEOUT_MS: milliseconds,
    /** Longest silence of a BMC; some need a minute for their first answer (redfish.md 5 row 4). */
    INGOT_BMC_READ_TIMEOUT_MS: milliseconds,
  })
  .transform((env) => ({
    networks: env.INGOT_BMC_NETWORKS,
    requireTls: env.INGOT_BMC_REQUIRE_TLS,
    pollIntervalMs: env.INGOT_POLL_INTERVAL_MS,
    connectMs: env.INGOT_BMC_CONNECT_TIMEOUT_MS,
    readMs: env.INGOT_BMC_READ_TIMEOUT_MS,
  }));

export type Config = z.output<typeof Config>;
