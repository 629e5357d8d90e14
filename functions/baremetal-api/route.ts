/** What a route row is, and what a handler is told. The order of checks is the pipeline's, in `app.ts`. */
import type { z } from 'zod';

import type { Ports } from '../../layers/store/ports.ts';
import type { Config } from './config.ts';

export type Deps = Pick<Ports, 'table' | 'objects' | 'workflows' | 'sealer' | 'log' | 'clock' | 'ids'> & {
  readonly config: Config;
};

/** Who calls, from the authorizer. Without authentication (noauth) everybody is the system administrator. */
export type Subject = {
  readonly user: string | null;
  readonly project: string | null;
  readonly roles: readonly string[];
  readonly scope: 'system' | 'project';
};

export type Call<Body = unknown, Target = unknown> = {
  /** The effective microversion: N of 1.N. */
  readonly version: number;
  readonly params: Readonly<Record<string, string>>;
  /** Repeated parameters are kept in order. Only names that the row's `query` lists arrive here (others: 400). */
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly subject: Subject;
  /** Start of all links, without a trailing slash and without /v1. */
  readonly base: string;
  readonly body: Body;
  readonly target: Target;
  readonly request_id: string;
};

export type Answer = {
  readonly status?: number;
  readonly body?: unknown;
  /** Path below `base`, such as /v1/nodes/<uuid>. */
  readonly location?: string;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Route<Body = unknown, Target = unknown> = {
  readonly at: `${Method} /${string}`;
  /** Microversion 1.N; below it the route answers `tooOld` (default 404). */
  readonly since?: number;
  readonly tooOld?: 404 | 405 | 406;
  /** Rule of ironic-rbac.md 3; `public` is for everybody. */
  readonly policy: `baremetal:${string}` | 'public';
  /** Default: 200 with a body, 204 without. */
  readonly status?: number;
  /** Allowed query parameters with the microversion that introduced each. */
  readonly query?: { readonly [name: string]: { readonly since?: number } };
  /**
   * The JSON body. `arguments: true`: each top-level key may also come as a query parameter (ironic-api.md 11), and
   * the body may be empty.
   */
  readonly body?: z.ZodType<Body>;
  readonly arguments?: true;
  /** Finds the record that the path names; throws NotFound. */
  find?(deps: Deps, params: Readonly<Record<string, string>>): Promise<Target>;
  handle(deps: Deps, call: Call<Body, Target>): Promise<Answer>;
};

/** Keeps the types of one row together; a list of rows is `Route[]`. */
export const route = <Body = undefined, Target = undefined>(row: Route<Body, Target>): Route => row as Route;
