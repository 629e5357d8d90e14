/**
 * Runs one phase of a server's run for Step Functions, and takes events of nodes: those that a run waits for, and what
 * becomes of machines without one. What an event is, its members say: `workflow`, or `detail-type`.
 */
import { Fault } from '../../layers/domain/fault.ts';
import type { Invocation } from '../../layers/platform/platform.ts';
import { serverWorkflows } from '../../workflows/index.ts';
import { createServerOwner } from '../../workflows/owners/server/index.ts';
import type { World } from '../../workflows/owners/server/phase.ts';
import { createRunner } from '../../workflows/run/runner.ts';
import type { Config } from './config.ts';
import { nodeEvent, takeEvent } from './event.ts';

export type Deps = Omit<World, 'settings'>;

const run = createRunner(createServerOwner(serverWorkflows));

type Event = { readonly workflow?: unknown } | null | undefined;

/** Answers the small object that the next Choice reads. Throws what the ASL retries or catches. */
export const create = (platform: Deps, settings: Config) => async (event: unknown, invocation: Invocation) => {
  const { workflow } = (event as Event) ?? {};
  if (typeof workflow === 'string') return run({ ...platform, settings }, event, invocation);
  const told = nodeEvent.safeParse(event);
  if (told.success) return takeEvent(platform, told.data, invocation);
  throw new Fault('PhaseUnknown', 500, 'This is no phase of a run of a server, and no event of a node.');
};
