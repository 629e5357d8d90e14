/** A function as Step Functions, EventBridge or another function calls it: by its event, not by HTTP. */
import type { Context } from 'aws-lambda';

import { isFault } from '../../domain/fault.ts';
import type { Invocation, Log } from '../platform.ts';

type App = (event: unknown, invocation: Invocation) => Promise<object>;

/**
 * What a caller learns of an error: its name, which the ASL matches, and its message. Lambda hands on the stack as well if
 * there is one, and it would stand in the history and the log of the execution.
 */
const toldOf = (error: unknown): Error => {
  if (!(error instanceof Error)) {
    return toldOf(new Error(typeof error === 'string' ? error : 'What was thrown is no error.'));
  }
  const { name, message } = error;
  return Object.assign(new Error(message), { name, stack: '' });
};

/** A mistake of ours, and no fault of what is asked or of whoever asks. */
const isUnexpected = (error: unknown): boolean => !isFault(error) || error.code === 500;

/** The handler of a function. It throws what `app` throws, without its stack and causes, which are in the log. */
export const toInvoked =
  (app: App, log: Pick<Log, 'error'>) =>
  async (event: unknown, { awsRequestId: request_id, getRemainingTimeInMillis }: Context): Promise<object> => {
    try {
      return await app(event, { request_id, remaining_ms: () => getRemainingTimeInMillis() });
    } catch (error) {
      if (isUnexpected(error)) log.error('The invocation failed.', { request_id, error });
      throw toldOf(error);
    }
  };
