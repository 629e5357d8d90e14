/** Calls to other functions through AWS Lambda. */
import { Fault, Unavailable } from '../../domain/fault.ts';
import type { Functions } from '../platform.ts';
import { createSender, encodeSegment, type Site } from './signed.ts';

type Needs = {
  readonly site?: Site;
  /** The Lambda name or ARN of each function that may be called. */
  readonly functions: Readonly<Record<string, string>>;
};

type FailurePayload = { readonly errorType?: string; readonly errorMessage?: string };

const parse = (payload: Buffer): unknown => (payload.length === 0 ? undefined : JSON.parse(payload.toString()));

/** Longer than any function here may run (infra/manifest.ts), ms. */
const silence = 300_000;

/**
 * Invokes and waits. A function that failed is a Fault with its error's name and message (500); one that could not be
 * called is Unavailable (503), one that nobody named FunctionUnknown (500).
 */
export const createAwsFunctions = ({ site = {}, functions }: Needs): Functions => {
  // Sent once: a function may still be at work when its answer gets lost, and the workflow repeats its phase itself.
  const sender = createSender({ name: 'lambda', attempts: 1, silence, ...site });
  return {
    invoke: async (name, payload) => {
      const id = functions[name];
      if (!id) throw new Fault('FunctionUnknown', 500, `This function may not call ${name}, or does not know it.`);
      const path = `/2015-03-31/functions/${encodeSegment(id)}/invocations`;
      const request = { method: 'POST', path, body: JSON.stringify(payload) } as const;
      const { headers, body } = await sender.send(request).catch((error: unknown) => {
        throw Unavailable(`Function ${name} could not be called (${(error as Error).name}), try again.`, error);
      });
      const failure = headers['x-amz-function-error'];
      const answer = parse(body);
      if (failure === undefined) return answer;
      const { errorType = failure, errorMessage = `Function ${name} failed.` } = (answer ?? {}) as FailurePayload;
      throw new Fault(errorType, 500, errorMessage);
    },
  };
};
