/** The Image API: its rows, its rules and its protocol, served by the one pipeline (`layers/http`). */
import { ownedAs } from '../../layers/domain/image/visibility.ts';
import { allows, authorize, denied, type Rule } from '../../layers/domain/policy.ts';
import { byTenantRules } from '../../layers/http/admission.ts';
import { refuseChanges } from '../../layers/http/maintenance.ts';
import { serve, type Serve } from '../../layers/http/pipeline.ts';
import { glance } from '../../layers/http/protocols/glance.ts';
import type { StoredImage } from '../../layers/store/kinds/tenants.ts';
import type { Config } from './config.ts';
import type { Deps } from './route.ts';
import { routes } from './routes.ts';

const byRules = byTenantRules<Deps, Rule>({ allows, authorize, denied });

/** Whose an image is and who else may see it are one to the rules: what a caller is to it, they are told. */
const admit: typeof byRules = (deps, row, caller, target, name) => {
  const image = target as StoredImage | undefined;
  const owned = image && caller.subject ? ownedAs(image, caller.subject) : image;
  return byRules(deps, row, caller, owned, name);
};

/** Makes the function. Every answer, also to an error, is in the form of its protocol; it never throws. */
export const create = (platform: Omit<Deps, 'config'>, config: Config): Serve =>
  serve(
    {
      protocol: glance,
      routes,
      admit,
      enter: (_subject, row) => refuseChanges(config.maintenanceRetryAfter, row),
      publicEndpoint: config.publicEndpoint,
    },
    { ...platform, config },
  );
