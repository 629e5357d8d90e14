/** GET /flavors and /flavors/detail. There are few flavors, so a page is cut out of all of them. */
import { Invalid } from '../../../layers/domain/fault.ts';
import { readBool } from '../../../layers/domain/page.ts';
import { allows } from '../../../layers/domain/policy.ts';
import type { Want } from '../../../layers/domain/projection.ts';
import { computeKinds, type StoredFlavor } from '../../../layers/store/kinds/compute.ts';
import { eachRecord } from '../../../layers/store/records/list.ts';
import { cutAfter, inOrder, nextLinks, readLimit, readOrder } from '../list.ts';
import { type Call, type Deps, route, type Route } from '../route.ts';
import { flavorShape, flavorView, isOffered } from './view.ts';

/** Nova's words for what lists of flavors are sorted by. */
const sortKeys = {
  flavorid: ({ id }) => id,
  id: ({ position }) => position,
  name: ({ name }) => name,
  memory_mb: ({ ram }) => ram,
  root_gb: ({ disk }) => disk,
  vcpus: ({ vcpus }) => vcpus,
  swap: ({ swap }) => swap,
  ephemeral_gb: ({ ephemeral }) => ephemeral,
  rxtx_factor: ({ rxtx_factor: factor }) => factor,
  is_public: ({ is_public: open }) => open,
  description: ({ description }) => description,
  created_at: ({ position }) => position,
} as const satisfies Readonly<Record<string, (flavor: StoredFlavor) => unknown>>;

/** Whole numbers only, as for the limit. Throws Invalid (400). */
const leastOf = ({ query }: Call, name: string): number => {
  const text = query[name]?.[0] ?? '0';
  if (!/^\d{1,10}$/.test(text)) throw Invalid(`Invalid value for ${name}: "${text}" is not a whole number.`);
  return Number(text);
};

/** Administrators may ask for those that are not public as well, or for these alone. Throws Invalid (400). */
const choiceOf = (call: Call): ((flavor: StoredFlavor) => boolean) => {
  const { subject, query } = call;
  const offered = (flavor: StoredFlavor) => isOffered(flavor, subject);
  if (!allows('os_compute_api:os-flavor-access', subject)) return offered;
  const asked = query['is_public']?.[0];
  if (asked === undefined) return offered;
  if (asked.toLowerCase() === 'none') return () => true;
  const open = readBool(query, 'is_public');
  return open ? offered : (flavor) => !flavor.is_public;
};

const select = async ({ table }: Deps, call: Call): Promise<StoredFlavor[]> => {
  const isChosen = choiceOf(call);
  const [ram, disk] = [leastOf(call, 'minRam'), leastOf(call, 'minDisk')];
  const found: StoredFlavor[] = [];
  await eachRecord<StoredFlavor>(table, computeKinds.flavor, {}, (flavor) => {
    if (isChosen(flavor) && flavor.ram >= ram && flavor.disk >= disk) found.push(flavor);
  });
  return inOrder(found, readOrder(call, sortKeys, { key: 'flavorid', descending: false }));
};

const query = { limit: {}, marker: {}, is_public: {}, minRam: {}, minDisk: {}, sort_key: {}, sort_dir: {} };

const listRoute = (suffix: '' | '/detail', want: Want): Route =>
  route({
    at: `GET /v2.1/flavors${suffix}`,
    policy: 'os_compute_api:flavors',
    query,
    doc: suffix === '' ? 'flavors: names' : 'flavors: whole',
    answers: flavorShape.list,
    handle: async (deps, call) => {
      const limit = readLimit(call);
      const { page, next } = cutAfter(await select(deps, call), ({ id }) => id, limit, call.query['marker']?.[0]);
      const flavors = page.map(flavorView(call, want));
      return { body: { flavors, ...nextLinks(call, `/v2.1/flavors${suffix}`, 'flavors', next) } };
    },
  });

export const listRoutes: readonly Route[] = [listRoute('', 'summary'), listRoute('/detail', 'all')];
