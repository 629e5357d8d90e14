/** What `sync` does about a run: nothing is ever stuck (DESIGN.md 3.9), whoever owns the run. */
import { isFault } from '../../layers/domain/fault.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import type { Execution } from '../../layers/platform/workflows.ts';
import { failureOf, type Failure } from './failure.ts';
import type { Keeper, Needed, RecordedRun } from './owner.ts';

/** What was done about a run. `stuck`: nothing could be, and somebody has to look. */
export type Deed = 'none' | 'started' | 'failed' | 'stuck';

type Needs<K extends Needed> = K & Pick<Platform, 'workflows'>;

/**
 * Why an execution is over without its owner. One that ended well lets go of its owner: if that names it nevertheless,
 * its record is older than that. Of one that ran out of its time Step Functions tells neither error nor cause.
 */
const reasonOf = ({ kind }: Pick<Keeper, 'kind'>, phase: string, ended: Execution): string => {
  const { status, started_at: start, stopped_at: stop, error, cause } = ended;
  if (status === 'TIMED_OUT') return `it ran from ${start} to ${stop}, and no run may take longer.`;
  if (status !== 'SUCCEEDED') return failureOf(phase, error ?? 'nobody said why', cause).message;
  return `its work was done at ${stop}, and the ${kind}'s record, which names it still, was restored from before.`;
};

/** It fails as its execution ended: what its last state raised is told, but is no error of the phase that is recorded. */
const failureFor = (
  keeper: Pick<Keeper, 'kind'>,
  { run, phase }: RecordedRun,
  ended: Execution | undefined,
): Failure => {
  if (!ended) return { phase, error: 'NeverStarted', message: `The run ${run} was never started.` };
  const { status } = ended;
  return {
    phase,
    error: status,
    message: `The execution ${run} ended as ${status}: ${reasonOf(keeper, phase, ended)}`,
  };
};

/** The client has waited for its answer as long as it could; whoever was to give it is gone. */
const cutOff: Failure = {
  phase: 'the middle of it',
  error: 'CutOff',
  message: 'Whoever worked on it was cut off, so nobody knows whether the machine has done it.',
};

/** How long somebody else may keep a lost run from being failed, ms. The longest power action takes minutes. */
const patience = 60 * 60 * 1000;

const fail = async <K extends Needed>(
  needs: Needs<K>,
  keeper: Keeper<K>,
  about: RecordedRun,
  failure: Failure,
): Promise<Deed> => {
  const { uuid, workflow, run, changed_at } = about;
  const { phase, error: name, message: reason } = failure;
  try {
    await keeper.fail(needs, about, failure);
  } catch (error) {
    // The owner went on meanwhile.
    if (isFault(error) && error.name === 'Superseded') return 'none';
    // Somebody else holds it: the next look decides.
    const isOld = needs.clock.now() - changed_at > patience;
    if (isFault(error) && error.name === 'NodeLocked' && !isOld) return 'none';
    throw error;
  }
  const ended = { [keeper.kind]: uuid, workflow, run, phase, error: name, reason };
  needs.log.warn('A run was failed because its execution is gone.', ended);
  return 'failed';
};

/** Starts a run that was recorded but never started, and fails one whose execution ended without it. */
const mend = async <K extends Needed>(needs: Needs<K>, keeper: Keeper<K>, about: RecordedRun): Promise<Deed> => {
  const { uuid, workflow, run, input, until } = about;
  if (until !== undefined) return needs.clock.now() < until ? 'none' : fail(needs, keeper, about, cutOff);
  const execution = await needs.workflows.describe(workflow, run);
  if (execution?.status === 'RUNNING') return 'none';
  if (execution || !input) return fail(needs, keeper, about, failureFor(keeper, about, execution));
  if ((await needs.workflows.start(workflow, run, input)) === 'ended') {
    return fail(needs, keeper, about, failureFor(keeper, about, await needs.workflows.describe(workflow, run)));
  }
  needs.log.info('A run that was recorded is started.', { [keeper.kind]: uuid, workflow, run });
  return 'started';
};

/** Looks after all runs of one owner. The trouble of one must not keep others waiting: it is logged, and is `stuck`. */
export const lookAfter = async <K extends Needed>(
  needs: Needs<K>,
  keeper: Keeper<K>,
  uuid: string,
): Promise<Deed[]> => {
  try {
    const runs = await keeper.read(needs, uuid);
    return await Promise.all(runs.map(async (run) => mend(needs, keeper, run)));
  } catch (error) {
    needs.log.error('Runs could not be looked after.', { [keeper.kind]: uuid, error });
    return ['stuck'];
  }
};
