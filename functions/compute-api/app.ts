/** The Compute API: its rows, its rules and its protocol, served by the one pipeline (`layers/http`). */
import { allows, authorize, denied } from '../../layers/domain/policy.ts';
import { byTenantRules } from '../../layers/http/admission.ts';
import { refuseChanges } from '../../layers/http/maintenance.ts';
import { serve, type Serve } from '../../layers/http/pipeline.ts';
import { nova } from '../../layers/http/protocols/nova.ts';
import type { Config } from './config.ts';
import type { Deps } from './route.ts';
import { routes } from './routes.ts';

/** Makes the function. Every answer, also to an error, is in the form of its protocol; it never throws. */
export const create = (platform: Omit<Deps, 'config'>, config: Config): Serve =>
  serve(
    {
      protocol: nova,
      routes,
      admit: byTenantRules({ allows, authorize, denied }),
      enter: (subject, row) =>
        refuseChanges(config.maintenanceRetryAfter, row, () => allows('os_compute_api:imports:create', subject)),
      publicEndpoint: config.publicEndpoint,
    },
    { ...platform, config },
  );
