/** Who may do what by the Compute API (compute-api.md 10). How it is decided is in ../policy.ts. */

/**
 * Role admin is the administrator of the cloud in whatever project, as in Nova, where projects know members and readers
 * only. `public` and `lessee` are what flavors are for everybody, and for the projects that were given one.
 */
const checks = {
  admin: ['system admin', 'any admin'],
  'admin or user': ['system admin', 'any admin', 'user'],
  member: ['system admin', 'any admin', 'owner member'],
  reader: ['system admin', 'any admin', 'owner reader'],
  anybody: ['system reader', 'any reader'],
  offered: ['system reader', 'any admin', 'owner reader', 'lessee reader', 'public reader'],
} as const;

/** One row a rule by what it is about, as error messages quote it. */
const about = {
  keypair: {
    'os_compute_api:os-keypairs:index': 'admin or user',
    'os_compute_api:os-keypairs:show': 'admin or user',
    'os_compute_api:os-keypairs:create': 'admin or user',
    'os_compute_api:os-keypairs:delete': 'admin or user',
  },
  instance: {
    'os_compute_api:servers:index': 'reader',
    'os_compute_api:servers:detail': 'reader',
    'os_compute_api:servers:index:get_all_tenants': 'admin',
    'os_compute_api:servers:detail:get_all_tenants': 'admin',
    'os_compute_api:servers:allow_all_filters': 'admin',
    'os_compute_api:servers:show': 'reader',
    'os_compute_api:os-extended-server-attributes': 'admin',
    'os_compute_api:servers:create': 'member',
    'os_compute_api:servers:update': 'member',
    'os_compute_api:servers:delete': 'member',
    'os_compute_api:servers:start': 'member',
    'os_compute_api:servers:stop': 'member',
    'os_compute_api:servers:reboot': 'member',
    'os_compute_api:servers:rebuild': 'member',
    'os_compute_api:servers:trigger_crash_dump': 'member',
    'os_compute_api:os-rescue': 'member',
    'os_compute_api:os-unrescue': 'member',
    'os_compute_api:os-lock-server:lock': 'member',
    'os_compute_api:os-lock-server:unlock': 'member',
    'os_compute_api:os-lock-server:unlock:unlock_override': 'admin',
    'os_compute_api:os-deferred-delete:force': 'member',
    'os_compute_api:os-admin-actions:reset_state': 'admin',
    'os_compute_api:os-attach-interfaces:list': 'reader',
    'os_compute_api:os-attach-interfaces:show': 'reader',
    'os_compute_api:os-attach-interfaces:create': 'member',
    'os_compute_api:os-attach-interfaces:delete': 'member',
    'os_compute_api:os-instance-actions:list': 'reader',
    'os_compute_api:os-instance-actions:show': 'reader',
    'os_compute_api:os-instance-actions:events': 'admin',
    'os_compute_api:os-instance-actions:events:details': 'admin',
    'os_compute_api:server-metadata:index': 'reader',
    'os_compute_api:server-metadata:show': 'reader',
    'os_compute_api:server-metadata:create': 'member',
    'os_compute_api:server-metadata:update_all': 'member',
    'os_compute_api:server-metadata:update': 'member',
    'os_compute_api:server-metadata:delete': 'member',
    'os_compute_api:os-server-tags:index': 'reader',
    'os_compute_api:os-server-tags:show': 'reader',
    'os_compute_api:os-server-tags:update': 'member',
    'os_compute_api:os-server-tags:update_all': 'member',
    'os_compute_api:os-server-tags:delete': 'member',
    'os_compute_api:os-server-tags:delete_all': 'member',
    'os_compute_api:ips:index': 'reader',
    'os_compute_api:ips:show': 'reader',
    'os_compute_api:os-security-groups:list': 'reader',
    'os_compute_api:os-volumes-attachments:index': 'reader',
    'os_compute_api:os-volumes-attachments:show': 'reader',
    'os_compute_api:os-volumes-attachments:create': 'member',
    'os_compute_api:os-server-password:show': 'reader',
    'os_compute_api:os-server-password:clear': 'member',
    'os_compute_api:os-remote-consoles': 'member',
    'os_compute_api:os-server-diagnostics': 'admin',
    'os_compute_api:servers:migrations:index': 'admin',
  },
  flavor: {
    'os_compute_api:flavors': 'offered',
    'os_compute_api:os-flavor-manage:create': 'admin',
    'os_compute_api:os-flavor-manage:update': 'admin',
    'os_compute_api:os-flavor-manage:delete': 'admin',
    'os_compute_api:os-flavor-access': 'admin',
    'os_compute_api:os-flavor-access:add_tenant_access': 'admin',
    'os_compute_api:os-flavor-access:remove_tenant_access': 'admin',
    'os_compute_api:os-flavor-extra-specs:index': 'offered',
    'os_compute_api:os-flavor-extra-specs:show': 'offered',
    'os_compute_api:os-flavor-extra-specs:create': 'admin',
    'os_compute_api:os-flavor-extra-specs:update': 'admin',
    'os_compute_api:os-flavor-extra-specs:delete': 'admin',
  },
  'server group': {
    'os_compute_api:os-server-groups:index': 'reader',
    'os_compute_api:os-server-groups:index:all_projects': 'admin',
    'os_compute_api:os-server-groups:show': 'reader',
    'os_compute_api:os-server-groups:create': 'member',
    'os_compute_api:os-server-groups:delete': 'member',
  },
  quota: {
    'os_compute_api:limits': 'anybody',
    'os_compute_api:limits:other_project': 'admin',
    'os_compute_api:os-quota-sets:show': 'reader',
    'os_compute_api:os-quota-sets:detail': 'reader',
    'os_compute_api:os-quota-sets:defaults': 'anybody',
    'os_compute_api:os-quota-sets:update': 'admin',
    'os_compute_api:os-quota-sets:delete': 'admin',
  },
  cloud: {
    'os_compute_api:imports:create': 'admin',
    'os_compute_api:extensions': 'anybody',
    'os_compute_api:os-availability-zone:list': 'anybody',
    'os_compute_api:os-availability-zone:detail': 'admin',
    'os_compute_api:os-hypervisors:list': 'admin',
    'os_compute_api:os-hypervisors:list-detail': 'admin',
    'os_compute_api:os-hypervisors:show': 'admin',
    'os_compute_api:os-hypervisors:search': 'admin',
    'os_compute_api:os-hypervisors:servers': 'admin',
    'os_compute_api:os-hypervisors:statistics': 'admin',
    'os_compute_api:os-hypervisors:uptime': 'admin',
    'os_compute_api:os-services:list': 'admin',
    'os_compute_api:os-migrations:index': 'admin',
    'os_compute_api:os-aggregates:index': 'admin',
    'os_compute_api:os-baremetal-nodes:list': 'admin',
    'os_compute_api:os-baremetal-nodes:show': 'admin',
  },
} as const satisfies Record<string, Record<string, keyof typeof checks>>;

type RuleIn<A> = A extends unknown ? keyof A & string : never;
type Rules = { readonly [R in RuleIn<(typeof about)[keyof typeof about]>]: keyof typeof checks };

const kinds: ReadonlyMap<string, string> = new Map(
  Object.entries(about).flatMap(([kind, rules]) => Object.keys(rules).map((rule) => [rule, kind] as const)),
);

/** What belongs to projects: whoever may not get one of these is not told that it is there. */
const gates = [
  'os_compute_api:servers:show',
  'os_compute_api:flavors',
  'os_compute_api:os-server-groups:show',
] as const;

export const compute = {
  checks,
  rules: Object.assign({}, ...Object.values(about)) as Rules,
  kindOf: (rule: string) => kinds.get(rule)!,
  gates,
  denial: (rule: string) => `Policy doesn't allow ${rule} to be performed.`,
} as const;

/** A rule of this API. */
export type ComputeRule = keyof Rules;
