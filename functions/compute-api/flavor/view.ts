/** How flavors are found and shown (compute-api.md 4). */
import { flavor as rows } from '../../../layers/domain/compute/flavor.ts';
import { NotFound } from '../../../layers/domain/fault.ts';
import { allows, type Subject } from '../../../layers/domain/policy.ts';
import { projector, type Viewer, type Want } from '../../../layers/domain/projection.ts';
import type { Table } from '../../../layers/platform/table.ts';
import { computeKinds, type StoredFlavor } from '../../../layers/store/kinds/compute.ts';
import { readRecordBy } from '../../../layers/store/records/find.ts';
import { linksTo } from '../links.ts';
import type { Deps } from '../route.ts';

const kind = computeKinds.flavor;

const shape = { name: 'Flavor', rows } as const;

/** Flavors in the documents. */
export const flavorShape = { one: { ...shape, under: 'flavor' }, list: { ...shape, list: 'flavors' } } as const;

/** What a flavor that is not there is told with; policy says the same of one that is not for this caller. */
const missingFlavor = (id: string) => NotFound(`Flavor ${id} could not be found.`);

/** Whether a caller may use a flavor: it is for everybody, or his project was given it. */
export const isOffered = ({ is_public: open, projects }: StoredFlavor, { project }: Subject): boolean =>
  open || (project !== null && projects.includes(project));

/** Whether he may know of it at all. */
export const seesFlavor = (flavor: StoredFlavor, subject: Subject): boolean =>
  allows('os_compute_api:flavors', subject, flavor);

/** The flavor of this id; names are not ids (compute-api.md 4). */
export const readFlavor = async (table: Table, id: string): Promise<StoredFlavor | undefined> =>
  readRecordBy(table, kind, rows.id.unique, id);

/** That of the path. Throws NotFound (404). */
export const findFlavor = async ({ table }: Deps, params: Readonly<Record<string, string>>): Promise<StoredFlavor> => {
  const id = params['flavor_id']!;
  const found = await readFlavor(table, id);
  if (!found) throw missingFlavor(id);
  return found;
};

/** Makes the function that shows flavors. */
export const flavorView = (viewer: Viewer, want: Want) => {
  const show = projector<StoredFlavor>(rows, viewer, want);
  return (flavor: StoredFlavor) => ({ ...show(flavor), links: linksTo(viewer.base, 'flavors', flavor.id) });
};
