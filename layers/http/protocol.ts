/**
 * What one API says in a way of its own: how clients ask for a version, which headers answers carry, what a refusal looks
 * like. The engine (`pipeline.ts`), API Gateway (`infra/api.ts`) and the gateway of one machine (`local/gateway`) ask a
 * protocol and know none. Protocols are values, in `protocols/`.
 */
import type { HttpRequest } from './request.ts';

/** What is known of the request when it is answered. */
export type About = {
  /** The effective version; the standard one if the negotiation itself failed. */
  readonly version: number;
  readonly request_id: string;
};

/** A body, and the media type that it is labelled with. */
export type Content = { readonly type: string; readonly text: string };

/** The JSON text of a value, labelled. */
export const json = (value: unknown): Content => ({ type: 'application/json', text: JSON.stringify(value) });

/**
 * A fault on its way to the client. `by` says how far the request got: to the gateway, which runs no function; to the
 * router, which found no resource; to the resource itself.
 */
export type Refusal = {
  readonly by: 'gateway' | 'router' | 'resource';
  /** The fault's name; `Error` for what is not told to clients. */
  readonly name: string;
  readonly code: number;
  readonly message: string;
  /** What else the middleware says that asks for credentials, if it has a title for it. */
  readonly title?: string;
};

/** Rows by name, each with the version that introduced it, and the last one that has it. */
export type SinceTable = { readonly [name: string]: { readonly since?: number; readonly until?: number } };

/** How an API that has versions counts them: N of 1.N, or of 2.N. */
export type Versions = {
  /** What a request without a version gets. */
  readonly standard: number;
  /** The version that a request asks for; header names are in lower case. Throws a Fault if it is none of ours. */
  negotiate(headers: HttpRequest['headers']): number;
  /** As clients write it: `1.80`. */
  spell(version: number): string;
  /** Throws a Fault if one of `names` has a row that is not there at `version`; other names are nobody's business here. */
  refuseNewer(table: SinceTable, version: number, names: Iterable<string>): void;
  /** Whether names in the query that its row does not have at `version` are left out; absent: they are refused. */
  ignoresStrangers?(version: number): boolean;
};

/** Those of an API that has none. */
export const noVersions: Versions = {
  standard: 1,
  negotiate: () => 1,
  spell: String,
  refuseNewer: () => undefined,
};

/**
 * A path as the rows have it. `spare`: the same read in another way, which counts if a row spells it out, and is tried
 * when the first way finds no record.
 */
export type Reading = { readonly segments: readonly string[]; readonly spare?: readonly string[] };

export type Protocol = {
  /** Absent: the API has no versions, and everything is as at 1. */
  readonly versions?: Versions;
  /** Headers of every answer; without `about` of one that no function gave. */
  headers(about?: About): Record<string, string>;
  /** How paths are read; absent: as they are. */
  read?(request: HttpRequest, version: number): Reading;
  /** The body of a refusal. */
  refuse(refusal: Refusal): Content;
  /** Media types of answers: an Accept header that names none of them is refused. Absent: nobody looks at Accept. */
  readonly answers?: readonly string[];
  /** Media types of bodies. A gateway that asks for no password takes no others, which web pages may send unasked. */
  readonly takes: readonly string[];
  /** A sentence for who sends more than gateways take: what to do instead. */
  readonly largeBodies?: string;
};
