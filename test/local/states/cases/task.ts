import { callOf, hangs, waitOf } from '../world.ts';
import type { Case } from './case.ts';

const throws = (name: string, message = 'no') => {
  throw Object.assign(new Error(message), { name });
};
const retry = (more: object) => ({ Retry: [{ ErrorEquals: ['Busy'], ...more }], End: true });
const busyUntil = (last: number) => ({ f: (_: unknown, call: number) => (call < last ? throws('Busy') : call) });
const payload = { Output: '{% $states.result.Payload %}' };

export const taskCases: readonly Case[] = [
  {
    says: 'Task calls its function with the Payload and gives what Lambda answers',
    states: { A: callOf('f') },
    input: { n: 1 },
    script: { f: (input) => ({ got: input }) },
    output: { ExecutedVersion: '$LATEST', Payload: { got: { n: 1 } }, StatusCode: 200 },
    types: `
      ExecutionStarted TaskStateEntered TaskScheduled TaskStarted TaskSucceeded TaskStateExited
      ExecutionSucceeded`,
  },
  {
    says: 'Output and Assign see the result beside the input',
    states: {
      A: callOf('f', { Assign: { kept: '{% $states.result.Payload %}' }, Output: '{% $states.input %}', Next: 'B' }),
      B: { Type: 'Pass', Output: '{% [$states.input, $kept] %}', End: true },
    },
    input: { n: 1 },
    script: { f: () => 'r' },
    output: [{ n: 1 }, 'r'],
  },
  {
    says: 'a function that answers nothing answers null',
    states: { A: callOf('f', { ...payload, End: true }) },
    script: { f: () => undefined },
    output: null,
  },
  {
    says: 'an error that nobody handles fails the execution; its cause is the JSON that Lambda makes of it',
    states: { A: callOf('f') },
    script: { f: () => throws('Refused', 'not so') },
    error: 'Refused',
    cause: '{"errorType":"Refused","errorMessage":"not so"}',
    types: 'ExecutionStarted TaskStateEntered TaskScheduled TaskStarted TaskFailed ExecutionFailed',
  },
  {
    says: 'Retry waits 1, 2 and 4 seconds if it is not told otherwise, then gives up',
    states: { A: callOf('f', retry({})) },
    script: { f: () => throws('Busy') },
    error: 'Busy',
    seconds: 7,
  },
  {
    says: 'Retry calls again until it works',
    states: { A: callOf('f', { ...retry({ IntervalSeconds: 5, BackoffRate: 1, MaxAttempts: 9 }), ...payload }) },
    script: busyUntil(4),
    output: 4,
    seconds: 15,
    types: `
      ExecutionStarted TaskStateEntered TaskScheduled TaskStarted TaskFailed TaskScheduled TaskStarted
      TaskFailed TaskScheduled TaskStarted TaskFailed TaskScheduled TaskStarted TaskSucceeded
      TaskStateExited ExecutionSucceeded`,
  },
  {
    says: 'MaxDelaySeconds bounds the wait',
    states: { A: callOf('f', retry({ IntervalSeconds: 10, BackoffRate: 3, MaxDelaySeconds: 20, MaxAttempts: 4 })) },
    script: { f: () => throws('Busy') },
    error: 'Busy',
    seconds: 10 + 20 + 20 + 20,
  },
  {
    says: 'JitterStrategy FULL waits a random part of it',
    states: { A: callOf('f', retry({ IntervalSeconds: 8, MaxAttempts: 2, JitterStrategy: 'FULL' })) },
    fraction: 0.25,
    script: { f: () => throws('Busy') },
    error: 'Busy',
    seconds: 2 + 4,
  },
  {
    says: 'MaxAttempts 0 does not retry, and no later retrier is asked',
    states: {
      A: callOf('f', {
        Retry: [{ ErrorEquals: ['Busy'], MaxAttempts: 0 }, { ErrorEquals: ['States.ALL'] }],
        End: true,
      }),
    },
    script: { f: () => throws('Busy') },
    error: 'Busy',
    seconds: 0,
  },
  {
    says: 'each retrier counts for itself',
    states: {
      A: callOf('f', {
        Retry: [
          { ErrorEquals: ['One'], IntervalSeconds: 1, MaxAttempts: 2 },
          { ErrorEquals: ['Two'], IntervalSeconds: 100 },
        ],
        End: true,
      }),
    },
    script: { f: (_, call) => throws(call % 2 === 1 ? 'One' : 'Two') },
    error: 'One',
    seconds: 1 + 100 + 2 + 200,
  },
  {
    says: 'RetryCount tells the function which attempt it is',
    states: {
      A: callOf('f', {
        Arguments: { FunctionName: 'f', Payload: '{% $states.context.State.RetryCount %}' },
        ...retry({}),
        ...payload,
      }),
    },
    script: { f: (count) => (count === 2 ? { count } : throws('Busy')) },
    output: { count: 2 },
  },
  {
    says: 'counts begin anew when the state is entered again',
    states: {
      A: callOf('f', {
        Retry: [{ ErrorEquals: ['Busy'], MaxAttempts: 1 }],
        Catch: [{ ErrorEquals: ['Busy'], Next: 'A' }],
        ...payload,
        End: true,
      }),
    },
    script: busyUntil(4),
    output: 4,
    entered: ['A', 'A'],
    seconds: 2,
  },
  {
    says: 'Catch goes on with the error as output',
    states: {
      A: callOf('f', { Catch: [{ ErrorEquals: ['Refused'], Next: 'B' }], End: true }),
      B: { Type: 'Pass', End: true },
    },
    script: { f: () => throws('Refused') },
    output: { Error: 'Refused', Cause: '{"errorType":"Refused","errorMessage":"no"}' },
    entered: ['A', 'B'],
  },
  {
    says: 'a catcher has its own Output and Assign, which see the error and the input',
    states: {
      A: callOf('f', {
        Catch: [
          {
            ErrorEquals: ['States.ALL'],
            Assign: { error: '{% $states.errorOutput.Error %}' },
            Output: '{% $states.input %}',
            Next: 'B',
          },
        ],
        Output: '{% "not this one" %}',
        End: true,
      }),
      B: { Type: 'Pass', Output: '{% [$states.input.n, $error] %}', End: true },
    },
    input: { n: 3 },
    script: { f: () => throws('Refused') },
    output: [3, 'Refused'],
  },
  {
    says: 'the first catcher that names the error is used, after the retries',
    states: {
      A: callOf('f', {
        Retry: [{ ErrorEquals: ['Busy'], MaxAttempts: 1 }],
        Catch: [
          { ErrorEquals: ['Refused'], Next: 'B' },
          { ErrorEquals: ['Busy', 'Other'], Next: 'C' },
          { ErrorEquals: ['States.ALL'], Next: 'B' },
        ],
        End: true,
      }),
      B: { Type: 'Fail' },
      C: { Type: 'Succeed', Output: '{% "c" %}' },
    },
    script: { f: () => throws('Busy') },
    output: 'c',
    seconds: 1,
  },
  {
    says: 'States.TaskFailed is every error of a task but a timeout',
    states: {
      A: callOf('f', { Catch: [{ ErrorEquals: ['States.TaskFailed'], Next: 'B' }], End: true }),
      B: callOf('slow', {
        TimeoutSeconds: 5,
        Catch: [{ ErrorEquals: ['States.TaskFailed'], Next: 'A' }],
        End: true,
      }),
    },
    script: { f: () => throws('Anything'), slow: () => hangs },
    error: 'States.Timeout',
    entered: ['A', 'B'],
  },
  {
    says: 'a task that lasts longer than TimeoutSeconds fails by States.Timeout',
    states: {
      A: callOf('slow', {
        TimeoutSeconds: '{% $states.input.limit %}',
        Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'B' }],
        End: true,
      }),
      B: { Type: 'Pass', End: true },
    },
    input: { limit: 20 },
    script: { slow: () => hangs },
    output: { Error: 'States.Timeout', Cause: '' },
    seconds: 20,
    types: `
      ExecutionStarted TaskStateEntered TaskScheduled TaskStarted TaskTimedOut TaskStateExited
      PassStateEntered PassStateExited ExecutionSucceeded`,
  },
  {
    says: 'a timeout is retried with a timeout of its own',
    states: {
      A: callOf('slow', {
        TimeoutSeconds: 10,
        Retry: [{ ErrorEquals: ['States.Timeout'], MaxAttempts: 1 }],
        End: true,
      }),
    },
    script: { slow: () => hangs },
    error: 'States.Timeout',
    seconds: 10 + 1 + 10,
  },
  {
    says: 'an expression in Arguments that fails can be caught',
    states: {
      A: callOf('f', {
        Arguments: { FunctionName: 'f', Payload: '{% $states.input.nothing %}' },
        Catch: [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'B' }],
        End: true,
      }),
      B: { Type: 'Pass', Output: '{% $states.input.Error %}', End: true },
    },
    output: 'States.QueryEvaluationError',
    entered: ['A', 'B'],
  },
  {
    says: 'so can one in Output, by States.ALL too',
    states: {
      A: callOf('f', {
        Output: '{% $states.result.Payload.nothing %}',
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }],
        End: true,
      }),
      B: { Type: 'Pass', Output: '{% $states.input.Error %}', End: true },
    },
    script: { f: () => ({}) },
    output: 'States.QueryEvaluationError',
  },
  {
    says: 'an expression in a catcher that fails is not caught',
    states: {
      A: callOf('f', {
        Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $states.errorOutput.nothing %}', Next: 'B' }],
        End: true,
      }),
      B: { Type: 'Succeed' },
    },
    script: { f: () => throws('Refused') },
    error: 'States.QueryEvaluationError',
  },
  {
    says: 'a result larger than 256 KiB is caught by States.ALL',
    states: {
      A: callOf('f', { Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }], End: true }),
      B: { Type: 'Succeed', Output: '{% $states.input.Error %}' },
    },
    script: { f: () => 'x'.repeat(262_144) },
    output: 'States.DataLimitExceeded',
  },
  {
    says: 'an Output larger than that is not',
    states: {
      A: callOf('f', {
        Output: '{% $pad("", 262144, "x") %}',
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }],
        End: true,
      }),
      B: { Type: 'Succeed' },
    },
    script: { f: () => null },
    error: 'States.DataLimitExceeded',
  },
  {
    says: 'but by its own name',
    states: {
      A: callOf('f', {
        Output: '{% $pad("", 262144, "x") %}',
        Catch: [{ ErrorEquals: ['States.DataLimitExceeded'], Next: 'B' }],
        End: true,
      }),
      B: { Type: 'Succeed', Output: '{% "caught" %}' },
    },
    script: { f: () => null },
    output: 'caught',
  },
  {
    says: 'States.Runtime is not handled at all',
    states: {
      A: callOf('f', {
        Retry: [{ ErrorEquals: ['States.Runtime'] }],
        Catch: [
          { ErrorEquals: ['States.Runtime', 'Other'], Next: 'B' },
          { ErrorEquals: ['States.ALL'], Next: 'B' },
        ],
        End: true,
      }),
      B: { Type: 'Succeed' },
    },
    script: { f: () => throws('States.Runtime') },
    error: 'States.Runtime',
  },
  {
    says: 'a task with a token waits for it after its function has returned',
    states: { A: waitOf('ask') },
    script: { ask: () => 'ignored' },
    status: 'RUNNING',
    types: 'ExecutionStarted TaskStateEntered TaskScheduled TaskStarted TaskSubmitted',
  },
  {
    says: 'a task with a token fails when its function does',
    states: { A: waitOf('ask') },
    script: { ask: () => throws('Refused') },
    error: 'Refused',
  },
  {
    says: 'a missed heartbeat is States.Timeout, without a cause',
    states: {
      A: waitOf('ask', {
        HeartbeatSeconds: 30,
        TimeoutSeconds: 600,
        Retry: [{ ErrorEquals: ['States.Timeout'], MaxAttempts: 1 }],
        Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'B' }],
        End: true,
      }),
      B: { Type: 'Pass', End: true },
    },
    script: { ask: () => null },
    output: { Error: 'States.Timeout', Cause: '' },
    seconds: 30 + 1 + 30,
  },
  {
    says: 'a TimeoutSeconds that is not a whole number is refused',
    states: { A: callOf('f', { TimeoutSeconds: '{% 1.5 %}', End: true }) },
    error: 'States.QueryEvaluationError',
  },
];
