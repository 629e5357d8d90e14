/**
 * Follows the changes of nodes and publishes events of them (DESIGN.md 10). What could not be published is reported, and
 * comes again with all that followed it, so that nothing is lost and the events of a node keep their order (ADR 19).
 */
import type { EventDetail } from '../../layers/domain/events.ts';
import { type PublishedEvent, Unpublished } from '../../layers/platform/events.ts';
import type { FeedAnswer, FeedBatch, FeedRecord } from '../../layers/platform/feed.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import { eventsOf } from './derive.ts';

export type Deps = Pick<Platform, 'events' | 'log'>;

type Due = { readonly record: FeedRecord; readonly event: PublishedEvent };

const toPublished = (event: EventDetail): PublishedEvent => {
  const { id, type, node_uuid: key, time } = event;
  return { id, type, key, time, detail: event };
};

/** Nothing of a change that is unreadable: it would be so the next time as well, and everything would wait for it. */
const readOne = ({ log }: Deps, record: FeedRecord): Due[] => {
  try {
    return eventsOf(record).map((event) => ({ record, event: toPublished(event) }));
  } catch (error) {
    const { SequenceNumber: change, Keys } = record.dynamodb;
    log.error('No event can be made of a change; it is left out.', { change, pk: Keys?.['pk'], error });
    return [];
  }
};

/** The change at which it has to go on; undefined when all is published. Throws what is no matter of publishing. */
const publishAll = async ({ events, log }: Deps, due: readonly Due[]): Promise<FeedRecord | undefined> => {
  try {
    await events.publish(due.map(({ event }) => event));
    return undefined;
  } catch (error) {
    if (!(error instanceof Unpublished)) throw error;
    log.warn('Events could not be published; they come again.', { published: error.published, of: due.length, error });
    return due[error.published]!.record;
  }
};

/** Takes a batch of changes as DynamoDB Streams hands it over. */
export const create =
  (deps: Deps, _config: object = {}) =>
  async ({ Records: records }: FeedBatch): Promise<FeedAnswer> => {
    const due = records.flatMap((record) => readOne(deps, record));
    const failed = due.length > 0 ? await publishAll(deps, due) : undefined;
    return { batchItemFailures: failed ? [{ itemIdentifier: failed.dynamodb.SequenceNumber }] : [] };
  };
