/** The stream of a table in memory: the changes of nodes, as the mapping of the deployed one hands them over. */
import { feed } from '../../infra/manifest.ts';
import { type FeedRecord, toImage } from '../../layers/platform/feed.ts';
import type { MemoryTable } from '../../layers/platform/memory/table.ts';
import type { Item, Key } from '../../layers/platform/table.ts';

/** The record of a change; `SequenceNumber` counts. `seconds`: when it was told. */
export const feedRecord = (
  { pk, sk }: Key,
  before: Item | undefined,
  after: Item | undefined,
  SequenceNumber = '1',
  seconds = 1_767_225_600,
): FeedRecord => ({
  dynamodb: {
    ApproximateCreationDateTime: seconds,
    SequenceNumber,
    Keys: toImage({ pk, sk }),
    ...(before && { OldImage: toImage(before) }),
    ...(after && { NewImage: toImage(after) }),
  },
});

/** Every change of a node from now on, as it comes. */
export const follow = (table: MemoryTable): FeedRecord[] => {
  const records: FeedRecord[] = [];
  table.onChange = (key, before, after) => {
    if (key.sk === feed.sort) records.push(feedRecord(key, before, after, `${records.length + 1}`));
  };
  return records;
};
