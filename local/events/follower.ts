/**
 * Follows the changes of the table, as the mapping of its stream does on AWS: batches in their order go to the function
 * of the manifest's row, and are forgotten when it is done with them. One that dies in between gets them again.
 */
import { feed as row } from '../../infra/manifest.ts';
import type { FeedAnswer } from '../../layers/platform/feed.ts';
import type { Log } from '../../layers/platform/platform.ts';
import type { FunctionHost } from '../functions/host.ts';
import type { Change, Feed } from '../table/feed.ts';
import type { Pauses } from './pauses.ts';

export type FollowerNeeds = {
  readonly feed: Feed;
  /** As texts, which nobody here has to read. */
  readonly functions: Pick<FunctionHost, 'invokeText'>;
  readonly log: Log;
  readonly pauses: Pauses;
};

/** As many as the mapping on AWS hands over at a time (infra/feed.ts). */
const batchSize = 100;

/** How many of the changes, from the first, are done. */
const doneOf = (changes: readonly Change[], { batchItemFailures: failures }: FeedAnswer): number => {
  const failed = new Set(failures.map(({ itemIdentifier }) => itemIdentifier));
  const at = changes.findIndex(({ id }) => failed.has(String(id)));
  return at < 0 ? changes.length : at;
};

/** One batch; the work of a pump (pump.ts). */
export const follow =
  ({ feed, functions, log, pauses }: FollowerNeeds) =>
  async (): Promise<number | undefined> => {
    const left = pauses.left();
    if (left !== undefined) return left;
    const changes = await feed.changes(batchSize);
    if (changes.length === 0) return undefined;
    const batch = `{"Records":[${changes.map(({ record }) => record).join(',')}]}`;
    const none: FeedAnswer = { batchItemFailures: [{ itemIdentifier: String(changes[0]!.id) }] };
    const answer = await functions.invokeText(row.function, batch).catch((error: unknown) => {
      log.error('The function that follows the table failed; it gets the changes again.', { error });
      return none;
    });
    const done = doneOf(changes, answer as FeedAnswer);
    if (done > 0) await feed.followed(changes[done - 1]!.id);
    pauses[done < changes.length ? 'failed' : 'worked'](row.function);
    return pauses.left() ?? 0;
  };
