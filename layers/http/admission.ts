/** Whether a caller may take a route: the step of the pipeline that an API brings with it. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

import { type Fault, Unauthorized } from '../domain/fault.ts';
import { actingFor, ownOf, type Owned, type Subject } from '../domain/policy.ts';
import type { Route } from './route.ts';

/** Where clients prove who they are, in lower case. */
export const proofHeaders: readonly string[] = ['authorization', 'x-auth-token'];

/** Who calls, and from where. `subject`: null if nobody says who it is. */
export type Caller = { readonly subject: Subject | null; readonly source: string; readonly path: string };

/** For whom a call is made; see `Call`. */
export type Admitted = { readonly subject: Subject; readonly only: string | null };

/**
 * Lets a caller through or throws: Unauthorized (401), Forbidden (403), NotFound (404) for what is to be concealed.
 * `name` is how the request names the target, if there is one.
 */
export type Admit<Deps, Rule extends string> = (
  deps: Deps,
  row: Route<Deps, Rule>,
  caller: Caller,
  target: unknown,
  name?: string,
) => Admitted;

/** Whom nobody has asked who he is. */
export const nobody: Subject = { user: null, project: null, roles: [], scope: 'project' };

/**
 * Who the authorizer says is calling; null on paths that have none, and once the token has ended: API Gateway keeps an
 * authorizer's answer for five minutes, however long the token lives. The context holds strings only.
 */
export const subjectOf = (event: APIGatewayProxyEvent, now: number): Subject | null => {
  const known = event.requestContext?.authorizer;
  if (!known || Number(known['expires_at'] ?? Infinity) <= now) return null;
  const text = (name: string) => (typeof known[name] === 'string' && known[name] !== '' ? known[name] : null);
  return {
    user: text('user'),
    user_name: text('user_name'),
    project: text('project'),
    project_name: text('project_name'),
    roles: (text('roles') ?? '').split(',').filter(Boolean),
    scope: text('scope') === 'system' ? 'system' : 'project',
  };
};

/** What the policy looks at: the record itself, or the node it belongs to. */
const ownedBy = (target: unknown): Owned | undefined => {
  if (typeof target !== 'object' || target === null) return undefined;
  return (target as { node?: Owned }).node ?? target;
};

/** A policy's table as two questions; see `layers/domain/policy.ts`. */
export type Policy<Rule extends string> = {
  allows(rule: Rule, subject: Subject, owned?: Owned): boolean;
  authorize(rule: Rule, subject: Subject, owned: Owned | undefined, name?: string, title?: string): void;
};

/** That of an API where everything belongs to a tenant. */
export type TenantPolicy<Rule extends string> = Policy<Rule> & { denied(rule: Rule): Fault };

/** By the rules of a policy, for callers whom the authorizer knows. */
export const byRules =
  <Deps, Rule extends string>({ allows, authorize }: Policy<Rule>): Admit<Deps, Rule> =>
  (deps, { policy, own, ownIf, title }, { subject }, target, name) => {
    if (policy === 'public') return { subject: subject ?? nobody, only: null };
    if (!subject) throw Unauthorized('Authentication is required.');
    const owned = ownedBy(target);
    const mine = own && (ownIf?.(deps) ?? true) ? ownOf(subject) : undefined;
    if (mine && !allows(policy, subject, owned) && allows(own!, subject, owned ?? mine)) {
      return { subject, only: mine.owner };
    }
    authorize(policy, subject, owned, name, title);
    return { subject, only: null };
  };

/**
 * The same where everything belongs to a tenant. What names no record is asked of what the caller himself has, so a rule
 * for members of a project lets them list and create; a handler that looks at others' asks the rule again.
 */
export const byTenantRules =
  <Deps, Rule extends string>({ allows, authorize, denied }: TenantPolicy<Rule>): Admit<Deps, Rule> =>
  (_deps, { policy, title }, { subject: caller }, target, name) => {
    if (policy === 'public') return { subject: caller ?? nobody, only: null };
    if (!caller) throw Unauthorized('Authentication is required.');
    const subject = actingFor(caller);
    const owned = ownedBy(target);
    if (owned) authorize(policy, subject, owned, name, title);
    else if (!allows(policy, subject, { project_id: subject.project, user_id: subject.user })) throw denied(policy);
    return { subject, only: null };
  };
