/** The events that every run leaves with its owner (layers/store/events.ts): what it went through, and how long it took. */
import type { NodeEvent } from '../../layers/store/events.ts';

/** Which phase of which run an event is about. */
export type About = {
  /** Of the workflow's row. */
  readonly event_type: string;
  readonly run: string;
  readonly phase: string;
  /** Which step, of a phase that is there for many. */
  readonly piece?: string | undefined;
};

/** What all of them tell. */
export const info = ({ event_type, run, phase }: About) => ({ severity: 'INFO', event_type, run, phase }) as const;

const of = ({ piece }: About): string => (piece === undefined ? '' : `: ${piece}`);

/** The event at the start of a phase. */
export const phaseStarted = (about: About): NodeEvent => ({
  kind: 'phase start',
  message: `${about.phase} started${of(about)}.`,
  ...info(about),
});

/** `startedAt`: ISO 8601; `now`: milliseconds. */
export const phaseEnded = (about: About, startedAt: string, now: number): NodeEvent => ({
  kind: 'phase end',
  message: `${about.phase} done${of(about)}.`,
  duration_seconds: Math.max(0, (now - Date.parse(startedAt)) / 1000),
  ...info(about),
});
