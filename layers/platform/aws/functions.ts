/** Calls to other functions through AWS Lambda. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';

import { Fault, Unavailable } from '../../domain/fault.ts';
import type { Functions } from '../platform.ts';
import { settingsOf, type Site, withoutWords } from './client.ts';

type Needs = {
  readonly site?: Site;
  /** The Lambda name or ARN of each function that may be called. */
  readonly functions: Readonly<Record<string, string>>;
};

type FailurePayload = { readonly errorType?: string; readonly errorMessage?: string };

/** The client gives null, which its types do not say, for an answer without a body. */
const parse = (payload: Uint8Array | null | undefined): unknown =>
  payload?.length ? JSON.parse(Buffer.from(payload).toString()) : undefined;

/** Longer than any function here may run (infra/manifest.ts), ms. */
const silence = 300_000;

/**
 * Invokes and waits. A function that failed is a Fault with its error's name and message (500); one that could not be
 * called is Unavailable (503), one that nobody named FunctionUnknown (500).
 */
export const createAwsFunctions = ({ site = {}, functions }: Needs): Functions => {
  // Sent once: a function may still be at work when its answer gets lost, and the workflow repeats its phase itself.
  const client = new LambdaClient(settingsOf({ attempts: 1, silence, ...site }));
  return {
    invoke: async (name, payload) => {
      const id = functions[name];
      if (!id) throw new Fault('FunctionUnknown', 500, `This function may not call ${name}, or does not know it.`);
      const command = new InvokeCommand({ FunctionName: id, Payload: JSON.stringify(payload) });
      const { FunctionError: failure, Payload } = await client.send(command).catch((error: Error) => {
        const reason = `Function ${name} could not be called (${error.name}), try again.`;
        throw Unavailable(reason, withoutWords(error));
      });
      const answer = parse(Payload);
      if (failure === undefined) return answer;
      const { errorType = failure, errorMessage = `Function ${name} failed.` } = (answer ?? {}) as FailurePayload;
      throw new Fault(errorType, 500, errorMessage);
    },
  };
};
