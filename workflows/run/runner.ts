/** Runs one phase of a workflow for Step Functions; one named state of the ASL file is one phase. */
import { Fault } from '../../layers/domain/fault.ts';
import type { Invocation, Platform } from '../../layers/platform/platform.ts';
import { failureOf } from './failure.ts';
import type { Call, Owner } from './owner.ts';
import type { Ended, Phase } from './phase.ts';

const PhaseUnknown = (what: string) => new Fault('PhaseUnknown', 500, what);

const callOf = <W, C extends Call, P extends Phase<X, O>, X, O extends Ended>(
  { call }: Owner<W, C, P, X, O>,
  event: unknown,
): C => {
  const { data, error } = call.safeParse(event);
  if (error) throw PhaseUnknown(`The ASL sent what no phase takes: ${error.message}`);
  return data;
};

const phaseOf = async <W, C extends Call, P extends Phase<X, O>, X, O extends Ended>(
  owner: Owner<W, C, P, X, O>,
  { workflow, phase }: C,
): Promise<P> => {
  const phases = (await owner.phases(workflow)) ?? {};
  const found = Object.hasOwn(phases, phase) ? phases[phase] : undefined;
  if (found) return found;
  throw PhaseUnknown(`Workflow ${workflow} of a ${owner.kind} has no phase ${phase}.`);
};

/**
 * What serves the states of one owner's workflows. It answers the small object that the next Choice reads, or for the
 * Fail state what the console shows, and throws what the ASL retries or catches: PhaseUnknown, Superseded, NodeLocked,
 * Pending, and what the phases throw.
 */
export const createRunner =
  <W extends Pick<Platform, 'workflows'>, C extends Call, P extends Phase<X, O>, X, O extends Ended>(
    owner: Owner<W, C, P, X, O>,
  ) =>
  async (world: W, event: unknown, invocation: Invocation): Promise<object> => {
    const call = callOf(owner, event);
    const { failed, token } = call;
    if (failed) {
      const failure = failureOf(failed.phase, failed.Error, failed.Cause);
      return { error: failure.error, cause: await owner.abandon(world, call, failure, invocation) };
    }
    const phase = await phaseOf(owner, call);
    const work = { call, phase, invocation };
    if (await owner.rests?.(world, work)) return {};
    const context = await owner.hold(world, work);
    const outcome = await phase.run(context).catch(async (error: unknown) => {
      throw await owner.judge(world, work, context, error);
    });
    await owner.tell(world, work, outcome);
    if (outcome.is === 'wait') return {};
    if (token) await world.workflows.succeed(token, outcome.output);
    return outcome.output;
  };
