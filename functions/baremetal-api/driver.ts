/** The hardware types as Ironic's drivers (ironic-api.md 6). They are code, so nothing is read from the table. */
import { driver, shownInterfaces } from '../../layers/domain/driver.ts';
import { NotFound } from '../../layers/domain/fault.ts';
import { filtersOf, selectBy } from '../../layers/domain/filters.ts';
import { hardwareTypes, unsupported } from '../../layers/domain/hardware-types.ts';
import { readFields, readWant } from '../../layers/domain/page.ts';
import { logicalDiskProperties } from '../../layers/domain/raid.ts';
import { answersOf, showing } from './crud.ts';
import { route, type Call, type Deps, type Route } from './route.ts';

type Named = { readonly name: string };

const filters = filtersOf<Named>(driver);

const view = ({ config }: Deps) =>
  showing<Named>(driver, {
    at: 'drivers',
    ident: ({ name }) => name,
    shown: { ...shownInterfaces, hosts: () => [config.site] },
  });

const list = async (deps: Deps, call: Call) => {
  const { keep } = selectBy(filters, call.query);
  const found = Object.keys(hardwareTypes)
    .sort()
    .map((name) => ({ name, type: 'dynamic' }))
    .filter(keep);
  const show = view(deps)(call, readWant(driver, call.version, call.query));
  return { body: { drivers: found.map(show) } };
};

const named = ({ params }: Call): string => {
  const name = params['driver']!;
  if (!Object.hasOwn(hardwareTypes, name)) throw NotFound(`Driver ${name} could not be found.`);
  return name;
};

export const driverRoutes: Route[] = [
  route({
    at: 'GET /v1/drivers',
    policy: 'baremetal:driver:get',
    query: { ...filters, detail: { since: 30 }, fields: { since: 77 } },
    ...answersOf('drivers', driver).list,
    handle: list,
  }),
  route({
    at: 'GET /v1/drivers/{driver}',
    policy: 'baremetal:driver:get',
    query: { fields: { since: 77 } },
    ...answersOf('drivers', driver).record,
    handle: async (deps, call) => {
      const want = readFields(driver, call.version, call.query) ?? 'all';
      return { body: view(deps)(call, want)({ name: named(call) }) };
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
  route({
    at: 'GET /v1/drivers/{driver}/raid/logical_disk_properties',
    since: 12,
    tooOld: 406,
    policy: 'baremetal:driver:get_raid_logical_disk_properties',
    handle: async (_deps, call) => {
      const name = named(call);
      if (hardwareTypes[name]!.interfaces.raid[0] === 'no-raid') throw NotFound(unsupported(name, 'raid').message);
      return { body: logicalDiskProperties };
    },
  }),
];
