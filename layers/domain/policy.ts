/**
 * Decides who may do what (ironic-rbac.md 2 to 4): each API has a table of rules, of which every route row, and a field
 * row whose field is not for everybody, names one.
 */
import { baremetal } from './baremetal/policy.ts';
import { compute } from './compute/policy.ts';
import { Forbidden, NotFound, type Fault } from './fault.ts';
import { image } from './image/policy.ts';
import { network } from './network/policy.ts';

/** Who calls, by ids. Scope `system` sees all projects. The names are for people, and nobody decides by them. */
export type Subject = {
  readonly user: string | null;
  readonly user_name?: string | null;
  readonly project: string | null;
  readonly project_name?: string | null;
  readonly roles: readonly string[];
  readonly scope: 'system' | 'project';
};

/**
 * What a rule looks at: the projects that own and use a record, and whether it is there for every project; of what tenants
 * have, the project that has it and the user. Collections have none of this.
 */
export type Owned = {
  readonly owner?: string | null;
  readonly lessee?: string | null;
  readonly public?: boolean;
  /** The same in Nova's word, and the projects that it is for if it is not. */
  readonly is_public?: boolean;
  readonly projects?: readonly string[];
  readonly project_id?: string | null;
  /** The same in Nova's older word. */
  readonly tenant_id?: string | null;
  readonly user_id?: string | null;
};

/** Each role has those after it too; `service` stands alone. */
const ladder = ['admin', 'manager', 'member', 'reader'] as const;

/**
 * What a caller is to a record, and in which role; `any`: a caller of some project, whatever the record; `user`: the one
 * whose it is, in whatever role.
 */
/** The roles there are. */
export const roleNames = [...ladder, 'service'] as const;
type Role = (typeof roleNames)[number];

/** Whether policy knows such a role. */
export const isRole = (name: string): name is Role => (roleNames as readonly string[]).includes(name);

type Persona = `${'system' | 'any' | 'owner' | 'lessee' | 'public'} ${Role}` | 'user';

/** Who may do what by one API. */
type Policy = {
  /** The personas of which one is enough, by the names that the rules use. */
  readonly checks: Readonly<Record<string, readonly Persona[]>>;
  readonly rules: Readonly<Record<string, string>>;
  /** The kind that a rule is about, out of its name; default: of `<api>:<kind>:<what>`. */
  readonly kindOf?: (rule: string) => string;
  /** What somebody is told who may not, by the rule's name; default: Ironic's words. */
  readonly denial?: (rule: string) => string;
  /** What somebody is told of a record that he may not know of, as of one that is missing; default: NotFound. */
  readonly missing?: (kind: string, name: string) => Fault;
  /** Who does not pass the gate of its kind is not told that a record is there: it is missing (404). */
  readonly gates: readonly string[];
};

const withImplied = (roles: readonly string[]): string[] => {
  const highest = ladder.findIndex((role) => roles.includes(role));
  return [...(highest === -1 ? [] : ladder.slice(highest)), ...(roles.includes('service') ? ['service'] : [])];
};

const personas = ({ user, roles, scope, project }: Subject, owned: Owned): string[] => {
  const { lessee, projects, user_id: theirs } = owned;
  const { public: open = owned.is_public, owner = owned.project_id ?? owned.tenant_id } = owned;
  const held = withImplied(roles);
  const as = (who: string) => held.map((role) => `${who} ${role}`);
  const self = user !== null && user === theirs ? ['user'] : [];
  if (scope === 'system') return [...as('system'), ...self];
  if (project === null) return [];
  return [
    ...as('any'),
    ...self,
    ...(project === owner ? as('owner') : []),
    ...(project === lessee || projects?.includes(project) ? as('lessee') : []),
    ...(open ? as('public') : []),
  ];
};

/** For which project those act who see the whole system, where everything belongs to one. */
const adminProject = 'admin';

/** The caller as an API for tenants takes him: with a project of his own, unless his token has none. */
export const actingFor = (caller: Subject): Subject =>
  caller.scope === 'system' && caller.project === null
    ? { ...caller, project: adminProject, project_name: adminProject }
    : caller;

/** What every record of the caller's project has; undefined for callers that see all projects, or have none. */
export const ownOf = ({ scope, project }: Subject): (Owned & { readonly owner: string }) | undefined =>
  scope === 'project' && project !== null ? { owner: project, lessee: project } : undefined;

const ironicDenial = (rule: string): string => `Access was denied to the following resource: ${rule}`;

type RuleOf<P> = P extends { readonly rules: infer R } ? keyof R & string : never;

const middle = (rule: string): string => rule.split(':')[1] ?? rule;

const capital = (word: string): string => `${word[0]!.toUpperCase()}${word.slice(1)}`;

/** What a rule is about, with the gate of its kind, if that has one. */
type About<R> = Pick<Policy, 'missing'> & { readonly kind: string; readonly gate?: R; readonly denial: string };

/** What can be asked of these tables; below it is asked of those of all APIs. */
export const policyOf = <const P extends Policy>(policies: readonly P[]) => {
  const allowed: ReadonlyMap<RuleOf<P>, readonly string[]> = new Map(
    policies.flatMap(({ checks, rules }) =>
      Object.entries(rules).map(([rule, check]) => [rule as RuleOf<P>, checks[check]!]),
    ),
  );
  const about: ReadonlyMap<string, About<RuleOf<P>>> = new Map(
    policies.flatMap(({ rules, gates, kindOf = middle, denial = ironicDenial, missing }) =>
      Object.keys(rules).map((rule) => {
        const gate = gates.find((one) => kindOf(one) === kindOf(rule)) as RuleOf<P> | undefined;
        return [rule, { kind: kindOf(rule), denial: denial(rule), ...(gate && { gate }), ...(missing && { missing }) }];
      }),
    ),
  );

  const allows = (rule: RuleOf<P>, subject: Subject, owned: Owned = {}): boolean => {
    const held = personas(subject, owned);
    return allowed.get(rule)!.some((persona) => held.includes(persona));
  };

  /** Refuses what is visible. */
  const denied = (rule: RuleOf<P>) => Forbidden(about.get(rule)!.denial);

  const authorize = (
    rule: RuleOf<P>,
    subject: Subject,
    owned: Owned | undefined,
    name?: string,
    title = capital(about.get(rule)!.kind),
  ): void => {
    const { gate, kind, missing } = about.get(rule)!;
    if (owned && gate && !allows(gate, subject, owned)) {
      throw missing?.(kind, name!) ?? NotFound(`${title} ${name} could not be found.`);
    }
    if (!allows(rule, subject, owned)) throw denied(rule);
  };

  return { rules: [...allowed.keys()], allows, authorize, denied };
};

/** An API adds its table here. */
const all = policyOf([baremetal, compute, image, network]);

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

/** Refuses what is visible, by the rule's name. */
export const { denied } = all;
