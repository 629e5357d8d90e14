import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { askedSteps, coreSteps, mergeSteps } from '../../../layers/domain/deploy-plan.ts';
import { nameOf, type PlannedStep } from '../../../layers/domain/machine-steps.ts';
import { stepInterfaces } from '../../../layers/domain/steps.ts';

const aStep: fc.Arbitrary<PlannedStep> = fc.record({
  interface: fc.constantFrom(...stepInterfaces),
  step: fc.constantFrom('write_image', 'prepare_instance_boot', 'a', 'b', 'c'),
  args: fc.dictionary(fc.constantFrom('x', 'y'), fc.integer()),
  priority: fc.integer({ min: 0, max: 120 }),
});
const someSteps = fc.uniqueArray(aStep, { selector: nameOf, maxLength: 12 });
const driver = fc.tuple(someSteps, fc.constant(coreSteps.direct)).map(([others, core]) => {
  const names = new Set<string>(core.map(nameOf));
  return [...core, ...others.filter((step) => !names.has(nameOf(step)))] as PlannedStep[];
});

const rank = ({ interface: of }: PlannedStep) => stepInterfaces.indexOf(of);

describe('the steps of a deploy', () => {
  it('are in the order of priorities, equal ones of interfaces, each once, none with priority 0', () => {
    fc.assert(
      fc.property(driver, someSteps, (offered, asked) => {
        const plan = mergeSteps(offered, asked);
        for (const [at, step] of plan.entries()) {
          const before = plan[at - 1];
          expect(step.priority).toBeGreaterThan(0);
          if (!before) continue;
          expect(before.priority).toBeGreaterThanOrEqual(step.priority!);
          if (before.priority === step.priority) expect(rank(before)).toBeLessThanOrEqual(rank(step));
        }
        expect(new Set(plan.map(nameOf)).size).toBe(plan.length);
      }),
    );
  });

  it('are all that were asked for with their priority and arguments, and those of the driver that nobody touched', () => {
    fc.assert(
      fc.property(driver, someSteps, (offered, asked) => {
        const plan = new Map(mergeSteps(offered, asked).map((step) => [nameOf(step), step]));
        const wishes = new Map(asked.map((step) => [nameOf(step), step]));
        for (const step of asked) {
          const found = plan.get(nameOf(step));
          if (step.priority === 0) expect(found).toBeUndefined();
          else expect(found).toMatchObject({ priority: step.priority, args: step.args });
        }
        for (const step of offered) {
          if (!wishes.has(nameOf(step)) && step.priority! > 0) expect(plan.get(nameOf(step))).toEqual(step);
        }
      }),
    );
  });

  it('do not depend on how often the same is asked for', () => {
    fc.assert(
      fc.property(driver, someSteps, (offered, asked) => {
        const plan = mergeSteps(offered, asked);
        expect(mergeSteps(plan, asked)).toEqual(plan);
        expect(askedSteps([], askedSteps([], asked))).toEqual(asked);
      }),
    );
  });

  it('of the request win over those of templates, of which no two may have the same', () => {
    fc.assert(
      fc.property(someSteps, someSteps, (template, user) => {
        const merged = askedSteps([{ name: 'CUSTOM_A', steps: template }], user);
        for (const step of user) expect(merged).toContain(step);
        expect(new Set(merged.map(nameOf)).size).toBe(merged.length);
        const twice = () =>
          askedSteps(
            [
              { name: 'CUSTOM_A', steps: template },
              { name: 'CUSTOM_B', steps: template },
            ],
            user,
          );
        if (template.length > 0) expect(twice).toThrow('Deploy templates CUSTOM_A and CUSTOM_B both have');
      }),
    );
  });
});
