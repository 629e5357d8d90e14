/**
 * What can happen to a run: `apply` gives it one stimulus and lets it move on. What it rests in afterwards says which
 * calls and timers the world owes it (`engine.ts`).
 */
import type { Json } from './expression.ts';
import { limit } from './behaviour.ts';
import type { Exit } from './language.ts';
import { beget, drive, end, toFailure } from './machine.ts';
import {
  addEvent,
  dueOf,
  nextDue,
  stateOf,
  type Branch,
  type Failure,
  type Run,
  type Step,
  type TaskDoing,
} from './run.ts';

export type Stimulus =
  | { readonly is: 'begin' }
  /** Time has passed. */
  | { readonly is: 'tick' }
  /** The function that was called for this attempt answered, or failed. */
  | { readonly is: 'returned'; readonly attempt: number; readonly result: Json }
  | { readonly is: 'threw'; readonly attempt: number; readonly failure: Failure }
  /** Somebody used a token. */
  | { readonly is: 'succeeded'; readonly token: string; readonly output: Json }
  | { readonly is: 'failed'; readonly token: string; readonly failure: Failure }
  | { readonly is: 'heartbeat'; readonly token: string }
  | { readonly is: 'stop'; readonly failure: Failure };

const fail = (step: Step, branch: Branch, type: 'TaskFailed' | 'TaskTimedOut', failure: Failure) => {
  addEvent(step, type, branch.state, failure);
  branch.doing = { is: 'failed', ...failure };
};

const succeed = (step: Step, branch: Branch, result: Json) => {
  try {
    limit(result, 'The result');
    addEvent(step, 'TaskSucceeded', branch.state);
    branch.doing = { is: 'done', exit: stateOf(step.machine, step.run, branch) as Exit, result };
  } catch (error) {
    fail(step, branch, 'TaskFailed', toFailure(error));
  }
};

const tick = (step: Step) => {
  const { run, now } = step;
  if (run.deadline_at !== undefined && run.deadline_at <= now) {
    return end(step, 'TIMED_OUT');
  }
  const due = run.branches.filter((branch) => dueOf(branch) <= now).sort((a, b) => dueOf(a) - dueOf(b));
  for (const branch of due) {
    const { doing } = branch;
    if (doing.is === 'backoff') branch.doing = { is: 'ready' };
    // A missed heartbeat too; Step Functions gives no cause with either.
    if (doing.is === 'task') fail(step, branch, 'TaskTimedOut', { error: 'States.Timeout', cause: '' });
  }
};

const returned = (step: Step, branch: Branch, doing: TaskDoing, result: Json) => {
  if (doing.token === undefined) {
    return succeed(step, branch, { ExecutedVersion: '$LATEST', Payload: result, StatusCode: 200 });
  }
  addEvent(step, 'TaskSubmitted', branch.state);
  branch.doing = { ...doing, submitted: true };
};

const target = (run: Run, stimulus: Stimulus): Branch | undefined =>
  run.branches.find(({ doing }) => {
    if (doing.is !== 'task') return false;
    return 'attempt' in stimulus
      ? doing.attempt === stimulus.attempt
      : 'token' in stimulus && doing.token === stimulus.token;
  });

const touch = (step: Step, branch: Branch, stimulus: Stimulus): void => {
  const doing = branch.doing as TaskDoing;
  if (stimulus.is === 'returned') returned(step, branch, doing, stimulus.result);
  else if (stimulus.is === 'succeeded') succeed(step, branch, stimulus.output);
  else if (stimulus.is === 'threw' || stimulus.is === 'failed') fail(step, branch, 'TaskFailed', stimulus.failure);
  else if (doing.heartbeat_ms) branch.doing = { ...doing, heartbeat_at: step.now + doing.heartbeat_ms };
};

/**
 * Gives the run of `step` one stimulus and drives it until every branch rests or it has ended. Returns whether the
 * stimulus met what it was meant for: a late answer or a used token meets nothing and changes nothing.
 */
export const apply = async (step: Step, stimulus: Stimulus): Promise<boolean> => {
  const { run } = step;
  if (run.status !== 'RUNNING') return false;
  if (stimulus.is === 'begin') {
    addEvent(step, 'ExecutionStarted');
    beget(step, { index: 0 }, run.input);
  } else if (stimulus.is === 'tick') {
    if (nextDue(run) > step.now) return false;
    tick(step);
  } else if (stimulus.is === 'stop') {
    end(step, 'ABORTED', stimulus.failure);
  } else {
    const branch = target(run, stimulus);
    if (!branch) return false;
    touch(step, branch, stimulus);
  }
  await drive(step);
  return true;
};
