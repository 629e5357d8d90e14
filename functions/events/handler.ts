/** `events` on AWS: called with batches of the table's stream, which has the changes of nodes only (infra/feed.ts). */
import { awsEvents } from '../../layers/platform/aws/events.ts';
import { createAwsLog } from '../../layers/platform/aws/log.ts';
import type { FeedAnswer, FeedBatch } from '../../layers/platform/feed.ts';
import { create } from './app.ts';
import { Config } from './config.ts';

const { env } = process;

const app = create({ events: awsEvents(env), log: createAwsLog('events') }, Config.parse(env));

/** Answers what has to come again; Lambda takes an answer of another form for the failure of the whole batch. */
export const handler = async (batch: FeedBatch): Promise<FeedAnswer> => app(batch);
