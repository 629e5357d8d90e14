/** Lists of images. The newest first costs what it shows; other orders read all that the caller sees. */
import { Invalid } from '../../layers/domain/fault.ts';
import { comparing, type Order, readFilters, readLimit, readOrder, readView } from '../../layers/domain/image/list.ts';
import { isListed, lookupsFor, ownedAs, type View } from '../../layers/domain/image/visibility.ts';
import { allows, type Subject } from '../../layers/domain/policy.ts';
import { isUuid } from '../../layers/domain/values.ts';
import { tenantKinds, type StoredImage } from '../../layers/store/kinds/tenants.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { eachRecord, listRecords } from '../../layers/store/records/list.ts';
import { type Call, type Deps, route, type Route } from './route.ts';
import { imageShape, imagesPath, imageView, schemasPath } from './view.ts';

const kind = tenantKinds.image;

type Wanted = {
  readonly order: Order;
  readonly limit: number;
  readonly marker: StoredImage | undefined;
  readonly view: View;
  keep(image: StoredImage): boolean;
};

/** The last image of the page before. Throws Invalid (400) if it is not there for this caller. */
const readMarker = async ({ table }: Deps, { query, subject }: Call): Promise<StoredImage | undefined> => {
  const id = query['marker']?.at(-1);
  if (id === undefined) return undefined;
  const found = isUuid(id) ? await readRecord(table, kind, id.toLowerCase()) : undefined;
  const isSeen = found && found.status !== 'pending_delete' && allows('get_image', subject, ownedAs(found, subject));
  if (!isSeen) throw Invalid(`The marker ${id} is no image that could be found.`);
  return found;
};

const isByCreation = (order: Order): boolean => order.length === 1 && order[0]!.key === 'created_at';

const select = async ({ table }: Deps, subject: Subject, wanted: Wanted): Promise<StoredImage[]> => {
  const { order, limit, marker, view, keep } = wanted;
  const lookups = lookupsFor(subject, view);
  if (limit === 0) return [];
  if (isByCreation(order)) {
    const page = { limit, marker: marker?.uuid, sort_key: 'id', descending: order[0]!.descending };
    return listRecords(table, kind, page, { keep, lookups });
  }
  const found: StoredImage[] = [];
  await eachRecord(table, kind, { lookups }, (image) => {
    if (keep(image)) found.push(image);
  });
  const compare = comparing(order);
  const after = marker ? found.filter((image) => compare(image, marker) > 0) : found;
  return after.sort(compare).slice(0, limit);
};

/** The path of this list, or of its next page. Without a host: clients put their own before it. */
const linkOf = (query: Call['query'], marker?: string): string => {
  const kept = Object.entries(query)
    .filter(([name]) => name !== 'marker')
    .flatMap(([name, values]) => values.map((value): [string, string] => [name, value]));
  const search = new URLSearchParams([
    ...kept,
    ...(marker === undefined ? [] : [['marker', marker] as [string, string]]),
  ]).toString();
  return search === '' ? imagesPath : `${imagesPath}?${search}`;
};

export const listRoutes: readonly Route[] = [
  route({
    at: `GET ${imagesPath}`,
    policy: 'get_images',
    openQuery: true,
    answers: { ...imageShape, list: 'images' },
    doc: 'The images that the caller sees. Any other query parameter is a filter by the property of that name.',
    handle: async (deps, call) => {
      const { query, subject } = call;
      const [filters, view, order, limit] = [readFilters(query), readView(query), readOrder(query), readLimit(query)];
      const keep = (image: StoredImage) => isListed(image, subject, view) && filters(image);
      const found = await select(deps, subject, { order, limit, view, keep, marker: await readMarker(deps, call) });
      const next = found.length > 0 && found.length === limit ? { next: linkOf(query, found.at(-1)!.uuid) } : {};
      const images = found.map(imageView(call));
      return { body: { images, first: linkOf(query), schema: `${schemasPath}/images`, ...next } };
    },
  }),
];
