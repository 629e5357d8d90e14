/** The words that the resources of the Bare Metal API are written in: a row of the engine (`layers/http`), with what its handlers use. */
import type { Rule } from '../../layers/domain/policy.ts';
import type { Route as HttpRoute } from '../../layers/http/route.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import type { Config } from './config.ts';

export type { Answer, Call, QueryTable } from '../../layers/http/route.ts';

export type Deps = Pick<
  Platform,
  'table' | 'objects' | 'workflows' | 'functions' | 'sealer' | 'log' | 'clock' | 'chance' | 'ids'
> & {
  readonly config: Config;
};

export type Route<Body = unknown, Target = unknown> = HttpRoute<Deps, Rule, Body, Target> & {
  /**
   * Of a row that changes something below a node: whether it may do something to the machine, now or later, which is
   * refused (409) until a machine that was moved in is taken over (ADR 22). `false`: it changes what is known of it only.
   */
  readonly fenced?: boolean;
};

/** Keeps the types of one row together; a list of rows is `Route[]`. */
export const route = <Body = undefined, Target = undefined>(row: Route<Body, Target>): Route => row;
