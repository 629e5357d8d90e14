/** The policy's table against ironic-rbac.md 3 and 6, for every rule and every persona. */
import { describe, expect, it } from 'vitest';

import { rulesOf } from '../../../layers/domain/fields.ts';
import { node as nodeFields } from '../../../layers/domain/node.ts';
import { baremetal } from '../../../layers/domain/baremetal/policy.ts';
import { allows, authorize, policyOf, type Owned, type Rule, type Subject } from '../../../layers/domain/policy.ts';
import { lettersOf, personas } from '../../functions/baremetal-api/access/personas.ts';

const who = (scope: 'system' | 'project', roles: string[], project: string | null = null): Subject => ({
  user: 'u',
  project,
  roles,
  scope,
});
const node = { owner: 'owner', lessee: 'lessee' };

type Group = readonly [outcome: string, ...names: string[]];

/**
 * Rules about a record: y authorised, F 403, 4 concealed as 404. For the columns see personas.ts; names without
 * "baremetal:".
 */
const onRecords: readonly Group[] = [
  ['yyyyy yyyy4 44 4 yyyy', 'node:get', 'node:get_states', 'node:get_indicator_state', 'node:vif:list'],
  ['yyyyy yyyy4 44 4 yyyy', 'node:traits:list', 'node:bios:get', 'node:firmware:get', 'node:vmedia:get'],
  ['yyyyy yyyy4 44 4 yyyy', 'port:get', 'portgroup:get', 'volume:get'],
  ['FFFFF FFFF4 44 4 yyyy', 'node:get:filter_threshold'],
  ['yyyyy FFFF4 44 4 yyyy', 'node:get:last_error', 'node:get:reservation', 'node:get:driver_internal_info'],
  ['yyyyy FFFF4 44 4 yyyy', 'node:get:driver_info', 'node:history:get', 'node:inventory:get'],
  ['44444 44444 44 4 yyyy', 'guest_metadata:get'],
  ['yyyFF yyyF4 44 4 yyFy', 'node:update', 'node:update_extra', 'node:set_power_state', 'node:set_boot_mode'],
  ['yyyFF yyyF4 44 4 yyFy', 'node:set_secure_boot', 'node:vmedia:attach', 'node:vmedia:detach'],
  ['yyyFy yyFF4 44 4 yyFy', 'node:update_instance_info', 'node:validate', 'node:set_maintenance'],
  ['yyyFy yyFF4 44 4 yyFy', 'node:clear_maintenance', 'node:set_provision_state', 'node:vif:attach', 'node:vif:detach'],
  ['yyyFy yyFF4 44 4 yyFy', 'node:set_provision_state:clean_steps', 'node:set_provision_state:service_steps'],
  ['yyyFy FFFF4 44 4 yyFy', 'node:update:driver_info', 'node:update:properties', 'node:update:instance_uuid'],
  ['yyyFy FFFF4 44 4 yyFy', 'node:update:lessee', 'node:update:network_data', 'node:update:name'],
  ['yyyFy FFFF4 44 4 yyFy', 'node:update:retired', 'node:set_raid_state', 'node:get_console'],
  ['yyyFy FFFF4 44 4 yyFy', 'node:set_console_state', 'node:set_indicator_state'],
  ['yyFFy FFFF4 44 4 yyFy', 'node:update:driver_interfaces', 'node:get_boot_device', 'node:set_boot_device'],
  ['yyFFy FFFF4 44 4 yyFy', 'node:inject_nmi', 'node:traits:set', 'node:traits:delete', 'port:update'],
  ['yyFFy FFFF4 44 4 yyFy', 'portgroup:update'],
  ['FFFFF FFFF4 44 4 yyFy', 'node:update:owner', 'node:update:conductor_group', 'node:update:parent_node'],
  ['FFFFF FFFF4 44 4 yFFF', 'node:update:chassis_uuid', 'node:update:shard', 'node:update:disable_power_off'],
  ['FFFFF FFFF4 44 4 yFFF', 'node:disable_cleaning', 'node:update_owner_provisioned', 'node:delete'],
  ['FFFFF FFFF4 44 4 yFFF', 'node:vendor_passthru', 'node:convert'],
  ['yFFFF FFFF4 44 4 FFFF', 'node:delete:self_owned_node'],
  ['yyFFy FFFF4 44 4 yFFy', 'port:create', 'port:delete', 'portgroup:create', 'portgroup:delete'],
  ['yyFFy yyFF4 44 4 yyFy', 'volume:create', 'volume:delete'],
  ['yyyFy yyFF4 44 4 yyFy', 'volume:update'],
  ['yFFFF yFFF4 44 4 yyyy', 'volume:view_target_properties'],
  ['yyyy4 44444 44 4 yyyy', 'allocation:get'],
  ['yyyF4 44444 44 4 yyFy', 'allocation:update', 'allocation:delete'],
];

/** Rules about runbooks, which have an owner and no lessee. */
const onRunbooks: readonly Group[] = [
  ['yyyyy 4444y 4y 4 yyyy', 'runbook:get'],
  ['yyFFy 4444y 4y 4 yyFy', 'runbook:update', 'runbook:delete', 'runbook:use'],
  ['FFFFF 4444F 4F 4 yyFy', 'runbook:update:public', 'runbook:update:owner'],
];

/** Rules about collections, and about what belongs to no project: nobody conceals these. */
const onCollections: readonly Group[] = [
  [
    'yyyyy yyyyy yy F yyyy',
    'node:list',
    'port:list',
    'portgroup:list',
    'volume:list',
    'allocation:list',
    'runbook:list',
  ],
  ['FFFFF FFFFF FF F yyyy', 'node:list_all', 'port:list_all', 'portgroup:list_all', 'volume:list_all'],
  ['FFFFF FFFFF FF F yyyy', 'allocation:list_all', 'runbook:list_all', 'shards:get', 'chassis:get', 'conductor:get'],
  ['FFFFF FFFFF FF F yyyy', 'deploy_template:get', 'inspection_rule:get', 'driver:get', 'driver:get_properties'],
  ['FFFFF FFFFF FF F yyyy', 'driver:get_raid_logical_disk_properties'],
  ['FFFFF FFFFF FF F yFFy', 'node:create'],
  ['yFFFy yFFFy yy F yFFy', 'node:create:self_owned_node'],
  ['FFFFF FFFFF FF F yyFy', 'chassis:update', 'allocation:create_restricted'],
  ['FFFFF FFFFF FF F yFFF', 'chassis:create', 'chassis:delete', 'events:post', 'driver:vendor_passthru'],
  ['FFFFF FFFFF FF F yFFF', 'deploy_template:create', 'deploy_template:update', 'deploy_template:delete'],
  ['FFFFF FFFFF FF F yFFF', 'inspection_rule:create', 'inspection_rule:update', 'inspection_rule:delete'],
  ['FFFFF FFFFF FF F yFFF', 'import:create', 'takeover:create'],
  ['FFFFF FFFFF FF F yyyy', 'takeover:get'],
  ['yyyFF yyyFF yF F yyFy', 'allocation:create'],
  ['yyFFy yyFFy yy F yyFy', 'runbook:create'],
];

const cases = (groups: readonly Group[], owned: Owned | undefined) =>
  groups.flatMap(([expected, ...names]) =>
    names.map((name) => [`baremetal:${name}` as Rule, expected, owned] as const),
  );
const matrix = [
  ...cases(onRecords, node),
  ...cases(onRunbooks, { owner: 'owner' }),
  ...cases(onCollections, undefined),
];

const outcome = (rule: Rule, subject: Subject, owned: Owned | undefined): string => {
  try {
    authorize(rule, subject, owned, 'n1');
    return 'y';
  } catch (error) {
    const { code } = error as { code: number };
    return code === 403 ? 'F' : code === 404 ? '4' : String(code);
  }
};

const subjects = personas.map(([, { user, project, roles, scope }]): Subject => ({
  user,
  project: project === '' ? null : project,
  roles: [roles],
  scope: scope === 'system' ? 'system' : 'project',
}));
const other = who('project', ['admin'], 'other');

it('every rule is in the matrix, once', () => {
  expect(matrix.map(([rule]) => rule).toSorted()).toEqual(Object.keys(baremetal.rules).toSorted());
});

describe('access', () => {
  it.each(matrix)('by %s is %s', (rule, expected, owned) => {
    expect(subjects.map((subject) => outcome(rule, subject, owned))).toEqual(lettersOf(expected));
  });

  it('is concealed in the words of a missing record', () => {
    expect(() => authorize('baremetal:node:get', other, node, 'n1')).toThrow('Node n1 could not be found.');
    expect(() => authorize('baremetal:port:get', other, node, 'p1')).toThrow('Port p1 could not be found.');
  });

  it('is not given to a caller without a project by a node without an owner', () => {
    const nobody = who('project', ['admin']);
    expect(allows('baremetal:node:get', nobody, { owner: null, lessee: null })).toBe(false);
  });
});

it('every field has the rule of its kind', () => {
  const asked = ['extra', 'deploy_interface', 'description', 'constructor'];
  const own = ['baremetal:node:update_extra', 'baremetal:node:update:driver_interfaces'];
  expect(rulesOf(nodeFields, asked, 'baremetal:node:update')).toEqual([
    ...own,
    'baremetal:node:update',
    'baremetal:node:update',
  ]);
  expect(rulesOf(nodeFields, asked)).toEqual(own);
});

describe('the table of another API', () => {
  const sample = {
    checks: { owners: ['owner member'], everybody: ['any reader', 'system reader'] },
    rules: { 'sample:node:get': 'owners', 'sample:node:update': 'owners', 'sample:thing:get': 'everybody' },
    gates: ['sample:node:get'],
  } as const;
  const both = policyOf([baremetal, sample]);
  const answer = (rule: (typeof both.rules)[number], subject: Subject) => {
    try {
      both.authorize(rule, subject, node, 'n1');
      return 200;
    } catch (error) {
      return (error as { code: number }).code;
    }
  };

  it('has rules, letters and gates of its own, whatever a kind is called elsewhere', () => {
    const lessee = who('project', ['member'], 'lessee');
    expect([answer('sample:node:update', lessee), answer('baremetal:node:update', lessee)]).toEqual([404, 200]);
    expect(answer('sample:node:update', who('project', ['member'], 'owner'))).toBe(200);
    expect(answer('sample:thing:get', who('project', ['reader'], 'other'))).toBe(200);
    expect(answer('sample:thing:get', who('project', ['service'], 'other'))).toBe(403);
  });
});
