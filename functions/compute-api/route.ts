/** The words that the resources of the Compute API are written in: a row of the engine (`layers/http`), with what its handlers use. */
import type { Rule } from '../../layers/domain/policy.ts';
import type { Route as HttpRoute } from '../../layers/http/route.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import type { Config } from './config.ts';

export type { Answer, Call } from '../../layers/http/route.ts';

export type Deps = Pick<Platform, 'table' | 'workflows' | 'sealer' | 'apis' | 'log' | 'clock' | 'chance' | 'ids'> & {
  readonly config: Config;
};

export type Route<Body = unknown, Target = unknown> = HttpRoute<Deps, Rule, Body, Target>;

/** Keeps the types of one row together; a list of rows is `Route[]`. */
export const route = <Body = undefined, Target = undefined>(row: Route<Body, Target>): Route => row;
