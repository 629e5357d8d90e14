/**
 * Running workflows. On AWS Step Functions Standard, on one machine the durable interpreter in
 * `local/states`; both run the same `workflows/<name>/<name>.asl.json`.
 */
export type WorkflowStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

export type Execution = {
  readonly workflow: string;
  readonly name: string;
  readonly status: WorkflowStatus;
  readonly started_at: string;
  readonly stopped_at?: string;
  readonly error?: string;
  readonly cause?: string;
};

/** One line of an execution's history, reduced to what both implementations can tell. Times are ISO 8601. */
export type HistoryEvent = { readonly id: number; readonly at: string; readonly type: string; readonly state?: string };

/** `gone`: the token was already used, timed out or never existed. A repeated callback is therefore harmless. */
export type Delivery = 'delivered' | 'gone';

/** `ended`: an execution of that name had ended before, and none was started. */
export type Start = 'running' | 'ended';

export type Workflows = {
  /**
   * Starting the name of a running execution again is that execution. A name whose execution has ended is never started
   * again (AWS keeps names for 90 days): whoever wanted a run of its own has none.
   */
  start(workflow: string, name: string, input: object): Promise<Start>;
  succeed(token: string, output: unknown): Promise<Delivery>;
  fail(token: string, error: string, cause: string): Promise<Delivery>;
  heartbeat(token: string): Promise<Delivery>;
  /** Stops a running execution (status ABORTED); an ended or unknown one is left as it is. */
  stop(workflow: string, name: string, error: string, cause: string): Promise<void>;
  describe(workflow: string, name: string): Promise<Execution | undefined>;
  /** In order, oldest first, all of it. */
  history(workflow: string, name: string): Promise<HistoryEvent[]>;
};
