/**
 * The one request to `functions/bmc-proxy` that is about many machines: whether each is on. Reading costs little where it
 * is done for a batch, and nothing of it needs a run.
 */
import * as z from 'zod';

/** How many machines an invocation of the proxy looks at. */
export const surveySize = 100;

/** What the proxy is sent; `survey` tells it from a request for one machine. */
export const powerSurvey = z.strictObject({
  survey: z.literal('power'),
  nodes: z.array(z.string().min(1)).max(surveySize),
});
export type PowerSurvey = z.output<typeof powerSurvey>;

/** What was seen of a machine. `power` null: its BMC says neither on nor off. `fault`: its name, and a message. */
export type PowerSeen =
  | { readonly power: 'power on' | 'power off' | null }
  | { readonly fault: { readonly name: string; readonly message: string } };

/** By node. One that is missing was not looked at: time was up before its turn. */
export type SurveyReply = { readonly seen: { readonly [node: string]: PowerSeen } };
