import { describe, expect, it } from 'vitest';

import { newNode } from '../../../../layers/domain/baremetal/new-node.ts';
import { node as fields } from '../../../../layers/domain/node.ts';

const given = { uuid: 'u', driver: 'redfish', created_at: '2026-01-01T00:00:00+00:00', position: '01' } as const;

describe('a new node', () => {
  it('has every field that is stored, and nothing works on it', () => {
    const node = newNode(given);
    const stored = Object.entries(fields).flatMap(([name, field]) => ('computed' in field ? [] : [name]));
    expect(Object.keys(node)).toEqual(expect.arrayContaining(stored));
    expect(node).toMatchObject({ provision_state: 'enroll', reservation: null, run: null, revision: 1, generation: 0 });
  });

  it('has the first implementation of each interface of its driver, and what is given', () => {
    expect(newNode({ ...given, power_interface: 'fake', extra: { rack: 1 } })).toMatchObject({
      power_interface: 'fake',
      deploy_interface: 'direct',
      extra: { rack: 1 },
    });
  });

  it('shares no value with the next one', () => {
    newNode(given).traits.push('CUSTOM_A');
    expect(newNode(given).traits).toEqual([]);
  });

  it('is of a driver that there is', () => {
    expect(() => newNode({ ...given, driver: 'gone' })).toThrow(expect.objectContaining({ code: 400 }));
  });
});
