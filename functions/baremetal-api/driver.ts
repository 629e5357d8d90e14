/** The hardware types as Ironic's drivers (ironic-api.md 6). They are code, so nothing is read from the table. */
import { Invalid, NotFound } from '../../layers/domain/fault.ts';
import { refuseNewer } from '../../layers/domain/fields.ts';
import { hardwareTypes, interfaceKinds, type InterfaceKind } from '../../layers/domain/hardware-types.ts';
import { resourceLinks } from '../../layers/domain/projection.ts';
import { bool } from '../../layers/domain/values.ts';
import type { Config } from './config.ts';
import { route, type Call, type Deps, type Route } from './route.ts';

type Row = {
  readonly since?: number;
  /** Only in the full form. */
  readonly detail?: true;
  show(name: string, config: Config, base: string): unknown;
};

const interfaceRows = Object.entries(interfaceKinds).flatMap(([kind, { since }]) => {
  const implementations = (name: string) => hardwareTypes[name]!.interfaces[kind as InterfaceKind];
  // Drivers tell their interfaces since 1.30, one version before nodes did.
  const row = { since: since <= 31 ? 30 : since, detail: true } as const;
  return [
    [`default_${kind}_interface`, { ...row, show: (name: string) => implementations(name)[0] }],
    [`enabled_${kind}_interfaces`, { ...row, show: implementations }],
  ] as const;
});

/** What a driver tells of itself. All are of type dynamic: classic drivers went away long ago. */
const rows: { readonly [field: string]: Row } = {
  name: { show: (name) => name },
  hosts: { show: (_name, config) => [config.site] },
  links: { show: (name, _config, base) => resourceLinks(base, 'drivers', name) },
  properties: { since: 14, show: (name, _config, base) => resourceLinks(base, 'drivers', `${name}/properties`) },
  type: { since: 30, show: () => 'dynamic' },
  ...Object.fromEntries(interfaceRows),
};

const requested = (call: Call): string[] | undefined => {
  const names = call.query['fields']?.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase());
  if (!names) return undefined;
  const unknown = names.find((name) => !Object.hasOwn(rows, name));
  if (unknown !== undefined) throw Invalid(`Field "${unknown}" is not a field of drivers.`);
  refuseNewer(rows, call.version, names);
  return [...names, 'links'];
};

const show = (name: string, { config }: Deps, call: Call, wanted: (field: string, row: Row) => boolean) =>
  Object.fromEntries(
    Object.entries(rows)
      .filter(([field, row]) => (row.since ?? 1) <= call.version && wanted(field, row))
      .map(([field, row]) => [field, row.show(name, config, call.base)]),
  );

const detailed = (call: Call): boolean => {
  const parsed = bool.safeParse(call.query['detail']?.[0] ?? 'false');
  if (!parsed.success) throw Invalid('detail must be true or false.');
  return parsed.data;
};

const list = async (deps: Deps, call: Call) => {
  const fields = requested(call);
  const detail = detailed(call);
  const type = call.query['type']?.[0] ?? 'dynamic';
  if (detail && fields) throw Invalid('detail and fields exclude each other.');
  if (type !== 'dynamic' && type !== 'classic') throw Invalid('type must be dynamic or classic.');
  const names = type === 'dynamic' ? Object.keys(hardwareTypes).sort() : [];
  const wanted = (field: string, row: Row) => (fields ? fields.includes(field) : detail || !row.detail);
  return { body: { drivers: names.map((name) => show(name, deps, call, wanted)) } };
};

const named = (call: Call): string => {
  const name = call.params['driver']!;
  if (!Object.hasOwn(hardwareTypes, name)) throw NotFound(`The driver "${name}" is unknown.`);
  return name;
};

export const driverRoutes: Route[] = [
  route({
    at: 'GET /v1/drivers',
    policy: 'baremetal:driver:get',
    query: { type: { since: 30 }, detail: { since: 30 }, fields: { since: 77 } },
    handle: list,
  }),
  route({
    at: 'GET /v1/drivers/{driver}',
    policy: 'baremetal:driver:get',
    query: { fields: { since: 77 } },
    handle: async (deps, call) => {
      const fields = requested(call);
      return { body: show(named(call), deps, call, (field) => fields?.includes(field) ?? true) };
    },
  }),
  route({
    at: 'GET /v1/drivers/{driver}/properties',
    policy: 'baremetal:driver:get_properties',
    handle: async (_deps, call) => {
      const { properties } = hardwareTypes[named(call)]!;
      return { body: Object.fromEntries(Object.entries(properties).map(([name, { doc }]) => [name, doc])) };
    },
  }),
];
