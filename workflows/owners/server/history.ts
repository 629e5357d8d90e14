/** What runs of servers leave in the history besides their phases. Messages are for tenants, details for administrators. */
import { plainText } from '../../../layers/domain/foreign-text.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import type { NodeEvent } from '../../../layers/store/events.ts';
import { serverLine } from '../../../layers/store/server-history.ts';
import { type About, info } from '../../run/history.ts';
import type { ServerContext } from './phase.ts';

/** A phase that did not succeed; it may be tried again. */
export const attempted = (about: About, why: string): NodeEvent => ({
  ...info(about),
  kind: 'attempt',
  message: `${about.phase} did not succeed.`,
  details: plainText(why),
});

/** Leaves a line while a phase runs. */
export const note = async (
  { platform: { table, clock, ids }, server, about }: ServerContext,
  message: string,
  details: string,
): Promise<void> => {
  const event: NodeEvent = { ...info(about), kind: 'attempt', message, details };
  await table.write([serverLine(server, event, isoTime(clock.now()), ids)]);
};
