import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { loadDefinition } from '../../../local/states/definition.ts';
import { callOf, machineOf, waitOf } from './world.ts';

const load = async (machine: object | string, substitutions = {}) =>
  loadDefinition(
    'deploy',
    'deploy.asl.json',
    typeof machine === 'string' ? machine : JSON.stringify(machine),
    substitutions,
  );
const end = { Type: 'Pass', End: true };
const branch = { StartAt: 'In', States: { In: end } };
/** State A, and B if A leads there. */
const one = (state: object) => machineOf({ A: state, ...(JSON.stringify(state).includes('"B"') && { B: end }) });
const processor = (config: object) => ({ ...branch, ProcessorConfig: config });

/** What is wrong; the machine; words of the sentence that refuses it. */
const refused: readonly (readonly [string, object | string, RegExp])[] = [
  ['not JSON', '{', /deploy\.asl\.json: is not JSON/],
  ['not a machine', '[]', /QueryLanguage/],
  ['JSONPath', { ...machineOf({ A: end }), QueryLanguage: 'JSONPath' }, /"QueryLanguage" must be "JSONata"/],
  ['no query language', { StartAt: 'A', States: { A: end } }, /"QueryLanguage" must be "JSONata"/],
  ['JSONPath in one state', one({ ...end, QueryLanguage: 'JSONPath' }), /state "A": field "QueryLanguage"/],
  ['InputPath', one({ ...end, InputPath: '$' }), /state "A": field "InputPath" is JSONPath/],
  ['Parameters', one({ ...callOf('f'), Parameters: {} }), /field "Parameters" is JSONPath/],
  ['Result', one({ ...end, Result: 1 }), /field "Result" is JSONPath/],
  [
    'a choice operator',
    one({ Type: 'Choice', Choices: [{ Variable: '$.a', StringEquals: 'b', Next: 'B' }] }),
    /field "Choices.0.Variable" is JSONPath/,
  ],
  ['a misspelt field', one({ ...end, Ouput: 1 }), /state "A": field "Ouput" is not supported here/],
  ['a misspelt field of the machine', { ...machineOf({ A: end }), Timeout: 1 }, /asl\.json: field "Timeout" is not/],
  ['an unknown type', one({ Type: 'Activity' }), /state "A": Type "Activity" is not one of Task,/],
  ['no type', one({}), /state "A": Type undefined/],
  [
    'another service',
    one({ ...callOf('f'), Resource: 'arn:aws:states:::sqs:sendMessage' }),
    /"Resource" must be one of/,
  ],
  ['an activity', one({ ...callOf('f'), Resource: 'arn:aws:states:r:1:activity:x' }), /"Resource" must be one of/],
  ['no arguments', one({ ...callOf('f'), Arguments: undefined }), /field "Arguments"/],
  [
    'an asynchronous call',
    one({ ...callOf('f'), Arguments: { FunctionName: 'f', InvocationType: 'Event' } }),
    /"Arguments.InvocationType" is not supported/,
  ],
  ['other credentials', one({ ...callOf('f'), Credentials: {} }), /"Credentials" is not supported/],
  [
    'a distributed Map',
    one({ Type: 'Map', ItemProcessor: processor({ Mode: 'DISTRIBUTED' }), End: true }),
    /Distributed/,
  ],
  [
    'ItemReader',
    one({ Type: 'Map', ItemProcessor: branch, ItemReader: {}, End: true }),
    /"ItemReader" belongs to the D/,
  ],
  [
    'tolerated failures',
    one({ Type: 'Map', ItemProcessor: branch, ToleratedFailureCount: 1, End: true }),
    /"ToleratedFailureCount" belongs to the Distributed Map/,
  ],
  ['Iterator', one({ Type: 'Map', ItemProcessor: branch, Iterator: branch, End: true }), /old name of ItemProcessor/],
  ['a StartAt that is not there', { ...machineOf({ A: end }), StartAt: 'X' }, /"StartAt" names "X"/],
  ['a Next that is not there', one({ Type: 'Pass', Next: 'X' }), /"Next" leads to "X"/],
  ['a Next into a branch', one({ Type: 'Parallel', Branches: [branch], Next: 'In' }), /"Next" leads to "In"/],
  ['a Next of a rule', one({ Type: 'Choice', Choices: [{ Condition: '{% true %}', Next: 'X' }] }), /"Choices.0.Next"/],
  [
    'a Default that is not there',
    one({ Type: 'Choice', Choices: [{ Condition: true, Next: 'B' }], Default: 'X' }),
    /"Default"/,
  ],
  [
    'a Next of a catcher',
    one(callOf('f', { Catch: [{ ErrorEquals: ['E'], Next: 'X' }], End: true })),
    /"Catch.0.Next"/,
  ],
  ['neither Next nor End', one({ Type: 'Pass' }), /needs either "Next" or "End"/],
  [
    'a state that nothing leads to',
    machineOf({ A: end, B: { Type: 'Pass', Next: 'A' } }),
    /state "B": no way leads there/,
  ],
  [
    'states that only lead to each other',
    machineOf({ A: end, B: { Type: 'Pass', Next: 'C' }, C: { Type: 'Pass', Next: 'B' } }),
    /state "B": no way leads there/,
  ],
  [
    'a machine without an end',
    machineOf({ A: { Type: 'Pass', Next: 'A' } }),
    /asl\.json: no state that "StartAt" leads/,
  ],
  [
    'a branch without an end',
    one({ Type: 'Parallel', Branches: [{ StartAt: 'In', States: { In: { Type: 'Pass', Next: 'In' } } }], End: true }),
    /state "A": no state that "StartAt" leads to ends/,
  ],
  ['both Next and End', one({ Type: 'Pass', Next: 'B', End: true }), /needs either "Next" or "End"/],
  ['End: false', one({ Type: 'Pass', End: false }), /field "End"/],
  ['a Wait without time', one({ Type: 'Wait', End: true }), /"Seconds" or "Timestamp"/],
  ['a Wait with two', one({ Type: 'Wait', Seconds: 1, Timestamp: 'x', End: true }), /"Seconds" or "Timestamp"/],
  [
    'a time that is none',
    one({ Type: 'Wait', Timestamp: '2026-13-01T00:00:00Z', End: true }),
    /"Timestamp" is not a time/,
  ],
  ['a time in words', one({ Type: 'Wait', Timestamp: 'tomorrow', End: true }), /"Timestamp" is not a time/],
  ['a negative Wait', one({ Type: 'Wait', Seconds: -1, End: true }), /field "Seconds"/],
  ['a zero timeout', one(callOf('f', { TimeoutSeconds: 0, End: true })), /field "TimeoutSeconds"/],
  [
    'a heartbeat nobody sends',
    one(callOf('f', { HeartbeatSeconds: 5, End: true })),
    /"HeartbeatSeconds" has no meaning/,
  ],
  [
    'a heartbeat slower than the timeout',
    one(waitOf('f', { HeartbeatSeconds: 5, TimeoutSeconds: 5, End: true })),
    /must be smaller/,
  ],
  [
    'a name used twice',
    one({ Type: 'Parallel', Branches: [branch, branch], End: true }),
    /"In": its name is used twice/,
  ],
  ['a name of 81 letters', machineOf({ ['A'.repeat(81)]: end }), /80 characters/],
  ['a reserved error', one(callOf('f', { Retry: [{ ErrorEquals: ['States.Odd'] }], End: true })), /names States\.Odd/],
  [
    'an error that AWS never gives',
    one(waitOf('f', { Catch: [{ ErrorEquals: ['States.HeartbeatTimeout'], Next: 'B' }], End: true })),
    /"Catch\.0\.ErrorEquals" names States\.HeartbeatTimeout, and a missed heartbeat is States\.Timeout/,
  ],
  [
    'a retry after more than a year',
    one(callOf('f', { Retry: [{ ErrorEquals: ['E'], MaxDelaySeconds: 31_622_401 }], End: true })),
    /"Retry\.0\.MaxDelaySeconds" is not right/,
  ],
  [
    'States.ALL beside others',
    one(callOf('f', { Retry: [{ ErrorEquals: ['States.ALL', 'E'] }], End: true })),
    /States\.ALL must stand alone/,
  ],
  [
    'States.ALL before others',
    one(callOf('f', { Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['E'] }], End: true })),
    /States\.ALL must stand alone and in the last/,
  ],
  [
    'BackoffRate below 1',
    one(callOf('f', { Retry: [{ ErrorEquals: ['E'], BackoffRate: 0.5 }], End: true })),
    /BackoffRate/,
  ],
  ['Retry where nothing can fail', one({ ...end, Retry: [] }), /field "Retry" is not supported here/],
  ['an expression that does not parse', one({ ...end, Output: '{% 1 + %}' }), /"Output" does not parse/],
  ['half an expression', one({ ...end, Output: { a: ['{% 1'] } }), /"Output.a.0" has only one of/],
  [
    'a Condition without braces',
    one({ Type: 'Choice', Choices: [{ Condition: '1 = 1', Next: 'B' }] }),
    /"Choices.0.Condition"/,
  ],
  [
    'an unknown variable',
    one({ ...end, Output: '{% $nobody %}' }),
    /uses the variable \$nobody, which no state assigns/,
  ],
  ['an unknown function', one({ ...end, Output: '{% $nothing(1) %}' }), /calls \$nothing, which is not a function/],
  ['$eval', one({ ...end, Output: '{% $eval("1") %}' }), /calls \$eval/],
  ['??', one({ ...end, Output: '{% $states.input.a ?? 1 %}' }), /"Output" uses "\?\?", which the JSONata of Step/],
  ['?:', one({ ...end, Assign: { v: ['{% 1 + ($states.input.a ?: 2) %}'] } }), /"Assign\.v\.0" uses "\?:"/],
  ['chance with a seed', one({ ...end, Output: '{% $random(1) %}' }), /"Output" calls \$random with a seed/],
  [
    'a result where there is none',
    one({ ...end, Output: '{% $states.result %}' }),
    /\$states\.result, which does not exist/,
  ],
  [
    'a result before it is there',
    one(callOf('f', { TimeoutSeconds: '{% $states.result %}', End: true })),
    /\$states\.result/,
  ],
  [
    'an error where there is none',
    one(callOf('f', { Output: '{% $states.errorOutput %}', End: true })),
    /\$states\.errorOutput/,
  ],
  ['a misspelt $states', one({ ...end, Output: '{% $states.inptu %}' }), /\$states\.inptu/],
  ['assigning states', one({ ...end, Assign: { states: 1 } }), /reserved variable "states"/],
  ['a variable that is no identifier', one({ ...end, Assign: { 'a-b': 1 } }), /Assign/],
  [
    'assigning a variable of the enclosing scope',
    machineOf({
      A: { Type: 'Pass', Assign: { v: 1 }, Next: 'P' },
      P: { Type: 'Parallel', Branches: [{ StartAt: 'In', States: { In: { ...end, Assign: { v: 2 } } } }], End: true },
    }),
    /state "In": may not assign \$v: it belongs to an enclosing scope/,
  ],
  [
    'reading a variable of a branch outside',
    machineOf({
      P: { Type: 'Parallel', Branches: [{ StartAt: 'In', States: { In: { ...end, Assign: { v: 2 } } } }], Next: 'A' },
      A: { ...end, Output: '{% $v %}' },
    }),
    /state "A": "Output" uses the variable \$v/,
  ],
  [
    'more than 1 MiB',
    machineOf({ A: { ...end, Comment: 'x'.repeat(1_048_576) } }),
    /has \d+ bytes; a definition may have/,
  ],
  ['a placeholder without a value', one(callOf('${nobody}')), /\$\{nobody\} has no substitution/],
];

describe('loading a definition', () => {
  it.each(refused)('refuses %s with a sentence that says where', async (_what, machine, sentence) => {
    await expect(load(machine)).rejects.toMatchObject({
      name: 'InvalidDefinition',
      code: 400,
      message: expect.stringMatching(sentence) as string,
    });
  });

  it('puts values in the place of ${names}, as CloudFormation does', async () => {
    const { machine, text } = await load(one(callOf('${workflow}', { TimeoutSeconds: '{% ${limit} %}', Next: 'B' })), {
      workflow: 'arn:aws:lambda:x',
      limit: '30',
    });
    expect(machine.States['A']).toMatchObject({
      Arguments: { FunctionName: 'arn:aws:lambda:x' },
      TimeoutSeconds: '{% 30 %}',
    });
    expect(text).not.toContain('${');
  });

  it('fills in the defaults of a retrier', async () => {
    const { machine } = await load(one(callOf('f', { Retry: [{ ErrorEquals: ['E'] }], End: true })));
    expect(machine.States['A']).toMatchObject({
      Retry: [{ IntervalSeconds: 1, MaxAttempts: 3, BackoffRate: 2, JitterStrategy: 'NONE' }],
    });
  });

  it('knows a condition from the operators that look like one', async () => {
    const Output = '{% ($states.input.a ? "??" : "?:") & ($states.input["?:"] ? 1:2) %}';
    await expect(load(one({ ...end, Output }))).resolves.toBeDefined();
  });

  it('knows variables that an expression binds itself', async () => {
    const Output = '{% ($a := [1,2]; $map($a, function($each, $at) { $each + $at })@$x#$i.($x + $i)) %}';
    await expect(load(one({ ...end, Output }))).resolves.toBeDefined();
  });

  it('is the same definition only while its text is the same', async () => {
    const [first, again, other] = await Promise.all([load(one(end)), load(one(end)), load(machineOf({ C: end }))]);
    expect(again.hash).toBe(first.hash);
    expect(other.hash).not.toBe(first.hash);
  });

  it('loads or refuses whatever JSON it is given, and never fails otherwise', async () => {
    const types = fc.constantFrom('Task', 'Choice', 'Wait', 'Parallel', 'Map', 'Pass', 'Succeed', 'Fail', 'Odd');
    const fields = fc.constantFrom(
      'Next',
      'End',
      'Output',
      'Branches',
      'Choices',
      'Retry',
      'Arguments',
      'Seconds',
      'x',
    );
    const state = fc
      .tuple(
        types,
        fc.dictionary(
          fields,
          fc.oneof(
            fc.json().map((text): unknown => JSON.parse(text)),
            fc.constant(true),
          ),
        ),
      )
      .map(([Type, more]) => ({ ...more, Type }));
    await fc.assert(
      fc.asyncProperty(fc.array(state, { minLength: 1, maxLength: 3 }), async (states) => {
        const machine = machineOf(Object.fromEntries(states.map((each, index) => [`S${index}`, each])));
        const name = await load(machine).then(
          () => 'loaded',
          (error: Error) => error.name,
        );
        expect(['loaded', 'InvalidDefinition']).toContain(name);
      }),
    );
  });
});
