import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { askedSteps, coreSteps, mergeSteps } from '../../../layers/domain/deploy-plan.ts';
import { nameOf } from '../../../layers/domain/machine-steps.ts';
import { stepInterfaces, type PlannedStep } from '../../../layers/domain/steps.ts';

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

describe('the steps of a deploy', () => {
  it('are in the order of priorities, equal ones of interfaces, each once, none with priority 0', () => {
    fc.assert(
      fc.property(driver, someSteps, (offered, asked) => {
        const plan = mergeSteps(offered, asked);
        const place = ({ priority, interface: of }: PlannedStep) => [-(priority ?? 0), stepInterfaces.indexOf(of)];
        const places = plan.map(place);
        expect(places).toEqual(places.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
        expect(plan.every(({ priority }) => (priority ?? 0) > 0)).toBe(true);
        expect(new Set(plan.map(nameOf)).size).toBe(plan.length);
      }),
    );
  });

  it('are all that were asked for with their priority and arguments, and those of the driver that nobody touched', () => {
    fc.assert(
      fc.property(driver, someSteps, (offered, asked) => {
        const plan = mergeSteps(offered, asked);
        const never = ({ priority }: PlannedStep) => priority === 0;
        const names = asked.map(nameOf);
        const untouched = offered.filter((step) => !names.includes(nameOf(step)) && !never(step));
        const wanted = asked.filter((step) => !never(step));
        expect(plan.map(nameOf).toSorted()).toEqual([...untouched, ...wanted].map(nameOf).toSorted());
        expect(plan).toEqual(expect.arrayContaining([...untouched, ...wanted]));
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
      fc.property(
        someSteps.filter(({ length }) => length > 0),
        someSteps,
        (template, user) => {
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
          expect(twice).toThrow('Deploy templates CUSTOM_A and CUSTOM_B both have');
        },
      ),
    );
  });
});
