import type { Case } from './case.ts';

export const failCases: readonly Case[] = [
  {
    says: 'Fail ends the execution with its Error and Cause',
    states: { A: { Type: 'Fail', Error: 'Broken', Cause: 'It broke.' } },
    error: 'Broken',
    cause: 'It broke.',
    types: 'ExecutionStarted FailStateEntered ExecutionFailed',
  },
  {
    says: 'Error and Cause may be expressions',
    states: { A: { Type: 'Fail', Error: '{% $states.input.e %}', Cause: '{% "because " & $states.input.c %}' } },
    input: { e: 'Odd', c: 'of that' },
    error: 'Odd',
    cause: 'because of that',
  },
  {
    says: 'a Cause must be a string',
    states: { A: { Type: 'Fail', Cause: '{% 5 %}' } },
    error: 'States.QueryEvaluationError',
  },
  { says: 'Fail needs neither Error nor Cause', states: { A: { Type: 'Fail' } }, status: 'FAILED' },
];
