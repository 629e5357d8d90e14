/** What the ASL states of servers send. */
import * as z from 'zod';

import type { About } from '../../run/history.ts';
import { anyCall, type Work } from '../../run/owner.ts';
import type { ServerPhase } from './phase.ts';
import type { ServerRow } from './workflow.ts';

const failed = z.strictObject({ Error: z.string(), Cause: z.string().optional() });

/** `failure`: what the Catch of an earlier phase kept, for those who undo. */
export const serverCall = anyCall
  .extend({
    server: z.string(),
    run: z.string(),
    failure: z.strictObject({ phase: z.string(), failed }).optional(),
  })
  .strict()
  .transform(({ server, ...call }) => ({ ...call, uuid: server }));

export type ServerCall = z.output<typeof serverCall>;

/** One call of one phase, with the row of its workflow. */
export type Job = Work<ServerCall, ServerPhase> & { readonly row: ServerRow };

/** What the history says of it. */
export const aboutJob = ({ call: { run, phase }, row: { event_type } }: Pick<Job, 'call' | 'row'>): About => ({
  event_type,
  run,
  phase,
});
