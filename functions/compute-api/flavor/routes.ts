/** Flavors (compute-api.md 4): what tenants choose, and what operators make. */
import { flavor as rows } from '../../../layers/domain/compute/flavor.ts';
import { namedSchema } from '../../../layers/domain/schema.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import { computeKinds, type StoredFlavor } from '../../../layers/store/kinds/compute.ts';
import { changeRecord, createRecord, removeRecord } from '../../../layers/store/records/change.ts';
import { type Call, type Deps, route, type Route } from '../route.ts';
import { accessRoutes } from './access.ts';
import { extraSpecRoutes } from './extra-specs.ts';
import { listRoutes } from './list.ts';
import { findFlavor as find, flavorShape, flavorView } from './view.ts';

const kind = computeKinds.flavor;

type Named = Record<'flavor', Record<string, unknown>>;

/** One that is not public is given to the project that makes it, as Nova does. */
const readNew = (deps: Deps, { body, subject }: Call<Named>): StoredFlavor => {
  const given = Object.entries(body.flavor).filter(([, value]) => (value ?? undefined) !== undefined);
  const { id = 'auto', ...values } = Object.fromEntries(given) as Partial<StoredFlavor>;
  const uuid = deps.ids.uuid();
  const isOwn = values.is_public === false && subject.project !== null;
  const projects = isOwn ? [subject.project] : [];
  return newRecord(deps, kind, { ...values, uuid, id: id === 'auto' ? uuid : id, projects });
};

const at = '/v2.1/flavors';

export const flavorRoutes: readonly Route[] = [
  ...listRoutes,
  route<Named>({
    at: `POST ${at}`,
    policy: 'os_compute_api:os-flavor-manage:create',
    status: 200,
    body: namedSchema('flavor', rows),
    answers: flavorShape.one,
    handle: async (deps, call) => {
      const record = readNew(deps, call);
      await createRecord(deps, kind, record);
      return { body: { flavor: flavorView(call, 'all')(record) } };
    },
  }),
  route<undefined, StoredFlavor>({
    at: `GET ${at}/{flavor_id}`,
    policy: 'os_compute_api:flavors',
    doc: 'flavors: show',
    answers: flavorShape.one,
    find,
    handle: async (_deps, call) => ({ body: { flavor: flavorView(call, 'all')(call.target) } }),
  }),
  route<Named, StoredFlavor>({
    at: `PUT ${at}/{flavor_id}`,
    since: 55,
    policy: 'os_compute_api:os-flavor-manage:update',
    body: namedSchema('flavor', { description: { ...rows.description, access: 'create' } }),
    takes: flavorShape.one,
    answers: flavorShape.one,
    find,
    handle: async (deps, call) => {
      const description = (call.body.flavor['description'] ?? null) as string | null;
      const { after } = await changeRecord(deps, kind, call.target.uuid, () => ({ set: { description } }));
      return { body: { flavor: flavorView(call, 'all')(after) } };
    },
  }),
  route<undefined, StoredFlavor>({
    at: `DELETE ${at}/{flavor_id}`,
    policy: 'os_compute_api:os-flavor-manage:delete',
    status: 202,
    find,
    handle: async (deps, { target }) => {
      await removeRecord(deps, kind, target.uuid);
      return {};
    },
  }),
  ...extraSpecRoutes,
  ...accessRoutes,
];
