/** The Bare Metal API: its rows, its rules and Ironic's protocol, served by the one pipeline (`layers/http`). */
import { Forbidden } from '../../layers/domain/fault.ts';
import { allows, authorize, type Subject } from '../../layers/domain/policy.ts';
import { byRules } from '../../layers/http/admission.ts';
import { serve, type Serve } from '../../layers/http/pipeline.ts';
import { ironic } from '../../layers/http/protocols/ironic.ts';
import type { Config } from './config.ts';
import type { Deps } from './route.ts';
import { routes } from './routes.ts';

const refuseProjects = ({ scope }: Subject): void => {
  if (scope === 'system') return;
  throw Forbidden('The Bare Metal API is not for callers of projects here: servers are made with the Compute API.');
};

/** Makes the function. Every answer, also to an error, is Ironic's JSON with the version headers; it never throws. */
export const create = (platform: Omit<Deps, 'config'>, config: Config): Serve =>
  serve(
    {
      protocol: ironic,
      routes,
      admit: byRules({ allows, authorize }),
      ...(!config.forProjects && { enter: refuseProjects }),
      publicEndpoint: config.publicEndpoint,
    },
    { ...platform, config },
  );
