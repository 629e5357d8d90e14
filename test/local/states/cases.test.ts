import validator from 'asl-validator';
import { describe, expect, it } from 'vitest';

import type { Case } from './cases/case.ts';
import { choiceCases } from './cases/choice.ts';
import { failCases } from './cases/fail.ts';
import { mapCases, parallelCases } from './cases/parallel.ts';
import { passCases } from './cases/pass.ts';
import { taskCases } from './cases/task.ts';
import { waitCases } from './cases/wait.ts';
import { createWorld, machineOf } from './world.ts';

const tables = {
  Pass: passCases,
  Choice: choiceCases,
  Wait: waitCases,
  Fail: failCases,
  Task: taskCases,
  Parallel: parallelCases,
  Map: mapCases,
};

const check = async ({ states, more, input = {}, script = {}, fraction = 0.5, ...expected }: Case) => {
  const world = await createWorld({ machines: { machine: machineOf(states, more) }, script, fraction });
  const outcome = await world.run('machine', input);
  const { output, error, cause, status = error === undefined ? 'SUCCEEDED' : 'FAILED' } = expected;
  expect(outcome).toMatchObject({ status, ...(error !== undefined && { error }) });
  if (output !== undefined) expect(outcome.output).toEqual(output);
  if (cause !== undefined) expect(outcome.cause).toContain(cause);
  if (expected.entered) expect(outcome.entered).toEqual(expected.entered);
  if (expected.types) expect(outcome.types).toEqual(expected.types.trim().split(/\s+/));
  if (expected.seconds !== undefined) expect(outcome.seconds).toBe(expected.seconds);
};

describe.each(Object.entries(tables))('%s', (_type, cases) => {
  it.each(cases)('$says', check);
});

describe('asl-validator', () => {
  it.each(Object.values(tables).flat())(
    'agrees that this is a state machine: $says',
    ({ states, more, validator: not }) => {
      const { isValid, errors } = validator(machineOf(states, more));
      expect({ isValid, errors }).toEqual(
        not === undefined ? { isValid: true, errors: [] } : { isValid: false, errors: expect.anything() as unknown },
      );
    },
  );
});
