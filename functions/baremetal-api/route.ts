/** What a route row is, and what a handler is told. The order of checks is the pipeline's, in `app.ts`. */
import type { z } from 'zod';

import type { Fields } from '../../layers/domain/fields.ts';
import type { Rule, Subject } from '../../layers/domain/policy.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import type { Config } from './config.ts';

export type Deps = Pick<
  Platform,
  'table' | 'objects' | 'workflows' | 'functions' | 'sealer' | 'log' | 'clock' | 'chance' | 'ids'
> & {
  readonly config: Config;
};

export type Call<Body = unknown, Target = unknown> = {
  /** The effective microversion: N of 1.N. */
  readonly version: number;
  readonly params: Readonly<Record<string, string>>;
  /** Repeated parameters are kept in order. Only names that the row's `query` lists arrive here (others: 400). */
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly subject: Subject;
  /** The caller is here for this project alone, because of the row's `own`; null: for all there is. */
  readonly only: string | null;
  /** Start of all links, without a trailing slash and without /v1. */
  readonly base: string;
  readonly body: Body;
  readonly target: Target;
  readonly request_id: string;
};

export type Answer = {
  readonly status?: number;
  readonly body?: unknown;
  /** The body, of a handler that has its JSON text. */
  readonly json?: string;
  /** Path below `base`, such as /v1/nodes/<uuid>. */
  readonly location?: string;
};

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type QueryTable = { readonly [name: string]: { readonly since?: number; readonly tooOld?: 400 } };

export type Route<Body = unknown, Target = unknown> = {
  readonly at: `${Method} /${string}`;
  /** Microversion 1.N; below it the route answers `tooOld` (default 404). */
  readonly since?: number;
  readonly tooOld?: 404 | 405 | 406;
  /** Rule of layers/domain/policy.ts; `public` is for everybody. */
  readonly policy: Rule | 'public';
  /**
   * Who does not pass `policy` but this rule, as the owner or lessee of the target, may do it for one project (`only`
   * of the call). Without a target the handler has to see to that: a list shows what belongs to the project, a POST
   * refuses what does not.
   */
  readonly own?: Rule;
  /** Whether the operator's settings leave that to projects; default: they do. */
  ownIf?(config: Config): boolean;
  /** What messages call the record that the path names, if that is not the kind in the name of the rule. */
  readonly title?: string;
  /** Default: 200 with a body, 204 without. */
  readonly status?: number;
  /** Allowed query parameters with the microversion that introduced each; below it 406, or what `tooOld` says. */
  readonly query?: QueryTable;
  /**
   * The JSON body. `arguments: true`: each top-level key may also come as a query parameter (ironic-api.md 11), and
   * the body may be empty.
   */
  readonly body?: z.ZodType<Body>;
  readonly arguments?: true;
  /**
   * What its answer shows, for the OpenAPI document: a record of this table, or a list of them under the name `list`.
   * `name` is the schema's. A POST takes a new record of it.
   */
  readonly answers?: { readonly name: string; readonly rows: Fields; readonly list?: string };
  /** Most bytes of a body; default 1 MiB. */
  readonly limit?: number;
  /**
   * Finds the record that the path names; throws NotFound. Policy reads `owner` and `lessee` of it, or of its `node`
   * if it has one, and conceals what the caller may not get.
   */
  find?(deps: Deps, params: Readonly<Record<string, string>>, version: number): Promise<Target>;
  handle(deps: Deps, call: Call<Body, Target>): Promise<Answer>;
};

/** Keeps the types of one row together; a list of rows is `Route[]`. */
export const route = <Body = undefined, Target = undefined>(row: Route<Body, Target>): Route => row;
