/** The image that a path names. */
import { isUuid } from '../../layers/domain/values.ts';
import { tenantKinds, type StoredImage } from '../../layers/store/kinds/tenants.ts';
import { missing, readRecord } from '../../layers/store/records/find.ts';
import type { Deps, Route } from './route.ts';

type Finder = NonNullable<Route<undefined, StoredImage>['find']>;

const kind = tenantKinds.image;

const readImage = async ({ table }: Pick<Deps, 'table'>, id: string): Promise<StoredImage> => {
  const found = isUuid(id) ? await readRecord(table, kind, id.toLowerCase()) : undefined;
  if (!found) throw missing(kind, id);
  return found;
};

/** Throws NotFound (404), also for one that is being deleted. */
export const findImage: Finder = async (deps, { image_id: id = '' }) => {
  const found = await readImage(deps, id);
  if (found.status === 'pending_delete') throw missing(kind, id);
  return found;
};

/** The same of whoever deletes: a deletion that was cut off is done by the next. */
export const findToDelete: Finder = async (deps, { image_id: id = '' }) => readImage(deps, id);
