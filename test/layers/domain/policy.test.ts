import { describe, expect, it } from 'vitest';

import { allows, authorize, updateRule, type Rule, type Subject } from '../../../layers/domain/policy.ts';

const who = (scope: 'system' | 'project', roles: string[], project: string | null = null): Subject => ({
  user: 'u',
  project,
  roles,
  scope,
});
const node = { owner: 'owner', lessee: 'lessee' };

/** The outcome matrix of ironic-rbac.md 6, for the rules that routes use: y authorised, F 403, 404 concealed. */
const personas: Record<string, Subject> = {
  'system admin': who('system', ['admin']),
  'system member': who('system', ['member']),
  'system reader': who('system', ['reader']),
  'own admin': who('project', ['admin'], 'owner'),
  'own manager': who('project', ['manager'], 'owner'),
  'own member': who('project', ['member'], 'owner'),
  'own reader': who('project', ['reader'], 'owner'),
  'own service': who('project', ['service'], 'owner'),
  'lessee admin': who('project', ['admin'], 'lessee'),
  'lessee member': who('project', ['member'], 'lessee'),
  'lessee reader': who('project', ['reader'], 'lessee'),
  other: who('project', ['admin'], 'other'),
};

const matrix: [Rule, string][] = [
  ['baremetal:node:get', 'y y y y y y y y y y y 404'],
  ['baremetal:node:validate', 'y y F y y y F y y F F 404'],
  ['baremetal:node:set_power_state', 'y y F y y y F F y y F 404'],
  ['baremetal:node:set_provision_state', 'y y F y y y F y y F F 404'],
  ['baremetal:node:set_maintenance', 'y y F y y y F y y F F 404'],
  ['baremetal:node:traits:set', 'y y F y y F F y F F F 404'],
  ['baremetal:node:vif:attach', 'y y F y y y F y y F F 404'],
  ['baremetal:node:vif:list', 'y y y y y y y y y y y 404'],
  ['baremetal:node:history:get', 'y y y y y y y y F F F 404'],
  ['baremetal:node:update_extra', 'y y F y y y F F y y F 404'],
  ['baremetal:node:update_instance_info', 'y y F y y y F y y F F 404'],
  ['baremetal:node:update:driver_info', 'y y F y y y F y F F F 404'],
  ['baremetal:node:update:driver_interfaces', 'y y F y y F F y F F F 404'],
  ['baremetal:node:update:owner', 'y y F F F F F F F F F 404'],
  ['baremetal:node:update:shard', 'y F F F F F F F F F F 404'],
  ['baremetal:node:delete', 'y F F F F F F F F F F 404'],
  ['baremetal:port:get', 'y y y y y y y y y y y 404'],
  ['baremetal:port:create', 'y F F y y F F y F F F 404'],
  ['baremetal:volume:get', 'y y y y y y y y y y y 404'],
  ['baremetal:volume:create', 'y y F y y F F y y F F 404'],
  ['baremetal:volume:update', 'y y F y y y F y y F F 404'],
  ['baremetal:volume:delete', 'y y F y y F F y y F F 404'],
  ['baremetal:volume:view_target_properties', 'y y y y F F F F y F F 404'],
  ['baremetal:port:update', 'y y F y y F F y F F F 404'],
  ['baremetal:portgroup:get', 'y y y y y y y y y y y 404'],
  ['baremetal:portgroup:create', 'y F F y y F F y F F F 404'],
  ['baremetal:portgroup:update', 'y y F y y F F y F F F 404'],
  ['baremetal:portgroup:delete', 'y F F y y F F y F F F 404'],
  ['baremetal:chassis:get', 'y y y F F F F F F F F F'],
  ['baremetal:chassis:create', 'y F F F F F F F F F F F'],
  ['baremetal:chassis:update', 'y y F F F F F F F F F F'],
];

const outcome = (rule: Rule, subject: Subject): string => {
  try {
    authorize(rule, subject, node, 'n1');
    return 'y';
  } catch (error) {
    const { code } = error as { code: number };
    return code === 403 ? 'F' : String(code);
  }
};

describe('access to a node', () => {
  it.each(matrix)('by %s is %s', (rule, expected) => {
    expect(
      Object.values(personas)
        .map((subject) => outcome(rule, subject))
        .join(' '),
    ).toBe(expected);
  });

  it('is concealed in the words of a missing record', () => {
    expect(() => authorize('baremetal:node:get', personas['other']!, node, 'n1')).toThrow(
      'Node n1 could not be found.',
    );
    expect(() => authorize('baremetal:port:get', personas['other']!, node, 'p1')).toThrow(
      'Port p1 could not be found.',
    );
  });

  it('is not given to a caller without a project by a node without an owner', () => {
    const nobody = who('project', ['admin']);
    expect(allows('baremetal:node:get', nobody, { owner: null, lessee: null })).toBe(false);
  });
});

it('every field has the rule of its kind', () => {
  expect(updateRule('extra')).toBe('baremetal:node:update_extra');
  expect(updateRule('deploy_interface')).toBe('baremetal:node:update:driver_interfaces');
  expect(updateRule('description')).toBe('baremetal:node:update');
  expect(updateRule('constructor')).toBe('baremetal:node:update');
});
