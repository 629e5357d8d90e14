/** The words that the routes of the ramdisk API are written in: a row of the engine (`layers/http`), with what its handlers use. */
import type { Call as HttpCall, Route as HttpRoute } from '../../layers/http/route.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import type { Config } from './config.ts';
import type { Witness } from './witness.ts';

export type { Answer } from '../../layers/http/route.ts';

export type Deps = Pick<Platform, 'table' | 'objects' | 'workflows' | 'sealer' | 'log' | 'clock' | 'chance' | 'ids'> & {
  readonly config: Config;
  readonly witness: Witness;
};

export type Call<Body = undefined> = HttpCall<Body, undefined>;

export type Route<Body = unknown> = HttpRoute<Deps, 'agent_networks', Body, undefined>;

/** Keeps the types of one row together; a list of rows is `Route[]`. */
export const route = <Body = undefined>(row: Route<Body>): Route => row;
