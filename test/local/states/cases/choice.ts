import type { Case } from './case.ts';

const end = (Output: unknown) => ({ Type: 'Pass', Output, End: true });

export const choiceCases: readonly Case[] = [
  {
    says: 'Choice goes where the first rule that holds says',
    states: {
      A: {
        Type: 'Choice',
        Choices: [
          { Condition: '{% $states.input.n > 10 %}', Next: 'Big' },
          { Condition: '{% $states.input.n > 5 %}', Next: 'Middle' },
        ],
        Default: 'Small',
      },
      Big: end('{% "big" %}'),
      Middle: end('{% "middle" %}'),
      Small: end('{% "small" %}'),
    },
    input: { n: 7 },
    output: 'middle',
    entered: ['A', 'Middle'],
    types: `
      ExecutionStarted ChoiceStateEntered ChoiceStateExited PassStateEntered PassStateExited
      ExecutionSucceeded`,
  },
  {
    says: 'Choice goes to Default when no rule holds, with the Output and Assign of the state',
    states: {
      A: {
        Type: 'Choice',
        Choices: [{ Condition: '{% false %}', Next: 'B', Output: '{% "of the rule" %}', Assign: { v: 'of the rule' } }],
        Default: 'B',
        Output: '{% "of the state" %}',
        Assign: { v: 'of the state, too' },
      },
      B: { Type: 'Pass', Output: '{% [$states.input, $v] %}', End: true },
    },
    output: ['of the state', 'of the state, too'],
  },
  {
    says: 'a rule that holds uses its own Output and Assign',
    states: {
      A: {
        Type: 'Choice',
        Choices: [
          { Condition: true, Next: 'B', Output: '{% $states.input.x %}', Assign: { v: '{% $states.input.y %}' } },
        ],
        Default: 'B',
        Output: '{% "of the state" %}',
      },
      B: { Type: 'Pass', Output: '{% [$states.input, $v] %}', End: true },
    },
    input: { x: 1, y: 2 },
    output: [1, 2],
    validator: 'it wants a Condition to be a string',
  },
  {
    says: 'no rule that holds and no Default is States.NoChoiceMatched',
    states: { A: { Type: 'Choice', Choices: [{ Condition: '{% 1 = 2 %}', Next: 'B' }] }, B: end('{% 1 %}') },
    error: 'States.NoChoiceMatched',
  },
  {
    says: 'a Condition must be true or false, nothing that looks like it',
    states: { A: { Type: 'Choice', Choices: [{ Condition: '{% 1 %}', Next: 'B' }], Default: 'B' }, B: end('{% 1 %}') },
    error: 'States.QueryEvaluationError',
    cause: 'must be true or false',
  },
];
