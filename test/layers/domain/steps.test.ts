/** Lists of steps as clients give them (ironic-api.md 2.7 and 9). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isFault } from '../../../layers/domain/fault.ts';
import { checkField } from '../../../layers/domain/schema.ts';
import { checkSteps, inOrder, runbookSteps, templateSteps, type StepKind } from '../../../layers/domain/steps.ts';

const erase = { interface: 'deploy', step: 'erase_devices' };
const raid = { interface: 'raid', step: 'create_configuration', args: {}, priority: 85 };
const child = '11111111-1111-4111-8111-111111111111';

/** What the steps field of a deploy template or a runbook makes of a value. */
const asField = (schema: typeof templateSteps, value: unknown) =>
  checkField({ steps: { access: 'update', schema, doc: '' } }, 'steps', value);

describe('steps of a request', () => {
  it('have args, whether given or not', () => {
    expect(checkSteps('clean', [erase, { ...erase, args: null }])).toEqual([
      { ...erase, args: {} },
      { ...erase, args: {} },
    ]);
  });

  it('may run on children, all or some', () => {
    const step = { ...erase, args: {}, execute_on_child_nodes: true, limit_child_node_execution: [child] };
    expect(checkSteps('service', [step])).toEqual([step]);
  });

  it('take numbers as text', () => {
    expect(checkSteps('deploy', [{ ...raid, priority: '90' }])).toEqual([{ ...raid, priority: 90 }]);
  });

  it.each<[StepKind, unknown, string]>([
    ['clean', {}, 'clean_steps'],
    ['clean', ['erase'], 'clean_steps.0'],
    ['clean', [{ step: 'erase_devices' }], 'clean_steps.0.interface'],
    ['clean', [{ ...erase, interface: 'network' }], 'clean_steps.0.interface'],
    ['clean', [erase, { interface: 'deploy' }], 'clean_steps.1.step'],
    ['clean', [{ ...erase, step: '' }], 'clean_steps.0.step'],
    ['clean', [{ ...erase, args: [] }], 'clean_steps.0.args'],
    ['clean', [{ ...erase, priority: 1 }], 'clean_steps.0.priority'],
    ['clean', [{ ...erase, order: -1 }], 'clean_steps.0.order'],
    ['clean', [{ ...erase, execute_on_child_nodes: 'maybe' }], 'execute_on_child_nodes'],
    ['clean', [{ ...erase, limit_child_node_execution: ['n1'] }], 'limit_child_node_execution.0'],
    ['service', [{ interface: 'vendor', step: 'send_raw' }], 'vendor.send_raw'],
    ['deploy', [erase], 'deploy_steps.0.args'],
    ['deploy', [{ ...raid, priority: -1 }], 'deploy_steps.0.priority'],
    ['deploy', [{ ...raid, priority: 1.5 }], 'deploy_steps.0.priority'],
    ['deploy', [{ ...raid, priority: 'high' }], 'deploy_steps.0.priority'],
    ['deploy', [{ ...raid, order: 1 }], 'deploy_steps.0.order'],
    ['deploy', [raid, { ...raid, priority: 0 }], 'raid.create_configuration'],
  ])('of %s are refused as %j', (kind, value, named) => {
    expect(() => checkSteps(kind, value)).toThrow(expect.objectContaining({ code: 400 }));
    expect(() => checkSteps(kind, value)).toThrow(named);
  });

  it('may be the same one twice where they run as they stand', () => {
    expect(checkSteps('clean', [erase, erase])).toHaveLength(2);
  });

  it('are steps or a refusal, whatever is given', () => {
    const key = fc.constantFrom('interface', 'step', 'args', 'order', 'priority', 'x', '__proto__');
    const step = fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.constant('deploy'))));
    const outcome = (kind: StepKind, given: unknown) => {
      try {
        return checkSteps(kind, given).every(({ args }) => typeof args === 'object') ? 'steps' : 'nonsense';
      } catch (error) {
        return isFault(error) ? error.code : error;
      }
    };
    fc.assert(
      fc.property(fc.constantFrom<StepKind>('clean', 'service', 'deploy'), fc.array(step), (kind, given) => {
        expect(['steps', 400]).toContain(outcome(kind, given));
      }),
    );
  });
});

describe('steps of a record', () => {
  it('of a deploy template are at least one, each once', () => {
    expect(asField(templateSteps, [raid])).toEqual([raid]);
    expect(() => asField(templateSteps, [])).toThrow('at least one');
    expect(() => asField(templateSteps, [raid, raid])).toThrow('only once');
  });

  it('of a runbook have an order, and no priority', () => {
    expect(asField(runbookSteps, [{ ...erase, order: '2' }])).toEqual([{ ...erase, args: {}, order: 2 }]);
    expect(() => asField(runbookSteps, [erase])).toThrow('steps.0.order');
    expect(() => asField(runbookSteps, [{ ...erase, order: 1, priority: 1 }])).toThrow('steps.0.priority');
  });

  it('run by their order, equal ones as they stand', () => {
    const names = (orders: number[]) =>
      inOrder(orders.map((order, at) => ({ interface: 'deploy', step: `s${at}`, args: {}, order }))).map(
        ({ step }) => step,
      );
    expect(names([3, 1, 2, 1])).toEqual(['s1', 's3', 's2', 's0']);
  });
});
