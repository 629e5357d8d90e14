/** Settings of the BMC proxy, from its environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

import { networksSetting } from '../../layers/bmc/networks.ts';

const milliseconds = (usual: number) => z.coerce.number().int().positive().default(usual);

export const Config = z
  .object({
    /** Networks of BMCs and agents, see layers/bmc/networks.ts. */
    INGOT_BMC_NETWORKS: networksSetting('bmc_networks'),
    INGOT_POLL_INTERVAL_MS: milliseconds(1000),
    /** To connect to a BMC, TLS handshake included. */
    INGOT_BMC_CONNECT_TIMEOUT_MS: milliseconds(10_000),
    /** Longest silence of a BMC; some need a minute for their first answer (redfish.md 5 row 4). */
    INGOT_BMC_READ_TIMEOUT_MS: milliseconds(60_000),
  })
  .transform((env) => ({
    networks: env.INGOT_BMC_NETWORKS,
    pollIntervalMs: env.INGOT_POLL_INTERVAL_MS,
    connectMs: env.INGOT_BMC_CONNECT_TIMEOUT_MS,
    readMs: env.INGOT_BMC_READ_TIMEOUT_MS,
  }));

export type Config = z.output<typeof Config>;
