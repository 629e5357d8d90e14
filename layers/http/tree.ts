/**
 * From a path to the rows that stand there. The API functions find their routes by it, and the gateway of one machine
 * the functions, as API Gateway does. Rows are compiled once.
 */

export type Params = Readonly<Record<string, string>>;

/** `names`: of the parameters, in order. */
export type Leaf<Row> = { readonly row: Row; readonly names: readonly string[] };

/** The rows at a path by their methods, and what stands for its parameters. */
export type Found<Row> = { readonly leaves: ReadonlyMap<string, Leaf<Row>>; readonly values: readonly string[] };

type Leaves<Row> = Map<string, Leaf<Row>>;
type Branch<Row> = {
  readonly literals: Map<string, Branch<Row>>;
  /** `{name}`: one segment. */
  any?: Branch<Row>;
  /** `{name+}`: all that is left, one segment at least. */
  rest?: Branch<Row>;
  readonly leaves: Leaves<Row>;
};

const grow = <Row>(): Branch<Row> => ({ literals: new Map(), leaves: new Map() });
const isParam = (segment: string) => segment.startsWith('{');

const follow = <Row>(branch: Branch<Row>, segment: string): Branch<Row> => {
  if (segment.endsWith('+}')) return (branch.rest ??= grow());
  if (isParam(segment)) return (branch.any ??= grow());
  const next = branch.literals.get(segment) ?? grow();
  branch.literals.set(segment, next);
  return next;
};

/** `GET /v1/nodes/{ident}` in two. */
export const partsOf = (at: string): { readonly method: string; readonly path: string } => {
  const blank = at.indexOf(' ');
  return { method: at.slice(0, blank), path: at.slice(blank + 1) };
};

const plant = <Row extends { readonly at: string }>(root: Branch<Row>, row: Row): void => {
  const { method, path } = partsOf(row.at);
  const segments = path.split('/').filter(Boolean);
  const { leaves } = segments.reduce((branch, segment) => follow(branch, segment), root);
  if (leaves.has(method)) throw new Error(`Two routes for ${row.at}.`);
  leaves.set(method, { row, names: segments.filter(isParam).map((segment) => segment.replaceAll(/[{+}]/g, '')) });
};

/** Literals win over parameters, these over what takes the rest; a branch that leads nowhere is left again. */
const walk = <Row>(
  branch: Branch<Row>,
  [segment, ...left]: readonly string[],
  values: readonly string[],
): Found<Row> | undefined => {
  if (segment === undefined) return branch.leaves.size > 0 ? { leaves: branch.leaves, values } : undefined;
  const literal = branch.literals.get(segment);
  const { any, rest } = branch;
  return (
    (literal && walk(literal, left, values)) ??
    (any && segment !== '' ? walk(any, left, [...values, segment]) : undefined) ??
    (rest && { leaves: rest.leaves, values: [...values, [segment, ...left].join('/')] })
  );
};

/** The parameters of a leaf that was found. */
export const paramsOf = (names: readonly string[], values: readonly string[]): Params =>
  Object.fromEntries(names.map((name, at) => [name, values[at]!]));

/**
 * Makes the function that finds the rows at a path; undefined where there are none. A row stands `at` a method and a
 * path such as `GET /v1/nodes/{ident}`, and at most one at each.
 */
export const createTree = <Row extends { readonly at: string }>(
  rows: readonly Row[],
): ((segments: readonly string[]) => Found<Row> | undefined) => {
  const root = grow<Row>();
  for (const row of rows) plant(root, row);
  return (segments) => walk(root, segments, []);
};
