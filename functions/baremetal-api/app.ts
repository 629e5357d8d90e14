/** The Bare Metal API: its rows, its rules and Ironic's protocol, served by the one pipeline (`layers/http`). */
import { refuseFenced } from '../../layers/domain/baremetal/takeover.ts';
import { Forbidden } from '../../layers/domain/fault.ts';
import { allows, authorize, type Subject } from '../../layers/domain/policy.ts';
import { byRules } from '../../layers/http/admission.ts';
import { refuseChanges } from '../../layers/http/maintenance.ts';
import { untilUnlocked } from '../../layers/http/patience.ts';
import { serve, type Serve } from '../../layers/http/pipeline.ts';
import { ironic } from '../../layers/http/protocols/ironic.ts';
import type { Config } from './config.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import type { Deps, Route } from './route.ts';
import { routes } from './routes.ts';

const refuseProjects = ({ scope }: Subject): void => {
  if (scope === 'system') return;
  throw Forbidden('The Bare Metal API is not for callers of projects here: servers are made with the Compute API.');
};

/** The row, which is refused for a node whose machine nobody may do anything to yet. */
const behindFence = (row: Route): Route => ({
  ...row,
  handle: async (deps, call) => {
    refuseFenced(call.target as StoredNode);
    return row.handle(deps, call);
  },
});

const guarded = routes.map((row) => (row.fenced ? behindFence(row) : row));

/** Makes the function. Every answer, also to an error, is Ironic's JSON with the version headers; it never throws. */
export const create = (platform: Omit<Deps, 'config'>, config: Config): Serve =>
  serve(
    {
      protocol: ironic,
      routes: guarded,
      admit: byRules({ allows, authorize }),
      enter: (subject, row) => {
        if (!config.forProjects) refuseProjects(subject);
        refuseChanges(config.maintenanceRetryAfter, row, () => allows('baremetal:import:create', subject));
      },
      patience: untilUnlocked(({ config: { lockWaitMs } }) => lockWaitMs),
      publicEndpoint: config.publicEndpoint,
    },
    { ...platform, config },
  );
