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
  if (expected.silent) expect([outcome.error, outcome.cause]).toEqual([undefined, undefined]);
  if (cause !== undefined) expect(outcome.cause).toContain(cause);
  if (expected.entered) expect(outcome.entered).toEqual(expected.entered);
  if (expected.types) expect(outcome.types).toEqual(expected.types.trim().split(/\s+/));
  if (expected.seconds !== undefined) expect(outcome.seconds).toBe(expected.seconds);
};

describe.each(Object.entries(tables))('%s', (_type, cases) => {
  it.each(cases)('$says', check);
});

/** Puts `prefix` before every state name, so that the machines can stand beside each other in one. */
const rename = (value: unknown, prefix: string, key = ''): unknown => {
  if (['Next', 'Default', 'StartAt'].includes(key) && typeof value === 'string') return prefix + value;
  if (Array.isArray(value)) return value.map((each) => rename(each, prefix));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [
    key === 'States' ? prefix + name : name,
    rename(each, prefix, name),
  ]);
  return Object.fromEntries(entries);
};

describe('asl-validator, a second opinion,', () => {
  const all = Object.values(tables).flat();

  // One call for all: each costs a tenth of a second.
  it('takes the machines of the tables for state machines', () => {
    const Branches = all
      .filter((each) => each.validator === undefined)
      .map(({ states }, index) => rename({ StartAt: Object.keys(states)[0], States: states }, `${index}`));
    expect(validator(machineOf({ All: { Type: 'Parallel', Branches, End: true } }))).toMatchObject({
      isValid: true,
      errors: [],
    });
  });

  it.each(all.filter((each) => each.validator !== undefined))('still does not where we differ: $validator', (each) => {
    expect(validator(machineOf(structuredClone(each.states), each.more)).isValid).toBe(false);
  });
});
