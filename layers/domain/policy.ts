/** Who may do what (ironic-rbac.md 2 to 4), as one table of rules and one of checks. */
import { Forbidden, NotFound } from './fault.ts';

/** Who calls. Scope `system` sees all projects. */
export type Subject = {
  readonly user: string | null;
  readonly project: string | null;
  readonly roles: readonly string[];
  readonly scope: 'system' | 'project';
};

/**
 * What a rule looks at: the projects that own and use a node, and whether a record is there for every project.
 * Collections have none of this.
 */
export type Owned = { readonly owner?: string | null; readonly lessee?: string | null; readonly public?: boolean };

/** The letters of ironic-rbac.md 2: the personas of which one is enough. */
const checks = {
  A: ['system admin'],
  'A or service': ['system admin', 'system service'],
  M: ['system member', 'system service'],
  R: ['system reader', 'system service'],
  'P-R': ['system reader', 'system service', 'owner reader', 'lessee reader', 'owner service'],
  'ANY-R': ['system reader', 'system service', 'any reader', 'any service'],
  'any admin': ['system admin', 'system service', 'any admin', 'any service'],
  'any member': ['system member', 'system service', 'any member'],
  'any manager': ['system member', 'system service', 'any manager', 'any service'],
  'owner admin': ['owner admin'],
  'R or owner': ['system reader', 'system service', 'owner reader'],
  'M or owner': ['system member', 'system service', 'owner member'],
  'M or owner manager': ['system member', 'system service', 'owner manager', 'any service'],
  'R or owner or service': ['system reader', 'system service', 'owner reader', 'any service', 'public reader'],
  'R or project admin': ['system reader', 'system service', 'owner admin', 'lessee admin'],
  'P-M': ['system member', 'system service', 'owner member', 'lessee member'],
  'O-R': ['system reader', 'system service', 'owner reader', 'owner service'],
  'O-M': ['system member', 'system service', 'owner member', 'owner service'],
  'O-A': ['system member', 'system service', 'owner manager', 'owner service'],
  'SA-O-A': ['system admin', 'system service', 'owner manager', 'owner service'],
  'O-A+L-A': ['system member', 'system service', 'owner manager', 'owner service', 'lessee manager'],
  'O-M+L-A': ['system member', 'system service', 'owner member', 'owner service', 'lessee manager'],
} as const;

const rules = {
  'baremetal:node:create': 'A or service',
  'baremetal:node:create:self_owned_node': 'any admin',
  'baremetal:node:list_all': 'R',
  'baremetal:node:list': 'ANY-R',
  'baremetal:node:get': 'P-R',
  'baremetal:node:get:filter_threshold': 'R',
  'baremetal:node:get:last_error': 'O-R',
  'baremetal:node:get:reservation': 'O-R',
  'baremetal:node:get:driver_internal_info': 'O-R',
  'baremetal:node:get:driver_info': 'O-R',
  'baremetal:node:update': 'P-M',
  'baremetal:node:update_extra': 'P-M',
  'baremetal:node:update_instance_info': 'O-M+L-A',
  'baremetal:node:update:driver_info': 'O-M',
  'baremetal:node:update:properties': 'O-M',
  'baremetal:node:update:instance_uuid': 'O-M',
  'baremetal:node:update:lessee': 'O-M',
  'baremetal:node:update:network_data': 'O-M',
  'baremetal:node:update:name': 'O-M',
  'baremetal:node:update:retired': 'O-M',
  'baremetal:node:update:driver_interfaces': 'O-A',
  'baremetal:node:update:owner': 'M',
  'baremetal:node:update:conductor_group': 'M',
  'baremetal:node:update:parent_node': 'M',
  'baremetal:node:update:chassis_uuid': 'A',
  'baremetal:node:update:shard': 'A',
  'baremetal:node:update:disable_power_off': 'A',
  'baremetal:node:disable_cleaning': 'A',
  'baremetal:node:update_owner_provisioned': 'A',
  'baremetal:node:delete': 'A',
  'baremetal:node:delete:self_owned_node': 'owner admin',
  'baremetal:node:validate': 'O-M+L-A',
  'baremetal:node:set_maintenance': 'O-M+L-A',
  'baremetal:node:clear_maintenance': 'O-M+L-A',
  'baremetal:node:get_states': 'P-R',
  'baremetal:node:set_power_state': 'P-M',
  'baremetal:node:set_provision_state': 'O-M+L-A',
  'baremetal:node:set_provision_state:clean_steps': 'O-M+L-A',
  'baremetal:node:set_provision_state:service_steps': 'O-M+L-A',
  'baremetal:node:set_boot_mode': 'P-M',
  'baremetal:node:set_secure_boot': 'P-M',
  'baremetal:node:set_raid_state': 'O-M',
  'baremetal:node:get_console': 'O-M',
  'baremetal:node:set_console_state': 'O-M',
  'baremetal:node:get_boot_device': 'O-A',
  'baremetal:node:set_boot_device': 'O-A',
  'baremetal:node:inject_nmi': 'O-A',
  'baremetal:node:get_indicator_state': 'P-R',
  'baremetal:node:set_indicator_state': 'O-M',
  'baremetal:node:bios:get': 'P-R',
  'baremetal:node:firmware:get': 'P-R',
  'baremetal:node:vmedia:get': 'P-R',
  'baremetal:node:vmedia:attach': 'P-M',
  'baremetal:node:vmedia:detach': 'P-M',
  'baremetal:node:inventory:get': 'O-R',
  'baremetal:node:vendor_passthru': 'A',
  'baremetal:node:vif:list': 'P-R',
  'baremetal:node:vif:attach': 'O-M+L-A',
  'baremetal:node:vif:detach': 'O-M+L-A',
  'baremetal:node:traits:list': 'P-R',
  'baremetal:node:traits:set': 'O-A',
  'baremetal:node:traits:delete': 'O-A',
  'baremetal:node:history:get': 'O-R',
  'baremetal:shards:get': 'R',
  'baremetal:port:list_all': 'R',
  'baremetal:port:list': 'ANY-R',
  'baremetal:port:get': 'P-R',
  'baremetal:port:create': 'SA-O-A',
  'baremetal:port:update': 'O-A',
  'baremetal:port:delete': 'SA-O-A',
  'baremetal:portgroup:list_all': 'R',
  'baremetal:portgroup:list': 'ANY-R',
  'baremetal:portgroup:get': 'P-R',
  'baremetal:portgroup:create': 'SA-O-A',
  'baremetal:portgroup:update': 'O-A',
  'baremetal:portgroup:delete': 'SA-O-A',
  'baremetal:chassis:get': 'R',
  'baremetal:chassis:create': 'A',
  'baremetal:chassis:update': 'M',
  'baremetal:chassis:delete': 'A',
  'baremetal:volume:list_all': 'R',
  'baremetal:volume:list': 'ANY-R',
  'baremetal:volume:get': 'P-R',
  'baremetal:volume:create': 'O-A+L-A',
  'baremetal:volume:update': 'O-M+L-A',
  'baremetal:volume:delete': 'O-A+L-A',
  'baremetal:volume:view_target_properties': 'R or project admin',
  'baremetal:allocation:list_all': 'R',
  'baremetal:allocation:list': 'ANY-R',
  'baremetal:allocation:get': 'R or owner',
  'baremetal:allocation:create': 'any member',
  'baremetal:allocation:create_restricted': 'M',
  'baremetal:allocation:update': 'M or owner',
  'baremetal:allocation:delete': 'M or owner',
  'baremetal:deploy_template:get': 'R',
  'baremetal:deploy_template:create': 'A',
  'baremetal:deploy_template:update': 'A',
  'baremetal:deploy_template:delete': 'A',
  'baremetal:runbook:list_all': 'R',
  'baremetal:runbook:list': 'ANY-R',
  'baremetal:runbook:get': 'R or owner or service',
  'baremetal:runbook:create': 'any manager',
  'baremetal:runbook:update': 'M or owner manager',
  'baremetal:runbook:update:public': 'M',
  'baremetal:runbook:update:owner': 'M',
  'baremetal:runbook:delete': 'M or owner manager',
  'baremetal:runbook:use': 'M or owner manager',
  'baremetal:inspection_rule:get': 'R',
  'baremetal:inspection_rule:create': 'A',
  'baremetal:inspection_rule:update': 'A',
  'baremetal:inspection_rule:delete': 'A',
  'baremetal:events:post': 'A',
  'baremetal:driver:get': 'R',
  'baremetal:driver:vendor_passthru': 'A',
  'baremetal:driver:get_raid_logical_disk_properties': 'R',
  'baremetal:driver:get_properties': 'R',
  'baremetal:conductor:get': 'R',
} as const satisfies Record<string, keyof typeof checks>;

export type Rule = keyof typeof rules;

/** Each role has those after it too; `service` stands alone. */
const ladder = ['admin', 'manager', 'member', 'reader'];

const withImplied = (roles: readonly string[]): string[] => {
  const highest = ladder.findIndex((role) => roles.includes(role));
  return [...(highest === -1 ? [] : ladder.slice(highest)), ...(roles.includes('service') ? ['service'] : [])];
};

const personas = ({ roles, scope, project }: Subject, { owner, lessee, public: open }: Owned): string[] => {
  const held = withImplied(roles);
  const as = (who: string) => held.map((role) => `${who} ${role}`);
  if (scope === 'system') return as('system');
  if (project === null) return [];
  return [
    ...as('any'),
    ...(project === owner ? as('owner') : []),
    ...(project === lessee ? as('lessee') : []),
    ...(open ? as('public') : []),
  ];
};

/** Whether a caller passes a rule for a record, or for a collection when none is given. */
export const allows = (rule: Rule, subject: Subject, owned: Owned = {}): boolean => {
  const held = personas(subject, owned);
  return checks[rules[rule]].some((persona) => held.includes(persona));
};

/** What belongs to projects: whoever may not get one of these is not told that it is there. */
const gates: Readonly<Record<string, Rule>> = {
  node: 'baremetal:node:get',
  port: 'baremetal:port:get',
  portgroup: 'baremetal:portgroup:get',
  volume: 'baremetal:volume:get',
  allocation: 'baremetal:allocation:get',
  runbook: 'baremetal:runbook:get',
};

/** What every record of the caller's project has; undefined for callers that see all projects, or have none. */
export const ownOf = ({ scope, project }: Subject): (Owned & { readonly owner: string }) | undefined =>
  scope === 'project' && project !== null ? { owner: project, lessee: project } : undefined;

/** Refuses what is visible, by the rule's name. */
export const denied = (rule: Rule) => Forbidden(`Access was denied to the following resource: ${rule}`);

/**
 * Lets a caller through or throws: NotFound (404) with the words of a missing record for what the caller may not even
 * get, Forbidden (403) for what is visible. `name` is how the request names the record; absent for collections. `title`
 * is what messages call it, if that is not the kind that the rule names.
 */
export const authorize = (
  rule: Rule,
  subject: Subject,
  owned: Owned | undefined,
  name?: string,
  title?: string,
): void => {
  const kind = rule.split(':')[1]!;
  const gate = gates[kind];
  if (owned && gate && !allows(gate, subject, owned)) {
    throw NotFound(`${title ?? `${kind[0]!.toUpperCase()}${kind.slice(1)}`} ${name} could not be found.`);
  }
  if (!allows(rule, subject, owned)) throw denied(rule);
};

/** Rules of PATCH by the first piece of the path; what is not here needs `update` only. */
const pathRules: Readonly<Record<string, Rule>> = {
  extra: 'baremetal:node:update_extra',
  instance_info: 'baremetal:node:update_instance_info',
  instance_name: 'baremetal:node:update_instance_info',
  driver_info: 'baremetal:node:update:driver_info',
  properties: 'baremetal:node:update:properties',
  instance_uuid: 'baremetal:node:update:instance_uuid',
  lessee: 'baremetal:node:update:lessee',
  network_data: 'baremetal:node:update:network_data',
  name: 'baremetal:node:update:name',
  retired: 'baremetal:node:update:retired',
  retired_reason: 'baremetal:node:update:retired',
  driver: 'baremetal:node:update:driver_interfaces',
  owner: 'baremetal:node:update:owner',
  conductor_group: 'baremetal:node:update:conductor_group',
  parent_node: 'baremetal:node:update:parent_node',
  chassis_uuid: 'baremetal:node:update:chassis_uuid',
  shard: 'baremetal:node:update:shard',
  disable_power_off: 'baremetal:node:update:disable_power_off',
};

/** The rule for changing this field of a node. */
export const updateRule = (field: string): Rule =>
  field.endsWith('_interface')
    ? 'baremetal:node:update:driver_interfaces'
    : ((Object.hasOwn(pathRules, field) ? pathRules[field] : undefined) ?? 'baremetal:node:update');
