import type { Case } from './case.ts';

/** Pass and Succeed, and with them Output, Assign, expressions and variables. */
export const passCases: readonly Case[] = [
  {
    says: 'Pass gives its input on',
    states: { A: { Type: 'Pass', End: true } },
    input: { a: [1, { b: null }] },
    output: { a: [1, { b: null }] },
    types: 'ExecutionStarted PassStateEntered PassStateExited ExecutionSucceeded',
  },
  {
    says: 'Output replaces what is given on; expressions stand anywhere in it',
    states: { A: { Type: 'Pass', Output: { n: '{% $states.input.n + 1 %}', list: ['x', '{% 2 * 3 %}'] }, End: true } },
    input: { n: 4 },
    output: { n: 5, list: ['x', 6] },
  },
  {
    says: 'Output may be any JSON value, without an expression too',
    states: { A: { Type: 'Pass', Output: 7, End: true } },
    output: 7,
    validator: 'it wants Output to be an object or an expression',
  },
  {
    says: 'an expression that gives nothing fails the execution',
    states: { A: { Type: 'Pass', Output: '{% $states.input.nothing %}', End: true } },
    error: 'States.QueryEvaluationError',
    cause: 'returned nothing',
    types: 'ExecutionStarted PassStateEntered EvaluationFailed ExecutionFailed',
  },
  {
    says: 'an expression that fails, fails the execution',
    states: { A: { Type: 'Pass', Output: '{% $number("x") %}', End: true } },
    error: 'States.QueryEvaluationError',
  },
  {
    says: 'an expression that gives a function fails the execution',
    states: { A: { Type: 'Pass', Output: '{% $sum %}', End: true } },
    error: 'States.QueryEvaluationError',
    cause: 'a function',
  },
  {
    says: 'a field of an object constructor that has no value is left out',
    states: { A: { Type: 'Pass', Output: '{% {"a": $states.input.nothing, "b": 1} %}', End: true } },
    output: { b: 1 },
  },
  {
    says: 'Assign keeps variables for later states',
    states: {
      A: { Type: 'Pass', Assign: { who: '{% $states.input.who %}', n: 1 }, Next: 'B' },
      B: { Type: 'Pass', Output: { gone: true }, Next: 'C' },
      C: { Type: 'Pass', Output: '{% {"who": $who, "n": $n} %}', End: true },
    },
    input: { who: 'me' },
    output: { who: 'me', n: 1 },
  },
  {
    says: 'Assign and Output see the variables as they were when the state began',
    states: {
      A: { Type: 'Pass', Assign: { x: 1, y: 2 }, Next: 'B' },
      B: { Type: 'Pass', Assign: { x: '{% $y %}', y: '{% $x %}' }, Output: { x: '{% $x %}' }, Next: 'C' },
      C: { Type: 'Pass', Output: { before: '{% $states.input.x %}', x: '{% $x %}', y: '{% $y %}' }, End: true },
    },
    output: { before: 1, x: 2, y: 1 },
  },
  {
    says: 'the context object tells of execution, state and machine',
    states: {
      A: {
        Type: 'Pass',
        Output: {
          name: '{% $states.context.Execution.Name %}',
          input: '{% $states.context.Execution.Input.a %}',
          id: '{% $states.context.Execution.Id %}',
          start: '{% $states.context.Execution.StartTime %}',
          state: '{% $states.context.State.Name %}',
          entered: '{% $states.context.State.EnteredTime %}',
          retries: '{% $states.context.State.RetryCount %}',
          machine: '{% $states.context.StateMachine.Name %}',
        },
        End: true,
      },
    },
    input: { a: 'b' },
    output: {
      name: 'one',
      input: 'b',
      id: 'arn:aws:states:local:000000000000:execution:machine:one',
      start: '2026-01-01T00:00:00.000Z',
      state: 'A',
      entered: '2026-01-01T00:00:00.000Z',
      retries: 0,
      machine: 'machine',
    },
  },
  {
    says: 'the functions that Step Functions adds to JSONata are there',
    states: {
      A: {
        Type: 'Pass',
        Output: {
          partition: '{% $partition([1,2,3], 2) %}',
          range: '{% $range(0, 6, 3) %}',
          hash: "{% $hash('ingot', 'SHA-256') %}",
          parse: '{% $parse(\'{"a":1}\').a %}',
          random: '{% $random() %}',
          uuid: '{% $uuid() %}',
          now: '{% $now() %}',
          millis: '{% $millis() %}',
        },
        End: true,
      },
    },
    fraction: 0.25,
    output: {
      partition: [[1, 2], [3]],
      range: [0, 3, 6],
      hash: 'd4bb82fff55f8e2be7f952e43e7c81ef979748c62821459a505f5402fd05b084',
      parse: 1,
      random: 0.25,
      uuid: 'uuid-1',
      now: '2026-01-01T00:00:00.000Z',
      millis: 1767225600000,
    },
  },
  {
    says: 'an output larger than 256 KiB is States.DataLimitExceeded',
    states: { A: { Type: 'Pass', Output: '{% $pad("", 262145, "x") %}', End: true } },
    error: 'States.DataLimitExceeded',
  },
  {
    says: 'an output of exactly 256 KiB is not',
    states: {
      A: { Type: 'Pass', Output: '{% $pad("", 262142, "x") %}', Next: 'B' },
      B: { Type: 'Pass', Output: '{% "ok" %}', End: true },
    },
    output: 'ok',
  },
  {
    says: 'a loop ends with the 25,000th event of the history',
    states: {
      A: { Type: 'Choice', Choices: [{ Condition: '{% $states.input.never %}', Next: 'B' }], Default: 'A' },
      B: { Type: 'Succeed' },
    },
    input: { never: false },
    error: 'States.Runtime',
    cause: '25000',
  },
  {
    says: 'Succeed ends the execution with its Output',
    states: { A: { Type: 'Succeed', Output: { all: '{% $states.input.a %}' } } },
    input: { a: 1 },
    output: { all: 1 },
    types: 'ExecutionStarted SucceedStateEntered SucceedStateExited ExecutionSucceeded',
  },
  {
    says: 'Succeed without Output gives its input',
    states: { A: { Type: 'Succeed' } },
    input: { a: 1 },
    output: { a: 1 },
  },
];
