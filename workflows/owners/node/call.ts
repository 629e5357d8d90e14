/** What the ASL states of nodes send. */
import * as z from 'zod';

import { anyCall, type Work } from '../../run/owner.ts';
import type { Answers } from '../../run/phase.ts';
import type { About } from '../../run/history.ts';
import type { Phase } from './phase.ts';
import type { NodeWorkflow } from './workflow.ts';

/** `timeout` comes from power, `boot` (1, 2) from those that boot the ramdisk, which is tried twice. */
export const nodeCall = anyCall
  .extend({
    node: z.string(),
    run: z.string(),
    timeout: z.number().positive().nullish(),
    boot: z.number().int().positive().optional(),
  })
  .transform(({ node, ...call }) => ({ ...call, uuid: node }));

export type NodeCall = z.output<typeof nodeCall>;

/** One call of one phase, with the row of its workflow. */
export type Job = Work<NodeCall, Phase<Answers>> & { readonly row: NodeWorkflow };

/** What the history says of it. */
export const aboutJob = ({ call: { run, phase }, row: { event_type } }: Pick<Job, 'call' | 'row'>): About => ({
  event_type,
  run,
  phase,
});
