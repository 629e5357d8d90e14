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

/**
 * How the tries of one operation stand. `sent`: the machine may have got it, the outcome is not known yet; `refused`:
 * it was not done, and may be tried again.
 */
export type LedgerEntry = {
  readonly op_id: string;
  readonly op: string;
  readonly state: 'sent' | 'done' | 'refused';
  /** ISO 8601; when the write was last sent. */
  readonly sent_at: string | null;
  /** How often it was sent and not refused. */
  readonly sends: number;
  /** What was sent last, such as a ResetType. Never a secret. */
  readonly what: string | null;
  /** Name of the fault that the last answer was. */
  readonly outcome: string | null;
  /** What was answered last, of which nobody can say whether it means no. Never a secret. */
  readonly said: string | null;
  /** Where its progress can be read: the path of a task monitor, or the id of an agent's command. */
  readonly monitor: string | null;
  /** Counts the rows of this operation; a writer names the one it has seen. */
  readonly version: number;
};

/** What happened now. `sent` is recorded before the machine gets the write. */
export type LedgerStep =
  | { readonly state: 'sent'; readonly what: string; readonly generation: number }
  /** The machine took it and goes on by itself. */
  | { readonly state: 'accepted'; readonly monitor: string }
  /** No answer, or one that does not say whether it was done. `said`: its words. */
  | { readonly state: 'unclear'; readonly outcome: string; readonly said: string }
  | { readonly state: 'done' }
  /** `outcome`: name of the fault. */
  | { readonly state: 'refused'; readonly outcome: string };

export type BmcRecords = {
  /** Throws NotFound. */
  read(node: string): Promise<BmcRecord>;
  entry(node: string, opId: string): Promise<LedgerEntry | undefined>;
  /**
   * Appends a row to the node's ledger; rows are hash-chained, each holds the SHA-256 of its predecessor. `seen` is the
   * entry as the caller knows it. Throws BmcBusy if another invocation has recorded something since, and for `sent`
   * StaleGeneration if the node has a newer generation by now.
   */
  record(
    node: string,
    operation: { readonly op: string; readonly op_id: string },
    step: LedgerStep,
    seen: LedgerEntry | undefined,
  ): Promise<LedgerEntry>;
};
