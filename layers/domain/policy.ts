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

/** An API adds its table here. */
const policies = [baremetal] as const satisfies readonly Policy[];

type RuleOf<P> = P extends { readonly rules: infer R } ? keyof R & string : never;

/** The name of a rule, as error messages quote it. */
export type Rule = RuleOf<(typeof policies)[number]>;

const personasOf = ({ checks, rules }: Policy): [string, readonly string[]][] =>
  Object.entries(rules).map(([rule, check]) => [rule, checks[check]!]);

const allowed: ReadonlyMap<string, readonly string[]> = new Map(policies.flatMap(personasOf));

/** Every rule there is. */
export const rules = [...allowed.keys()] as readonly Rule[];

const kindOf = (rule: string): string => rule.split(':', 2).join(':');

const gates: ReadonlyMap<string, Rule> = new Map(
  policies.flatMap(({ gates }) => gates.map((rule) => [kindOf(rule), rule] as const)),
);

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
  return allowed.get(rule)!.some((persona) => held.includes(persona));
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
  const gate = gates.get(kindOf(rule));
  if (owned && gate && !allows(gate, subject, owned)) {
    const kind = rule.split(':')[1]!;
    throw NotFound(`${title ?? `${kind[0]!.toUpperCase()}${kind.slice(1)}`} ${name} could not be found.`);
  }
  if (!allows(rule, subject, owned)) throw denied(rule);
};
