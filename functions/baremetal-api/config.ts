/** Settings of the API function, from its environment (infra/manifest.ts `settings`). */
import * as z from 'zod';

import { ramdiskFrom, ramdiskVariables } from '../../layers/domain/ramdisk.ts';
import { maintenanceSetting } from '../../layers/http/maintenance.ts';

export const Config = z
  .object({
    INGOT_PUBLIC_ENDPOINT: z.string(),
    INGOT_AUTH_STRATEGY: z.string(),
    INGOT_MAINTENANCE_RETRY_AFTER: maintenanceSetting,
    INGOT_BAREMETAL_FOR_PROJECTS: z.stringbool(),
    /** Seconds. */
    INGOT_NODE_LOCKED_WAIT: z
      .string()
      .regex(/^[0-5]$/, 'has to be a whole number from 0 to 5')
      .transform(Number),
    INGOT_AUTOMATED_CLEAN: z.stringbool(),
    INGOT_AUTOMATIC_LESSEE: z.stringbool(),
    INGOT_AUTOMATIC_LESSEE_SOURCE: z.enum(['none', 'instance', 'request']),
    INGOT_PROJECT_ADMIN_CAN_MANAGE_OWN_NODES: z.stringbool(),
    INGOT_BMC_REQUIRE_TLS: z.stringbool(),
    /** Hostname of the one BMC-proxy site, shown as the conductor. */
    INGOT_SITE: z.string().min(1),
    ...ramdiskVariables,
  })
  .transform((env) => ({
    publicEndpoint: env.INGOT_PUBLIC_ENDPOINT.replace(/\/$/, ''),
    /** Those of http_basic are tenants, who stand in a file of the operator's and own no nodes. */
    forProjects: env.INGOT_AUTH_STRATEGY !== 'http_basic' && env.INGOT_BAREMETAL_FOR_PROJECTS,
    lockWaitMs: env.INGOT_NODE_LOCKED_WAIT * 1000,
    automatedClean: env.INGOT_AUTOMATED_CLEAN,
    automaticLessee: env.INGOT_AUTOMATIC_LESSEE ? env.INGOT_AUTOMATIC_LESSEE_SOURCE : 'none',
    projectAdminCanManageOwnNodes: env.INGOT_PROJECT_ADMIN_CAN_MANAGE_OWN_NODES,
    requireTls: env.INGOT_BMC_REQUIRE_TLS,
    site: env.INGOT_SITE,
    ramdisk: ramdiskFrom(env),
    maintenanceRetryAfter: env.INGOT_MAINTENANCE_RETRY_AFTER,
  }));

export type Config = z.output<typeof Config>;
