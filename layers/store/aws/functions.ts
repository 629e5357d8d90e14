/** Calls to other functions through AWS Lambda. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';

import { Fault, Unavailable } from '../../domain/fault.ts';
import type { Functions } from '../ports.ts';

// For ports.ts, which loads this file when it is needed, with the client.
export { LambdaClient };

type Needs = {
  readonly client: LambdaClient;
  /** The Lambda name or ARN of each function that may be called. */
  readonly functions: Readonly<Record<string, string>>;
};

type FailurePayload = { readonly errorType?: string; readonly errorMessage?: string };

const parse = (payload: Uint8Array | undefined): unknown => {
  const text = new TextDecoder().decode(payload);
  return text === '' ? undefined : JSON.parse(text);
};

/**
 * Invokes and waits. A function that failed is a Fault with its error's name and message (500); one that could not be
 * called is Unavailable (503), one that nobody named FunctionUnknown (500).
 */
export const createAwsFunctions = ({ client, functions }: Needs): Functions => ({
  invoke: async (name, payload) => {
    const FunctionName = functions[name];
    if (!FunctionName)
      throw new Fault('FunctionUnknown', 500, `This function may not call ${name}, or does not know it.`);
    const command = new InvokeCommand({ FunctionName, Payload: JSON.stringify(payload) });
    const { FunctionError, Payload } = await client.send(command).catch((error: unknown) => {
      throw Unavailable(`Function ${name} could not be called (${(error as Error).name}), try again.`, error);
    });
    const answer = parse(Payload);
    if (!FunctionError) return answer;
    const { errorType = FunctionError, errorMessage = `Function ${name} failed.` } = (answer ?? {}) as FailurePayload;
    throw new Fault(errorType, 500, errorMessage);
  },
});
