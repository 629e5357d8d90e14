/**
 * Conductors (ironic-api.md 6): the sites of BMC proxies, of which this version has one. A site has no process that
 * could die, so it is alive as long as the API answers.
 */
import { conductor } from '../../layers/domain/conductor.ts';
import { NotFound } from '../../layers/domain/fault.ts';
import { hardwareTypes } from '../../layers/domain/hardware-types.ts';
import { readFields, readPage, readWant } from '../../layers/domain/page.ts';
import { answersOf, showing } from './crud.ts';
import { route, type Call, type Deps, type Route } from './route.ts';

type Site = { readonly hostname: string };

const view = showing<Site>(conductor, {
  at: 'conductors',
  ident: ({ hostname }) => hostname,
  shown: { alive: () => true, drivers: () => Object.keys(hardwareTypes).sort() },
});

const find = ({ config: { site } }: Deps, hostname: string): Site => {
  if (hostname !== site) throw NotFound(`Conductor ${hostname} could not be found.`);
  return { hostname };
};

/** One item fits any page; after it, the marker, there is nothing. */
const list = async (deps: Deps, call: Call) => {
  const { marker } = readPage(conductor, call.version, call.query);
  const show = view(call, readWant(conductor, call.version, call.query));
  const last = marker === undefined ? undefined : find(deps, marker);
  return { body: { conductors: last ? [] : [show({ hostname: deps.config.site })] } };
};

const common = { since: 49, policy: 'baremetal:conductor:get' } as const;

export const conductorRoutes: Route[] = [
  route({
    ...common,
    at: 'GET /v1/conductors',
    query: { fields: {}, detail: {}, limit: {}, marker: {}, sort_key: {}, sort_dir: {} },
    ...answersOf('conductors', conductor).list,
    handle: list,
  }),
  route({
    ...common,
    at: 'GET /v1/conductors/{hostname}',
    query: { fields: {} },
    ...answersOf('conductors', conductor).record,
    handle: async (deps, call) => {
      const want = readFields(conductor, call.version, call.query) ?? 'all';
      return { body: view(call, want)(find(deps, call.params['hostname']!)) };
    },
  }),
];
