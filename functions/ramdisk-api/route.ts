/** What the routes of the ramdisk API are given, and the row that stands for each. */
import type { HttpRequest } from '../../layers/http/request.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import type { Config } from './config.ts';
import type { Witness } from './witness.ts';

export type Deps = Pick<Platform, 'table' | 'objects' | 'workflows' | 'sealer' | 'log' | 'clock' | 'chance' | 'ids'> & {
  readonly config: Config;
  readonly witness: Witness;
};

export type Call = {
  /** The effective microversion: N of 1.N. */
  readonly version: number;
  readonly request: HttpRequest;
  /** Last piece of the path: the node of a heartbeat. */
  readonly ident: string;
  /** Address the request came from; empty if unknown, as behind a proxy that nobody vouches for. */
  readonly source: string;
};

type Answer = { readonly status: number; readonly body?: unknown };
export type Route = {
  readonly method: string;
  /** Microversion 1.N from which it exists. */
  readonly since: number;
  /** It exists at 1.1 too, which is what a request without a version means. */
  readonly unversioned?: true;
  handle(deps: Deps, call: Call): Promise<Answer>;
};
