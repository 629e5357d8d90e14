/**
 * Observe, act, confirm: how every write reaches a machine (DESIGN.md 3.7). What the machine shows decides, not what
 * it answered; what the ledger says keeps a repetition from acting twice.
 */
import { bmcFault, isRetryable, isRejection } from '../../layers/bmc/faults.ts';
import type { Operation, Reply } from '../../layers/bmc/operations.ts';
import type { LedgerEntry } from '../../layers/bmc/records.ts';
import { isFault, type Fault } from '../../layers/domain/fault.ts';
import { refusalOf } from '../../layers/redfish-client/answer.ts';
import type { Accepted, TaskOutcome } from '../../layers/redfish-client/client.ts';
import { pending, type Call } from './call.ts';

/** `so`: as wanted, and what was seen. `not`: why not. `moving`: on its way by itself, so nothing is to be sent. */
export type Seen<T> = { readonly so: T } | { readonly not: string; readonly moving?: boolean };

/**
 * A write; `what` names it in the ledger. A `repeatable` one does no harm when it is sent once more right away, so a
 * BMC that answers it with an error is taken at its word.
 */
export type Deed = { readonly what: string; readonly repeatable?: true; send(): Promise<Accepted> };

export type Goal<T> = {
  observe(entry: LedgerEntry | undefined): Promise<Seen<T>>;
  /** What to send now; undefined: wait. Throws what makes the goal unreachable. */
  next(entry: LedgerEntry | undefined): Promise<Deed | undefined> | Deed | undefined;
  task(monitor: string): Promise<TaskOutcome>;
  /** Something else may be sent while the task of the last write still runs, such as what forces it. */
  readonly overtakes?: true;
  /** Names of the quirks that were minded. */
  quirks(): Promise<readonly string[]>;
};

/** Milliseconds since a write was last sent that may have reached the machine; undefined if none did. */
export const ageOf = ({ clock }: Pick<Call, 'clock'>, entry: LedgerEntry | undefined): number | undefined =>
  entry && entry.state !== 'refused' && entry.sent_at ? clock.now() - Date.parse(entry.sent_at) : undefined;

/**
 * Whether to send (again): not within `lag_ms` after the last time, because machines show late what they accepted.
 * Throws BmcStateMismatch after three times without effect.
 */
export const maySend = (call: Pick<Call, 'clock'>, entry: LedgerEntry | undefined, lagMs: number): boolean => {
  const age = ageOf(call, entry);
  if (age === undefined) return true;
  if (age < lagMs) return false;
  if (entry!.sends < 3) return true;
  throw bmcFault(
    'BmcStateMismatch',
    `The BMC was told "${entry!.what}" ${entry!.sends} times and has not done it.${lastAnswer(entry)} Look at its event log.`,
  );
};

/** What the BMC had to say to the last write whose outcome was not clear; with a space before it, empty if nothing. */
export const lastAnswer = (entry: LedgerEntry | undefined): string =>
  entry?.said ? ` Its last answer: ${entry.said}` : '';

const mayHaveArrived = (entry: LedgerEntry | undefined) => entry?.state === 'sent';

/** After a write, a BMC that is busy, slow or away is no failure: it may be doing what it was asked. */
const look = async <T>(goal: Goal<T>, entry: LedgerEntry | undefined): Promise<Seen<T>> => {
  try {
    return await goal.observe(entry);
  } catch (error) {
    if (mayHaveArrived(entry) && isRetryable(error)) return { not: (error as Fault).message, moving: true };
    throw error;
  }
};

/** BmcTimeout: no answer; BmcProtocol: an answer that says nothing sure. The machine itself will tell. */
export const isUnknown = (fault: Fault, { repeatable }: Pick<Deed, 'repeatable'>): boolean =>
  fault.name === 'BmcTimeout' || (fault.name === 'BmcProtocol' && !(repeatable && refusalOf(fault)));

/** The first of `tries` that the BMC does not reject. */
export const firstAccepted = async (tries: readonly (() => Promise<Accepted>)[]): Promise<Accepted> => {
  for (const [at, attempt] of tries.entries()) {
    try {
      return await attempt();
    } catch (error) {
      if (!isFault(error) || !isRejection(error.name) || at === tries.length - 1) throw error;
    }
  }
  return { monitor: undefined };
};

const refused = async <T>(call: Call, goal: Goal<T>, sent: LedgerEntry, fault: Fault) => {
  const { records, record, operation } = call;
  const entry = await records.record(record.uuid, operation, { state: 'refused', outcome: fault.name }, sent);
  // A refusal often only means that it is so already (redfish.md 5 row 8).
  const seen = await goal.observe(entry).catch(() => undefined);
  if (seen && 'so' in seen) return entry;
  const other = isRejection(fault.name) ? await goal.next(entry) : undefined;
  if (!other || other.what === sent.what) throw fault;
  return entry;
};

const deliver = async <T>(call: Call, goal: Goal<T>, deed: Deed, before: LedgerEntry | undefined) => {
  const { records, record, operation, generation, log } = call;
  const sent = await records.record(record.uuid, operation, { state: 'sent', what: deed.what, generation }, before);
  try {
    const { monitor } = await deed.send();
    return monitor ? await records.record(record.uuid, operation, { state: 'accepted', monitor }, sent) : sent;
  } catch (error) {
    if (!isFault(error)) throw error;
    log.warn('A write was not simply accepted.', {
      ...operation,
      node: record.uuid,
      what: deed.what,
      fault: error.name,
    });
    if (!isUnknown(error, deed)) return refused(call, goal, sent, error);
    const unclear = { state: 'unclear', outcome: error.name, said: call.redact(error.message) } as const;
    return records.record(record.uuid, operation, unclear, sent);
  }
};

/** `waits`: why the write must not be sent again yet. */
type TaskSeen = { readonly entry: LedgerEntry | undefined; readonly waits?: string };

/** What is still at work is not begun once more, nor is what nobody can say of whether it is. */
const checkTask = async <T>(call: Call, goal: Goal<T>, entry: LedgerEntry | undefined): Promise<TaskSeen> => {
  if (!mayHaveArrived(entry) || !entry?.monitor) return { entry };
  try {
    return (await goal.task(entry.monitor)) === 'running' ? { entry, waits: ' Its task is still running.' } : { entry };
  } catch (error) {
    if (isRetryable(error)) return { entry, waits: ` How its task stands is not known: ${(error as Fault).message}` };
    if (!isFault(error) || error.name !== 'BmcTaskFailed') throw error;
    return { entry: await refused(call, goal, entry, error) };
  }
};

/** What to send now, if anything. */
const nextDeed = async <T>(goal: Goal<T>, { entry, waits }: TaskSeen): Promise<Deed | undefined> => {
  if (waits !== undefined && !goal.overtakes) return undefined;
  const deed = await goal.next(entry);
  return waits !== undefined && deed?.what === entry?.what ? undefined : deed;
};

/**
 * Brings the machine where it shall be, within the time of the call. Answers `done` only for what was seen;
 * `changed` says whether this operation (in any of its invocations) sent something.
 */
export const ensure = async <O extends Operation, T extends object>(
  call: Call<O>,
  goal: Goal<T>,
): Promise<Reply<O>> => {
  const { records, record, operation, clock, config, end } = call;
  let entry = await records.entry(record.uuid, operation.op_id);
  for (;;) {
    const seen = await look(goal, entry);
    if ('so' in seen) {
      if (entry && entry.state !== 'done')
        entry = await records.record(record.uuid, operation, { state: 'done' }, entry);
      const observed = { changed: (entry?.sends ?? 0) > 0, ...seen.so };
      return { status: 'done', observed, quirks: await goal.quirks() } as Reply<O>;
    }
    const task = await checkTask(call, goal, entry);
    entry = task.entry;
    const deed = seen.moving ? undefined : await nextDeed(goal, task);
    if (deed) entry = await deliver(call, goal, deed, entry);
    else if (clock.now() + config.pollIntervalMs >= end) {
      return pending(`${seen.not}${task.waits ?? ''}${lastAnswer(entry)}`);
    } else await clock.sleep(config.pollIntervalMs);
  }
};
