/**
 * The wire to machines: HTTPS requests to a BMC or to the agent on a machine. The real one is
 * `layers/redfish-client/transport.ts`; in memory (`memory/wire.ts`) machines are functions.
 */
import type { IncomingHttpHeaders } from 'node:http';

import type { Trust } from '../bmc/trust.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Who is called. `address` is the IP that `host` was resolved to and checked as; nothing resolves it again. */
export type Peer = {
  /** How messages name it, such as `BMC 10.1.0.7`. */
  readonly label: string;
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly trust: Trust;
};

/** Milliseconds: to connect including the handshake, between two signs of life, and for the whole request. */
export type Limits = { readonly connect_ms: number; readonly read_ms: number; readonly total_ms: number };

export type Exchange = {
  readonly method: Method;
  /** With its query; messages leave the query out. */
  readonly path: string;
  /** undefined: a header that is otherwise always sent is left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON; undefined: no body. */
  readonly body?: unknown;
  readonly limits: Limits;
  readonly signal?: AbortSignal | undefined;
  /** Nothing follows: the machine is told to close the connection. */
  readonly last?: true;
};

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** SHA-256 of the certificate that the machine showed. */
  readonly fingerprint256: string | null;
};

/** To one machine, for requests one after another. */
export type Line = {
  /**
   * Sends one request and gives back the answer of any status but a redirect. Where the machine says that it keeps
   * connections, the next request soon after goes over the same one.
   * Throws BmcUnreachable and BmcTlsMismatch (nothing was sent), BmcTimeout (outcome unknown), BmcProtocol.
   */
  exchange(wanted: Exchange): Promise<Answer>;
  /** Lets go of the connection, if one was kept. */
  close(): void;
};

export type Wire = {
  /** A line to `peer`, over which nothing is sent yet. Whoever opens it closes it. */
  open(peer: Peer): Line;
};
