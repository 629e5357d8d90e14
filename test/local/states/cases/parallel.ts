import { callOf, hangs, waitOf } from '../world.ts';
import type { Case } from './case.ts';

const branch = (name: string, state: object) => ({ StartAt: name, States: { [name]: state } });
const throws = (name: string) => {
  throw Object.assign(new Error('no'), { name });
};

export const parallelCases: readonly Case[] = [
  {
    says: 'Parallel gives its input to each branch and gathers their outputs in order',
    states: {
      P: {
        Type: 'Parallel',
        Branches: [
          branch('Slow', { Type: 'Wait', Seconds: 9, Output: '{% $states.input.n + 1 %}', End: true }),
          branch('Fast', { Type: 'Pass', Output: '{% $states.input.n + 2 %}', End: true }),
        ],
        End: true,
      },
    },
    input: { n: 1 },
    output: [2, 3],
    seconds: 9,
    types: `
      ExecutionStarted ParallelStateEntered ParallelStateStarted WaitStateEntered PassStateEntered
      PassStateExited WaitStateExited ParallelStateSucceeded ParallelStateExited ExecutionSucceeded`,
  },
  {
    says: 'Arguments are what the branches get instead',
    states: {
      P: {
        Type: 'Parallel',
        Arguments: { n: '{% $states.input.n * 10 %}' },
        Branches: [branch('A', { Type: 'Pass', End: true })],
        Output: '{% $states.result[0].n + $states.input.n %}',
        End: true,
      },
    },
    input: { n: 1 },
    output: 11,
  },
  {
    says: 'branches read the variables around them; their own do not leak',
    states: {
      Begin: { Type: 'Pass', Assign: { outer: 1 }, Next: 'P' },
      P: {
        Type: 'Parallel',
        Branches: [
          {
            StartAt: 'A1',
            States: {
              A1: { Type: 'Pass', Assign: { own: '{% $outer + 1 %}' }, Next: 'A2' },
              A2: { Type: 'Pass', Output: '{% $own %}', End: true },
            },
          },
          {
            StartAt: 'B1',
            States: {
              B1: { Type: 'Pass', Assign: { own: '{% $outer + 5 %}' }, Next: 'B2' },
              B2: { Type: 'Pass', Output: '{% $own %}', End: true },
            },
          },
        ],
        Assign: { sums: '{% $states.result %}' },
        Next: 'End',
      },
      End: { Type: 'Pass', Output: { sums: '{% $sums %}', outer: '{% $outer %}' }, End: true },
    },
    output: { sums: [2, 6], outer: 1 },
  },
  {
    says: 'a branch that fails aborts the others and fails the state with its error',
    states: {
      P: {
        Type: 'Parallel',
        Branches: [branch('Waits', { Type: 'Wait', Seconds: 100, End: true }), branch('Fails', callOf('f'))],
        End: true,
      },
    },
    script: { f: () => throws('Refused') },
    error: 'Refused',
    seconds: 0,
    types: `
      ExecutionStarted ParallelStateEntered ParallelStateStarted WaitStateEntered TaskStateEntered
      TaskScheduled TaskStarted TaskFailed WaitStateAborted ParallelStateFailed ExecutionFailed`,
  },
  {
    says: 'Retry runs all branches again, Catch goes on',
    states: {
      P: {
        Type: 'Parallel',
        Branches: [branch('F', callOf('f')), branch('G', callOf('g'))],
        Retry: [{ ErrorEquals: ['Busy'], MaxAttempts: 1 }],
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }],
        End: true,
      },
      B: { Type: 'Pass', Output: '{% $states.input.Error %}', End: true },
    },
    script: { f: () => 1, g: () => throws('Busy') },
    output: 'Busy',
    entered: ['P', 'F', 'G', 'F', 'G', 'B'],
    seconds: 1,
  },
  {
    says: 'a Succeed state ends its branch, a Fail state all of them',
    states: {
      P: {
        Type: 'Parallel',
        Branches: [
          branch('S', { Type: 'Succeed', Output: '{% 1 %}' }),
          branch('W', waitOf('ask')),
          branch('F', { Type: 'Fail', Error: 'Stop' }),
        ],
        Catch: [{ ErrorEquals: ['Stop'], Next: 'B' }],
        End: true,
      },
      B: { Type: 'Succeed', Output: '{% "caught" %}' },
    },
    script: { ask: () => null },
    output: 'caught',
  },
  {
    says: 'branches may hold Parallel and Map states',
    states: {
      P: {
        Type: 'Parallel',
        Branches: [
          branch('Inner', {
            Type: 'Parallel',
            Branches: [branch('X', { Type: 'Pass', Output: '{% "x" %}', End: true })],
            End: true,
          }),
          branch('Each', {
            Type: 'Map',
            Items: [1, 2],
            ItemProcessor: branch('Y', { Type: 'Pass', Output: '{% $states.input * 2 %}', End: true }),
            End: true,
          }),
        ],
        End: true,
      },
    },
    output: [['x'], [2, 4]],
  },
];

export const mapCases: readonly Case[] = [
  {
    says: 'Map runs its processor for each item and gathers the outputs in order',
    states: {
      M: {
        Type: 'Map',
        Items: '{% $states.input.list %}',
        ItemProcessor: branch('Each', { Type: 'Wait', Seconds: '{% $states.input %}', End: true }),
        End: true,
      },
    },
    input: { list: [3, 1] },
    output: [3, 1],
    seconds: 3,
    types: `
      ExecutionStarted MapStateEntered MapStateStarted MapIterationStarted WaitStateEntered
      MapIterationStarted WaitStateEntered WaitStateExited MapIterationSucceeded WaitStateExited
      MapIterationSucceeded MapStateSucceeded MapStateExited ExecutionSucceeded`,
  },
  {
    says: 'ItemSelector makes the input of an iteration from item, index and the input of the state',
    states: {
      M: {
        Type: 'Map',
        Items: ['a', 'b'],
        ItemSelector: {
          item: '{% $states.context.Map.Item.Value %}',
          at: '{% $states.context.Map.Item.Index %}',
          more: '{% $states.input.more %}',
        },
        ItemProcessor: { ProcessorConfig: { Mode: 'INLINE' }, ...branch('Each', { Type: 'Pass', End: true }) },
        End: true,
      },
    },
    input: { more: true },
    output: [
      { item: 'a', at: 0, more: true },
      { item: 'b', at: 1, more: true },
    ],
  },
  {
    says: 'states inside see the item in the context too',
    states: {
      M: {
        Type: 'Map',
        Items: ['a', 'b'],
        ItemProcessor: branch('Each', { Type: 'Pass', Output: '{% $states.context.Map.Item.Index %}', End: true }),
        End: true,
      },
    },
    output: [0, 1],
  },
  {
    says: 'MaxConcurrency bounds how many are under way',
    states: {
      M: {
        Type: 'Map',
        Items: '{% [1..7] %}',
        MaxConcurrency: '{% 2 %}',
        ItemProcessor: branch('Each', { Type: 'Wait', Seconds: 10, End: true }),
        End: true,
      },
    },
    output: [1, 2, 3, 4, 5, 6, 7],
    seconds: 40,
  },
  {
    says: 'without it 40 iterations run at a time, as on AWS',
    states: {
      M: {
        Type: 'Map',
        Items: '{% [1..81] %}',
        ItemProcessor: branch('Each', { Type: 'Wait', Seconds: 10, Output: '{% 0 %}', End: true }),
        Output: '{% $count($states.result) %}',
        End: true,
      },
    },
    output: 81,
    seconds: 30,
  },
  {
    says: 'without Items the input is the list; nothing to do is done at once',
    states: { M: { Type: 'Map', ItemProcessor: branch('Each', { Type: 'Fail' }), End: true } },
    input: [],
    output: [],
  },
  {
    says: 'Items that are no list can be caught',
    states: {
      M: {
        Type: 'Map',
        Items: '{% 5 %}',
        ItemProcessor: branch('Each', { Type: 'Pass', End: true }),
        Catch: [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'B' }],
        End: true,
      },
      B: { Type: 'Succeed', Output: '{% "caught" %}' },
    },
    output: 'caught',
  },
  {
    says: 'an iteration that fails aborts the others and fails the state with its error',
    states: {
      M: {
        Type: 'Map',
        Items: [1, 2],
        ItemProcessor: branch('Each', callOf('f')),
        Catch: [{ ErrorEquals: ['Odd'], Next: 'B' }],
        End: true,
      },
      B: { Type: 'Pass', Output: '{% $states.input.Error %}', End: true },
    },
    script: { f: async (item) => (item === 1 ? hangs : throws('Odd')) },
    output: 'Odd',
    types: `
      ExecutionStarted MapStateEntered MapStateStarted MapIterationStarted TaskStateEntered
      MapIterationStarted TaskStateEntered TaskScheduled TaskStarted TaskScheduled TaskStarted TaskFailed
      TaskStateAborted MapIterationAborted MapIterationFailed MapStateFailed MapStateExited
      PassStateEntered PassStateExited ExecutionSucceeded`,
  },
];
