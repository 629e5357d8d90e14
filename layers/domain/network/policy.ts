/** Who may do what by the Networking API, by Neutron's names. How it is decided is in ../policy.ts. */

const checks = {} as const;

/** One row a rule, as error messages quote it: `<verb>_<kind>`. */
const rules = {} as const satisfies Record<string, keyof typeof checks>;

/** What belongs to projects: whoever may not get one of these is not told that it is there. */
const gates = [] as const satisfies (keyof typeof rules)[];

export const network = {
  checks,
  rules,
  gates,
  kindOf: (rule: string) => rule.slice(rule.indexOf('_') + 1),
  denial: (rule: string) => `rule:${rule} is disallowed by policy`,
} as const;
