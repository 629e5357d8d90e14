/** The events that runs leave on the node besides those of every run: attempts, failures, what was found. */
import { plainText } from '../../../layers/domain/foreign-text.ts';
import type { NodeEvent } from '../../../layers/store/events.ts';
import { type About, info } from '../../run/history.ts';

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

/** What should be undone at the machine and could not be; the run goes on. */
export const notUndone = (about: About, what: string, message: string): NodeEvent => ({
  kind: 'attempt',
  message: `${what} is left: ${plainText(message)}`,
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
