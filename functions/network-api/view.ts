/** How records of the Networking API are shown: to whom which fields, and those that are not stored. */
import type { Fields } from '../../layers/domain/fields.ts';
import { allows, type Subject } from '../../layers/domain/policy.ts';
import { projector, type Shown, type Viewer } from '../../layers/domain/projection.ts';
import type { Kept } from '../../layers/store/kinds/kind.ts';

/** What every record has. */
export type Standard = Kept & {
  readonly project_id: string;
  readonly created_at: string;
  readonly updated_at: string | null;
};

/** Without fractions, as Neutron writes times. */
const timeOf = (time: string): string => time.replace(/(?:\.\d+)?\+00:00$/, 'Z');

/** How the standard attributes are shown. */
export const standardShown: Shown<Standard> = {
  id: ({ uuid }) => uuid,
  tenant_id: ({ project_id: project }) => project,
  revision_number: ({ revision }) => revision,
  created_at: ({ created_at: time }) => timeOf(time),
  updated_at: ({ created_at, updated_at: time }) => timeOf(time ?? created_at),
};

/** The fields that a caller sees; of others it is not even said that they are there. */
export const visible = (rows: Fields, subject: Subject): string[] =>
  Object.entries(rows)
    .filter(([, { withheld }]) => !withheld || (withheld.unless ?? []).some((rule) => allows(rule, subject)))
    .map(([name]) => name);

/** Makes the function that shows records to a caller: all that he may see, or the fields that he names. */
export const viewOf = <R extends Standard>(
  rows: Fields,
  shown: Shown<R>,
  viewer: Viewer,
  named: readonly string[] = [],
): ((record: R) => Record<string, unknown>) => {
  const all = visible(rows, viewer.subject);
  const want = named.length > 0 ? all.filter((name) => named.includes(name)) : all;
  return projector<R>(rows, viewer, want, { shown });
};
