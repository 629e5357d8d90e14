/** Which entries there are, and which there have to be: exactly one in each place of each record. */
import type { Item } from '../../../layers/platform/table.ts';
import { entryPartition, entrySort, placesOf, shardOf } from '../../../layers/store/entries.ts';
import { toRecord } from '../../../layers/store/kinds/form.ts';
import type { Kept } from '../../../layers/store/kinds/kind.ts';
import { kindAt } from '../../../layers/store/kinds/kinds.ts';
import { reachedKey } from '../../../layers/store/reached.ts';

/** Those that have to be there for the records among these items. */
export const entriesThatAreDue = (items: readonly Item[]): string[] =>
  items
    .flatMap((item) => {
      const kind = kindAt(item);
      if (!kind) return [];
      const record = toRecord<Kept>(kind, item);
      return placesOf(kind, record).map(
        (place) => `${entryPartition(kind, place, shardOf(record.uuid))} ${entrySort(record)}`,
      );
    })
    .toSorted();

/** Those among these items. */
export const entriesOf = (items: readonly Item[]): string[] =>
  items
    .filter(({ pk }) => pk.startsWith('index#'))
    .map(({ pk, sk }) => `${pk} ${sk}`)
    .toSorted();

/** What is there besides the item that says in which form the table is. */
export const withoutNote = (items: readonly Item[]): Item[] => items.filter(({ pk }) => pk !== reachedKey.pk);
