/** How much AWS takes, and what callers are told who send more: by API Gateway there, by local/gateway here. */
import { type Fault, TooLarge } from '../layers/domain/fault.ts';
import type { Protocol } from '../layers/http/protocol.ts';

/** API Gateway takes 10 MB (its quota "payload size"). */
export const maxBody = 10 * 1024 * 1024;
/** Lambda takes 6 MB for a synchronous invocation, counted in the JSON text of the event. */
export const maxEvent = 6 * 1024 * 1024;

/** The refusal of a body that does not get through, with what the API has instead (413). */
export const tooLarge = ({ largeBodies }: Protocol): Fault =>
  TooLarge(['Request body too large: at most 6 MB can be sent.', ...(largeBodies ? [largeBodies] : [])].join(' '));
