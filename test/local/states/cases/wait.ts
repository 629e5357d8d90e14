import type { Case } from './case.ts';

export const waitCases: readonly Case[] = [
  {
    says: 'Wait lasts its Seconds',
    states: { A: { Type: 'Wait', Seconds: 3600, End: true } },
    input: { a: 1 },
    output: { a: 1 },
    seconds: 3600,
    types: 'ExecutionStarted WaitStateEntered WaitStateExited ExecutionSucceeded',
  },
  {
    says: 'Seconds may be an expression',
    states: { A: { Type: 'Wait', Seconds: '{% $states.input.pause * 2 %}', End: true } },
    input: { pause: 30 },
    seconds: 60,
  },
  {
    says: 'Seconds must be whole and not negative',
    states: { A: { Type: 'Wait', Seconds: '{% 0 - 1 %}', End: true } },
    error: 'States.QueryEvaluationError',
  },
  {
    says: 'Seconds that are not a number are no wait',
    states: { A: { Type: 'Wait', Seconds: '{% "5" %}', End: true } },
    error: 'States.QueryEvaluationError',
  },
  {
    says: 'Wait lasts until its Timestamp',
    states: { A: { Type: 'Wait', Timestamp: '2026-01-01T01:00:00Z', End: true } },
    seconds: 3600,
  },
  {
    says: 'Timestamp may be an expression, and a time that has passed does not wait',
    states: { A: { Type: 'Wait', Timestamp: '{% $states.input.at %}', End: true } },
    input: { at: '2020-01-01T00:00:00+01:00' },
    seconds: 0,
  },
  {
    says: 'a Timestamp that is no time is refused',
    states: { A: { Type: 'Wait', Timestamp: '{% "tomorrow" %}', End: true } },
    error: 'States.QueryEvaluationError',
    cause: 'RFC 3339',
  },
  {
    says: 'Wait may assign and have an Output',
    states: {
      A: { Type: 'Wait', Seconds: 0, Assign: { v: 1 }, Output: '{% 2 %}', Next: 'B' },
      B: { Type: 'Pass', Output: '{% [$v, $states.input] %}', End: true },
    },
    output: [1, 2],
    seconds: 0,
  },
  {
    says: 'an execution that outlasts its TimeoutSeconds is TIMED_OUT, without error or cause',
    states: { A: { Type: 'Wait', Seconds: 100, End: true } },
    more: { TimeoutSeconds: 60 },
    status: 'TIMED_OUT',
    silent: true,
    seconds: 60,
    types: 'ExecutionStarted WaitStateEntered ExecutionTimedOut',
  },
];
