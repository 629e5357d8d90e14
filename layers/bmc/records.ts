/**
 * What the proxy may know of the store: the record of one machine, and its ledger. The proxy never sees the table
 * itself (DESIGN.md 2); `layers/store/bmc-records.ts` implements this over it.
 */

/** All that is needed to talk to a node's BMC and agent. Sealed values open in the proxy only. */
export type BmcRecord = {
  readonly uuid: string;
  readonly driver: string;
  readonly generation: number;
  readonly driver_info: Readonly<Record<string, unknown>>;
  /** driver_info names and `agent_secret_token` to their sealed values. */
  readonly sealed: Readonly<Record<string, string>>;
  /** From the last heartbeat. */
  readonly agent_url: string | null;
  readonly agent_verify_ca: string | null;
  /** The node and its ports in the form the agent gets them (driver_info secrets masked). */
  readonly node: Readonly<Record<string, unknown>>;
  readonly ports: readonly Readonly<Record<string, unknown>>[];
};

/** How an earlier try of the same operation left off; undefined if there was none. */
export type LedgerEntry = {
  readonly op_id: string;
  readonly op: string;
  readonly state: 'asked' | 'sent' | 'done' | 'refused';
  /** ISO 8601; when the write was last sent to the BMC, null if it never was. */
  readonly sent_at: string | null;
};

export type BmcRecords = {
  /** Throws NotFound. */
  read(node: string): Promise<BmcRecord>;
  entry(node: string, opId: string): Promise<LedgerEntry | undefined>;
  /**
   * Records what is about to be done or was done. Rows are hash-chained per node: each holds the SHA-256 of its
   * predecessor. `sent` is recorded before the BMC gets the write.
   */
  record(node: string, entry: Omit<LedgerEntry, 'sent_at'> & { outcome?: string; params?: object }): Promise<void>;
};
