/**
 * Conductors (ironic-api.md 6): here the sites of BMC proxies, of which this version has one. A site has no process
 * that could die, so it is alive as long as the API answers; and no record, so its times are null.
 */
import { Invalid, NotFound } from '../../layers/domain/fault.ts';
import { hardwareTypes } from '../../layers/domain/hardware-types.ts';
import { resourceLinks } from '../../layers/domain/projection.ts';
import { bool } from '../../layers/domain/values.ts';
import { route, type Call, type Deps, type Route } from './route.ts';

const brief = ['hostname', 'conductor_group', 'alive', 'links'];
const sortable = ['id', 'hostname', 'conductor_group', 'created_at', 'updated_at'];

const conductor = (site: string, base: string) => ({
  hostname: site,
  conductor_group: '',
  alive: true,
  drivers: Object.keys(hardwareTypes).sort(),
  created_at: null,
  updated_at: null,
  links: resourceLinks(base, 'conductors', site),
});

type Conductor = ReturnType<typeof conductor>;
const names = ['hostname', 'conductor_group', 'alive', 'drivers', 'created_at', 'updated_at', 'links'];

const requested = (call: Call): string[] | undefined => {
  const fields = call.query['fields']?.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase());
  const unknown = fields?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw Invalid(`Field "${unknown}" is not a field of conductors.`);
  return fields && [...fields, 'links'];
};

const pick = (record: Conductor, fields: readonly string[]) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name)));

const one = (call: Call, name: string): string | undefined => call.query[name]?.[0];

/** Paging over one item: everything is checked as for any list. */
const checkPaging = (call: Call, site: string): void => {
  const limit = one(call, 'limit');
  if (limit !== undefined && !/^[1-9]\d*$/.test(limit)) throw Invalid('limit must be a positive integer.');
  const [key, direction] = [one(call, 'sort_key') ?? 'id', one(call, 'sort_dir') ?? 'asc'];
  if (!sortable.includes(key)) throw Invalid(`The sort_key "${key}" is not possible for conductors.`);
  if (direction !== 'asc' && direction !== 'desc') throw Invalid('sort_dir must be asc or desc.');
  const marker = one(call, 'marker');
  if (marker !== undefined && marker !== site) throw NotFound(`Conductor ${marker} could not be found.`);
};

const list = async ({ config: { site } }: Deps, call: Call) => {
  checkPaging(call, site);
  const fields = requested(call);
  const detail = bool.safeParse(one(call, 'detail') ?? 'false');
  if (!detail.success) throw Invalid('detail must be true or false.');
  if (detail.data && fields) throw Invalid('detail and fields exclude each other.');
  const shown = pick(conductor(site, call.base), fields ?? (detail.data ? names : brief));
  return { body: { conductors: one(call, 'marker') === undefined ? [shown] : [] } };
};

const common = { since: 49, policy: 'baremetal:conductor:get' } as const;

export const conductorRoutes: Route[] = [
  route({
    ...common,
    at: 'GET /v1/conductors',
    query: { fields: {}, detail: {}, limit: {}, marker: {}, sort_key: {}, sort_dir: {} },
    handle: list,
  }),
  route({
    ...common,
    at: 'GET /v1/conductors/{hostname}',
    query: { fields: {} },
    handle: async ({ config: { site } }, call) => {
      const { hostname } = call.params;
      if (hostname !== site) throw NotFound(`Conductor ${hostname} could not be found.`);
      return { body: pick(conductor(site, call.base), requested(call) ?? names) };
    },
  }),
];
