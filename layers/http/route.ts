/** What a row of an API is, and what a handler is told. The order of checks is the pipeline's, in `pipeline.ts`. */
import type { z } from 'zod';

import type { Fields } from '../domain/fields.ts';
import type { Subject } from '../domain/policy.ts';
import type { Content } from './protocol.ts';
import type { Params } from './tree.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Names with the version that introduced each, and the last one that has it. Outside of these a name is refused as the
 * protocol refuses what is too new, or with 400.
 */
export type QueryTable = {
  readonly [name: string]: {
    readonly since?: number;
    readonly until?: number;
    readonly tooOld?: 400;
    readonly doc?: string;
  };
};

/** A schema, or one for each version. */
export type BodySchema<Body> = z.ZodType<Body> | ((version: number) => z.ZodType<Body>);

/** Records on the wire, for the documents. `name` is the schema's. */
export type Shape = {
  readonly name: string;
  readonly rows: Fields;
  /** What only some callers are shown besides. */
  readonly also?: Fields;
  /** The key that a record stands under, of a list each; absent: it stands by itself. */
  readonly under?: string;
  /** The key of a list of new ones that may stand in its place. */
  readonly bulk?: string;
  /** The key of a list of them; absent: it is one. */
  readonly list?: string;
  /** What other keys hold that a record may have; absent: it has none. */
  readonly open?: z.ZodType;
};

/** What clients can know of a row: all but how it is done. The OpenAPI document is made of it. */
export type Endpoint<Body = unknown> = {
  readonly at: `${Method} /${string}`;
  /** The version that introduced it; below it the row answers `tooOld` (default 404); `nothing`: as if it were not here. */
  readonly since?: number;
  readonly tooOld?: 404 | 405 | 406 | 'nothing';
  /** Who may not do it is told so before its version is looked at. */
  readonly rolesFirst?: true;
  /** The last version that has it; above it there is nothing here (404). */
  readonly until?: number;
  /** Requests of the standard version have it too: its clients send none. */
  readonly unversioned?: true;
  /** Default: 200 with a body, 204 without. */
  readonly status?: number | ((version: number) => number);
  /** What success is of some requests; 204: there was nothing to do, or to tell. */
  readonly otherwise?: 200 | 204;
  /** It answers nothing else: what it is about is not there, or not possible with a machine. */
  readonly refuses?: 404 | 501;
  /** The query parameters there are; any other is refused. */
  readonly query?: QueryTable;
  /** Any other query parameter arrives too: what there is, is data. */
  readonly openQuery?: true;
  /** The JSON body; absent: none is looked at, though one that is sent has to be JSON. */
  readonly body?: BodySchema<Body>;
  /** Keys of the body that are not as old as the row. */
  readonly keys?: QueryTable;
  /** Each top-level key may also come as a query parameter (ironic-api.md 11), and the body may be empty. */
  readonly arguments?: true;
  /** Who moves in needs it: those who may import may do it in a maintenance too. */
  readonly movesIn?: true;
  /** The handler reads the body itself (`raw` of the call), by limits of its own. */
  readonly raw?: true;
  /** For the documents: the body, where its handler checks more of it than `body` says. */
  readonly takes?: BodySchema<unknown> | Shape;
  /** Most bytes of a body; default 1 MiB. */
  readonly limit?: number;
  /** What its answer shows, for the documents. A POST takes a new record of it. */
  readonly answers?: Shape;
  /** The same of an answer that is no record: its schema. */
  readonly shows?: z.ZodType;
  /** The media type of its answers, where that is none of the protocol's. */
  readonly media?: string;
  /** What it does, for the documents, where the rule's name does not say it. */
  readonly doc?: string;
};

/** The status of success that a row says; undefined: it says none. */
export const statusAt = ({ status }: Pick<Endpoint, 'status'>, version: number): number | undefined =>
  typeof status === 'function' ? status(version) : status;

/** The body as it came. Both throw TooLarge (413) past `limit` bytes; `json` also Invalid (400), TooDeep (400). */
export type RawBody = {
  bytes(limit: number): Uint8Array;
  /** Undefined for an empty body. */
  json(limit: number): unknown;
};

export type Call<Body = unknown, Target = unknown> = {
  /** The effective version: N of 1.N or 2.N. */
  readonly version: number;
  readonly params: Params;
  /** Repeated parameters are kept in order. Only names that the row's `query` lists arrive here (others: 400). */
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly subject: Subject;
  /** The caller is here for this project alone, because of the row's `own`; null: for all there is. */
  readonly only: string | null;
  /** Address the request came from; empty if it is unknown. */
  readonly source: string;
  /** Start of all links, without a trailing slash and without a version. */
  readonly base: string;
  readonly body: Body;
  readonly raw: RawBody;
  readonly target: Target;
  readonly request_id: string;
  /** As the client sent them; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
};

/** One of `body`, `json` and `content`, or none. */
export type Answer = {
  readonly status?: number;
  readonly body?: unknown;
  /** The body, of a handler that has its JSON text. */
  readonly json?: string;
  /** The body where that is no JSON. */
  readonly content?: Content;
  /** Path below `base`, such as /v1/nodes/<uuid>. */
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** `Deps`: what the handlers of an API use. `Rule`: the rows of its policy. */
export type Route<Deps, Rule extends string, Body = unknown, Target = unknown> = Endpoint<Body> & {
  /** Rule of the API's policy; `public` is for everybody. */
  readonly policy: Rule | 'public';
  /**
   * Who does not pass `policy` but this rule, as the owner or lessee of the target, may do it for one project (`only`
   * of the call). Without a target the handler has to see to that: a list shows what belongs to the project, a POST
   * refuses what does not.
   */
  readonly own?: Rule;
  /** Whether the operator's settings leave that to projects; default: they do. */
  ownIf?(deps: Deps): boolean;
  /** What messages call the record that the path names, if that is not the kind in the name of the rule. */
  readonly title?: string;
  /**
   * Finds the record that the path names; throws NotFound. Policy reads `owner` and `lessee` of it, or of its `node`
   * if it has one, and conceals what the caller may not get.
   */
  find?(deps: Deps, params: Params, version: number): Promise<Target>;
  handle(deps: Deps, call: Call<Body, Target>): Promise<Answer>;
};
