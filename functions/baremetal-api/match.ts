/** From a method and a path to a route row (ironic-api.md 1.1, 1.2, 1.6). The rows are compiled once. */
import { Fault, MethodNotAllowed, NotFound } from '../../layers/domain/fault.ts';
import type { HttpRequest } from '../../layers/http/request.ts';
import { legacyHeader } from '../../layers/http/version.ts';
import type { Route } from './route.ts';

type Params = Readonly<Record<string, string>>;

/** `spare`: the same with a `.json` that was cut off put back, to be tried when the first finds nothing. */
export type Match = { readonly route: Route; readonly params: Params; readonly spare?: Params };

type Leaf = { readonly route: Route; readonly names: readonly string[] };
type Branch = { readonly literals: Map<string, Branch>; any?: Branch; readonly leaves: Map<string, Leaf> };

const grow = (): Branch => ({ literals: new Map(), leaves: new Map() });
const isParam = (segment: string) => segment.startsWith('{');

const follow = (branch: Branch, segment: string): Branch => {
  if (isParam(segment)) return (branch.any ??= grow());
  const next = branch.literals.get(segment) ?? grow();
  branch.literals.set(segment, next);
  return next;
};

const plant = (root: Branch, route: Route): void => {
  const [method, path] = route.at.split(' ') as [string, string];
  const segments = path.split('/').filter(Boolean);
  const { leaves } = segments.reduce(follow, root);
  if (leaves.has(method)) throw new Error(`Two routes for ${route.at}.`);
  leaves.set(method, { route, names: segments.filter(isParam).map((segment) => segment.slice(1, -1)) });
};

type Found = { readonly leaves: Map<string, Leaf>; readonly values: readonly string[] };

/** Literals win over parameters; a branch that leads nowhere is left again. */
const walk = (branch: Branch, [segment, ...rest]: readonly string[], values: readonly string[]): Found | undefined => {
  if (segment === undefined) return branch.leaves.size > 0 ? { leaves: branch.leaves, values } : undefined;
  const literal = branch.literals.get(segment);
  const found = literal && walk(literal, rest, values);
  return found ?? (branch.any && segment !== '' ? walk(branch.any, rest, [...values, segment]) : undefined);
};

const suffix = '.json';

/** Below 1.91, and only for clients that use the legacy version header, `.json` is not part of a name. */
const cutsSuffix = ({ headers, segments }: HttpRequest, version: number) =>
  version < 91 && headers[legacyHeader] !== undefined && (segments.at(-1) ?? '').length > suffix.length
    ? segments.at(-1)!.endsWith(suffix)
    : false;

const tooOld = (route: Route, version: number) => {
  const code = route.tooOld ?? 404;
  const name = { 404: 'NotFound', 405: 'MethodNotAllowed', 406: 'NotAcceptable' }[code];
  return new Fault(name, code, `${route.at} needs API version 1.${route.since}, this request asked for 1.${version}.`);
};

const paramsOf = (names: readonly string[], values: readonly string[]): Params =>
  Object.fromEntries(names.map((name, at) => [name, values[at]!]));

/** Only a name at the end of the path can have lost its suffix. */
const spareOf = ({ names }: Leaf, values: readonly string[], last: string): { spare?: Params } =>
  values.at(-1) === last ? { spare: paramsOf(names, [...values.slice(0, -1), last + suffix]) } : {};

/** "Bookmark" links leave /v1 out. */
const withVersion = (segments: readonly string[]) =>
  segments.length > 0 && segments[0] !== 'v1' ? ['v1', ...segments] : segments;

const reach = (root: Branch, segments: readonly string[]): Found => {
  const found = walk(root, withVersion(segments), []);
  if (!found) throw NotFound('There is nothing at this path.');
  return found;
};

/**
 * Makes the matcher of these rows. It throws NotFound (404), MethodNotAllowed (405), or what a row says of versions
 * that are too old for it. `methods` are those that a path has.
 */
export const compile = (routes: readonly Route[]) => {
  const root = grow();
  for (const route of routes) plant(root, route);
  /** Paths whose own name ends so keep it at every version. */
  const whole = new Set(routes.map(({ at }) => at.split(' ')[1]!).filter((path) => path.endsWith(suffix)));

  const match = (request: HttpRequest, version: number): Match => {
    const { method, segments } = request;
    const cut = cutsSuffix(request, version) && !whole.has(`/${withVersion(segments).join('/')}`);
    const asked = cut ? [...segments.slice(0, -1), segments.at(-1)!.slice(0, -suffix.length)] : segments;
    const { leaves, values } = reach(root, asked);
    const leaf = leaves.get(method);
    if (!leaf) throw MethodNotAllowed(`${method} is not possible here, only ${[...leaves.keys()].join(', ')}.`);
    if ((leaf.route.since ?? 1) > version) throw tooOld(leaf.route, version);
    const params = paramsOf(leaf.names, values);
    return { route: leaf.route, params, ...(cut && spareOf(leaf, values, asked.at(-1)!)) };
  };

  return Object.assign(match, {
    methods: ({ segments }: HttpRequest): string[] => [...reach(root, segments).leaves.keys()],
  });
};
