/** The line of the log that each request leaves which is let through to change something: who asked for what. */
import type { Subject } from '../domain/policy.ts';

/** Names that a line has at most, and characters of each: clients may choose them. */
const maxNames = 50;
const maxName = 100;

const methods: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Whether requests of a row change anything, and who sends them is known. */
export const leavesTrail = ({ at, policy }: { readonly at: string; readonly policy: string }): boolean =>
  methods.includes(at.split(' ')[0]!) && policy !== 'public';

const pathOf = (step: unknown): unknown =>
  typeof step === 'object' && step !== null ? (step as { readonly path?: unknown }).path : undefined;

/** The names in a body: keys, or the paths of a JSON patch. Never a value, which may be a secret. */
const namesIn = (body: unknown): string[] => {
  if (typeof body !== 'object' || body === null) return [];
  const names: unknown[] = Array.isArray(body) ? body.map(pathOf) : Object.keys(body);
  return names
    .filter((name) => typeof name === 'string')
    .slice(0, maxNames)
    .map((name) => name.slice(0, maxName));
};

/** What of a request goes into its line; its status and path come to it at the end. */
export const trailOf = ({ at }: { readonly at: string }, { user, project, roles, scope }: Subject, body: unknown) => ({
  route: at,
  user,
  project,
  roles: roles.join(','),
  scope,
  names: namesIn(body),
});

export type Trail = ReturnType<typeof trailOf>;
