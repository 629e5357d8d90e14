/**
 * Decides who may do what (ironic-rbac.md 2 to 4): each API has a table of rules, of which every route row, and a field
 * row whose field is not for everybody, names one.
 */
import { baremetal } from './baremetal/policy.ts';
import { Forbidden, NotFound } from './fault.ts';

/** Who calls. Scope `system` sees all projects. */
export type Subject = {
  readonly user: string | null;
  readonly project: string | null;
  readonly roles: readonly string[];
  readonly scope: 'system' | 'project';
};

/**
 * What a rule looks at: the projects that own and use a record, and whether it is there for every project. Collections
 * have none of this.
 */
export type Owned = { readonly owner?: string | null; readonly lessee?: string | null; readonly public?: boolean };

/** Each role has those after it too; `service` stands alone. */
const ladder = ['admin', 'manager', 'member', 'reader'] as const;

/** What a caller is to a record, and in which role; `any`: a caller of some project, whatever the record. */
type Persona = `${'system' | 'any' | 'owner' | 'lessee' | 'public'} ${(typeof ladder)[number] | 'service'}`;

/** Who may do what by one API. A rule is called `<api>:<kind>:<what>`. */
type Policy = {
  /** The personas of which one is enough, by the names that the rules use. */
  readonly checks: Readonly<Record<string, readonly Persona[]>>;
  readonly rules: Readonly<Record<string, string>>;
  /** Who does not pass the gate of its kind is not told that a record is there: it is missing (404). */
  readonly gates: readonly string[];
};

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

/** What every record of the caller's project has; undefined for callers that see all projects, or have none. */
export const ownOf = ({ scope, project }: Subject): (Owned & { readonly owner: string }) | undefined =>
  scope === 'project' && project !== null ? { owner: project, lessee: project } : undefined;

/** Refuses what is visible, by the rule's name. */
export const denied = (rule: string) => Forbidden(`Access was denied to the following resource: ${rule}`);

type RuleOf<P> = P extends { readonly rules: infer R } ? keyof R & string : never;

const kindOf = (rule: string): string => rule.split(':', 2).join(':');

const capital = (word: string): string => `${word[0]!.toUpperCase()}${word.slice(1)}`;

/** What can be asked of these tables; below it is asked of those of all APIs. */
export const policyOf = <const P extends Policy>(policies: readonly P[]) => {
  const allowed: ReadonlyMap<RuleOf<P>, readonly string[]> = new Map(
    policies.flatMap(({ checks, rules }) =>
      Object.entries(rules).map(([rule, check]) => [rule as RuleOf<P>, checks[check]!]),
    ),
  );
  const gates: ReadonlyMap<string, RuleOf<P>> = new Map(
    policies.flatMap(({ gates }) => gates.map((rule) => [kindOf(rule), rule as RuleOf<P>])),
  );

  const allows = (rule: RuleOf<P>, subject: Subject, owned: Owned = {}): boolean => {
    const held = personas(subject, owned);
    return allowed.get(rule)!.some((persona) => held.includes(persona));
  };

  const authorize = (
    rule: RuleOf<P>,
    subject: Subject,
    owned: Owned | undefined,
    name?: string,
    title = capital(rule.split(':')[1]!),
  ): void => {
    const gate = gates.get(kindOf(rule));
    if (owned && gate && !allows(gate, subject, owned)) throw NotFound(`${title} ${name} could not be found.`);
    if (!allows(rule, subject, owned)) throw denied(rule);
  };

  return { rules: [...allowed.keys()], allows, authorize };
};

/** An API adds its table here. */
const all = policyOf([baremetal]);

/** Every rule there is. */
export const { rules } = all;

/** The name of a rule, as error messages quote it. */
export type Rule = (typeof rules)[number];

/** Whether a caller passes a rule for a record, or for a collection when none is given. */
export const { allows } = all;

/**
 * Lets a caller through or throws: NotFound (404) with the words of a missing record for what the caller may not even
 * get, Forbidden (403) for what is visible. `name` is how the request names the record; absent for collections. `title`
 * is what messages call it, if that is not the kind that the rule names.
 */
export const { authorize } = all;
