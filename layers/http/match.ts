/** From a method and a path to the route row of an API, as its protocol reads paths and counts versions. */
import { Fault, MethodNotAllowed, NotFound } from '../domain/fault.ts';
import { isKnown } from '../domain/fields.ts';
import { noVersions, type Protocol, type Reading } from './protocol.ts';
import type { HttpRequest } from './request.ts';
import type { Endpoint } from './route.ts';
import { createTree, type Found, type Params, paramsOf, partsOf } from './tree.ts';

/** `spare`: by the other reading of the path, to be tried when the first finds nothing. */
export type Match<Row> = { readonly row: Row; readonly params: Params; readonly spare?: Params };

const faults = { 404: 'NotFound', 405: 'MethodNotAllowed', 406: 'NotAcceptable' } as const;

const nothing = () => NotFound('There is nothing at this path.');

/**
 * Makes the matcher of these rows. It throws NotFound (404), MethodNotAllowed (405), or what a row says of versions
 * that are too old for it. `methods` are those that a path has; `media` is the type of an answer, if its row has one.
 */
export const createMatcher = <Row extends Endpoint>(rows: readonly Row[], protocol: Protocol) => {
  const find = createTree(rows);
  const { standard, spell } = protocol.versions ?? noVersions;
  const read = (request: HttpRequest, version: number): Reading => protocol.read?.(request, version) ?? request;

  const plain = new Set(rows.map(({ at }) => partsOf(at).path).filter((path) => !path.includes('{')));
  const isSpeltOut = (segments: readonly string[]): boolean => plain.has(`/${segments.join('/')}`);

  const isThere = (row: Endpoint, version: number): boolean =>
    isKnown(row, version) || (row.unversioned === true && version === standard);

  const isGone = ({ until = Infinity }: Endpoint, version: number): boolean => until < version;

  /** The path that is meant, and what else it may mean. */
  const pathOf = (request: HttpRequest, version: number) => {
    const { segments, spare } = read(request, version);
    return { path: spare && isSpeltOut(spare) ? spare : segments, spare };
  };

  /** The rows of a path, without those that are nothing to this version. */
  const known = ({ leaves }: Found<Row>, version: number): Found<Row>['leaves'] =>
    new Map(
      [...leaves].filter(([, { row }]) => isThere(row, version) || (row.tooOld !== 'nothing' && !isGone(row, version))),
    );

  const tooOld = ({ at, since = 1, tooOld: given = 404 }: Endpoint, version: number, allow: string[]): Fault => {
    const code = given === 'nothing' ? 404 : given;
    const text = `${at} needs API version ${spell(since)}, this request asked for ${spell(version)}.`;
    return code === 405 ? MethodNotAllowed(text, allow) : new Fault(faults[code], code, text);
  };

  /** Those of this version; where it has none, those there will be. */
  const methodsOf = (leaves: Found<Row>['leaves'], version: number): string[] => {
    const now = [...leaves].flatMap(([method, { row }]) => (isThere(row, version) ? method : []));
    return now.length > 0 ? now : [...leaves.keys()];
  };

  const match = (request: HttpRequest, version: number): Match<Row> => {
    const { method } = request;
    const { path, spare } = pathOf(request, version);
    const found = find(path);
    const leaves = found && known(found, version);
    if (!leaves?.size) throw nothing();
    const leaf = leaves.get(method);
    const possible = methodsOf(leaves, version);
    if (!leaf) throw MethodNotAllowed(`${method} is not possible here, only ${possible.join(', ')}.`, possible);
    const { row, names } = leaf;
    if (!isThere(row, version)) throw tooOld(row, version, possible);
    const params = paramsOf(names, found!.values);
    const other = spare && path !== spare ? find(spare) : undefined;
    if (other?.leaves.get(method) !== leaf) return { row, params };
    return { row, params, spare: paramsOf(names, other.values) };
  };

  const methods = (request: HttpRequest, version: number): string[] => {
    const { segments, spare } = read(request, version);
    const found = find(spare ?? segments);
    if (!found) throw nothing();
    return [...found.leaves.keys()];
  };

  const media = (request: HttpRequest, version: number): string | undefined =>
    find(pathOf(request, version).path)?.leaves.get(request.method)?.row.media;

  return Object.assign(match, { methods, media });
};
