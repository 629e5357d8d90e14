/**
 * Events on AWS. Apart from platform.ts: who publishes has no table, and the client of the table, which that file brings
 * along, would be most of what it loads at a cold start.
 */
import { Fault } from '../../domain/fault.ts';
import { systemChance } from '../chance.ts';
import { systemClock } from '../clock.ts';
import type { Events } from '../events.ts';
import { siteOf } from './client.ts';
import { createAwsEvents } from './event-bridge.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * EVENT_BUS_NAME: the bus; INGOT_EVENTBRIDGE_ENDPOINT: another server of the same API. The client is made at the start: there
 * is no call without it. Throws Configuration (500) without a bus.
 */
export const awsEvents = (env: Environment): Events => {
  const { EVENT_BUS_NAME: bus } = env;
  if (!bus) {
    throw new Fault('Configuration', 500, 'The environment variable EVENT_BUS_NAME is not set: deploy with infra/.');
  }
  return createAwsEvents({ bus, clock: systemClock, chance: systemChance, site: siteOf(env, 'EVENTBRIDGE') });
};
