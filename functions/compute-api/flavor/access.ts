/** Which projects a flavor is for that is not public: /flavors/{id}/os-flavor-access, and the actions that change it. */
import * as z from 'zod';

import { Conflict, NotFound } from '../../../layers/domain/fault.ts';
import { allows, denied } from '../../../layers/domain/policy.ts';
import { text } from '../../../layers/domain/values.ts';
import { computeKinds, type StoredFlavor } from '../../../layers/store/kinds/compute.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { route, type Route } from '../route.ts';
import { findFlavor as find } from './view.ts';

const tenant = z.strictObject({ tenant: text(255) });

const body = z.union([z.strictObject({ addTenantAccess: tenant }), z.strictObject({ removeTenantAccess: tenant })], {
  error: 'must be addTenantAccess or removeTenantAccess, with a tenant',
});
type Body = z.output<typeof body>;

const shows = z.object({ flavor_access: z.array(z.object({ flavor_id: z.string(), tenant_id: z.string() })) });

const accessOf = ({ id, projects }: StoredFlavor) => ({
  flavor_access: projects.map((project) => ({ flavor_id: id, tenant_id: project })),
});

/** What access becomes. Throws Conflict (409), NotFound (404). */
const changed = ({ id, projects, is_public: open }: StoredFlavor, wanted: Body): readonly string[] => {
  if ('addTenantAccess' in wanted) {
    const { tenant: project } = wanted.addTenantAccess;
    if (open) throw Conflict('Can not add access to a public flavor.');
    if (projects.includes(project)) {
      throw Conflict(`Flavor access already exists for flavor ${id} and project ${project} combination.`);
    }
    return [...projects, project];
  }
  const { tenant: project } = wanted.removeTenantAccess;
  if (open) throw Conflict('Can not remove access from a public flavor.');
  if (!projects.includes(project)) throw NotFound(`Flavor access not found for ${id} / ${project} combination.`);
  return projects.filter((one) => one !== project);
};

export const accessRoutes: readonly Route[] = [
  route<undefined, StoredFlavor>({
    at: 'GET /v2.1/flavors/{flavor_id}/os-flavor-access',
    policy: 'os_compute_api:os-flavor-access',
    shows,
    find,
    handle: async (_deps, { target }) => {
      if (target.is_public) throw NotFound('Access list not available for public flavors.');
      return { body: accessOf(target) };
    },
  }),
  route<Body, StoredFlavor>({
    at: 'POST /v2.1/flavors/{flavor_id}/action',
    policy: 'os_compute_api:flavors',
    doc: 'os-flavor-access: add or remove a project',
    shows,
    body,
    find,
    handle: async (deps, { target, subject, body: wanted }) => {
      const rule =
        'addTenantAccess' in wanted
          ? 'os_compute_api:os-flavor-access:add_tenant_access'
          : 'os_compute_api:os-flavor-access:remove_tenant_access';
      if (!allows(rule, subject)) throw denied(rule);
      const { after } = await changeRecord(deps, computeKinds.flavor, target.uuid, (flavor) => ({
        set: { projects: changed(flavor, wanted) },
      }));
      return { body: accessOf(after) };
    },
  }),
];
