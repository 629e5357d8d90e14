/** Who may do what by the Compute API (compute-api.md 10). How it is decided is in ../policy.ts. */

/**
 * Role admin is the administrator of the cloud in whatever project, as in Nova, where projects know members and readers
 * only.
 */
const checks = {
  admin: ['system admin', 'any admin'],
  'admin or user': ['system admin', 'any admin', 'user'],
} as const;

/** One row a rule, as error messages quote it. */
const rules = {
  'os_compute_api:os-keypairs:index': 'admin or user',
  'os_compute_api:os-keypairs:show': 'admin or user',
  'os_compute_api:os-keypairs:create': 'admin or user',
  'os_compute_api:os-keypairs:delete': 'admin or user',
} as const satisfies Record<string, keyof typeof checks>;

/** What belongs to projects: whoever may not get one of these is not told that it is there. */
const gates = [] as const satisfies (keyof typeof rules)[];

export const compute = {
  checks,
  rules,
  gates,
  denial: (rule: string) => `Policy doesn't allow ${rule} to be performed.`,
} as const;
