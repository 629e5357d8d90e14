/** The events that runs leave on the node (layers/store/events.ts): what it went through, and how long it took. */
import { plainText } from '../../../layers/domain/foreign-text.ts';
import type { NodeEvent } from '../../../layers/store/events.ts';

/** Which phase of which run an event is about. */
export type About = {
  /** Of the workflow's row. */
  readonly event_type: string;
  readonly run: string;
  readonly phase: string;
  /** Which step, of a phase that is there for many. */
  readonly piece?: string | undefined;
};

const info = ({ event_type, run, phase }: About) => ({ severity: 'INFO', event_type, run, phase }) as const;

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

/** A try that failed and is made again. */
export const phaseAttempted = (about: About, message: string): NodeEvent => ({
  kind: 'attempt',
  message: `${about.phase} is tried again: ${plainText(message)}`,
  ...info(about),
});

/** What a BMC would not tell, and the run does without. */
export const notRead = (about: About, what: string, message: string): NodeEvent => ({
  kind: 'attempt',
  message: `${what} could not be read: ${plainText(message)}`,
  ...info(about),
});

/** The agent of this boot has no medium to get its token by. */
export const weakToken = (about: About, why: string): NodeEvent => ({
  kind: 'agent',
  message: `The agent has to ask for its token, because ${why}: anybody in agent_networks who knows a MAC address could be first.`,
  ...info(about),
});

/** What an inspection did besides, or left alone. */
export const inspectionNote = (about: About, message: string): NodeEvent => ({
  kind: 'phase end',
  message,
  ...info(about),
});

/** The end of the run. `message` is what `last_error` says. */
export const runFailed = (about: About, message: string): NodeEvent => ({
  ...info(about),
  kind: 'error',
  severity: 'ERROR',
  message,
});
