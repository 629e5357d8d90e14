/** What a server has besides its fields: which machine, which network cards, which run, and what that was asked for. */
import type { Asked } from './actions.ts';

/** A port as it was when somebody last looked; a change of it is told to who looks again. */
export type SeenPort = {
  readonly network_name: string;
  readonly mac_address: string;
  readonly fixed_ips: readonly {
    readonly ip_address: string;
    readonly subnet_id: string;
    /** The floating addresses that stand for it. */
    readonly floating_ips: readonly string[];
  }[];
};

/** An address as servers show it (compute-api.md 3). */
export type Address = {
  readonly addr: string;
  readonly version: 4 | 6;
  readonly 'OS-EXT-IPS:type': 'fixed' | 'floating';
  readonly 'OS-EXT-IPS-MAC:mac_addr': string;
};

/** Addresses by the names of their networks. */
export type Addresses = Readonly<Record<string, readonly Address[]>>;

/** A network card. Which port it is, is settled when it is asked for; that is `made` later under this UUID, or was there. */
export type ServerInterface = {
  readonly network_id: string;
  readonly port_id: string;
  /** The address of its port that was asked for. */
  readonly fixed_ip: string | null;
  readonly tag: string | null;
  /** Its port is made for this server, and goes with it. */
  readonly made: boolean;
  /** `leaving`: the run unplugs it and takes it out of the list. */
  readonly state: 'asked' | 'plugged' | 'leaving';
  /** null: nobody has seen that port yet. */
  readonly seen: SeenPort | null;
};

/** The public key that its guest gets, as it was when it was asked for. */
export type ServerKey = { readonly name: string; readonly type: 'ssh'; readonly public_key: string };

export type ServerKeeping = {
  /** What who made it and its project are called, for its guest and for operators; null: nobody has said. */
  readonly user_name: string | null;
  readonly project_name: string | null;
  /** UUID of the node that it has, as far as is known; null: none. */
  readonly node_uuid: string | null;
  /** The conductor of that node. */
  readonly host: string | null;
  /** Who locked it: what an administrator locked, its tenant cannot unlock. */
  readonly locked_by: 'owner' | 'admin' | null;
  readonly interfaces: readonly ServerInterface[];
  /** Those that a server was moved in with: whoever gave them out still has them, and nothing is done with them here. */
  readonly moved_addresses: Addresses;
  readonly key_pair: ServerKey | null;
  /** UUIDs of nodes that fit, in the order in which they are to be claimed, and how often such were looked for in vain. */
  readonly candidates: readonly string[];
  readonly searches: number;
  /** UUIDs of the nodes that it was built on, in order; it may still be on the last one. */
  readonly tried: readonly string[];
  /** Counts its runs, as that of a node does. */
  readonly generation: number;
  /** Name of the execution that works on it, and its workflow; null: none does. */
  readonly run: string | null;
  readonly run_workflow: string | null;
  /** What that run was asked for, without secrets. */
  readonly asked: Asked | null;
  /** Id of the request that began it; its action is told under that. */
  readonly request_id: string | null;
  /** The last event of its node that came while a run had it and did not wait; null: none. Who ends a run looks again then. */
  readonly event: string | null;
  /** What the run is doing since when (ISO 8601); null between phases. */
  readonly phase: { readonly run: string; readonly name: string; readonly started_at: string } | null;
};

/** That of a new server. */
export const firstServer: ServerKeeping = {
  user_name: null,
  project_name: null,
  node_uuid: null,
  host: null,
  locked_by: null,
  interfaces: [],
  moved_addresses: {},
  key_pair: null,
  candidates: [],
  searches: 0,
  tried: [],
  generation: 0,
  run: null,
  run_workflow: null,
  asked: null,
  request_id: null,
  event: null,
  phase: null,
};
