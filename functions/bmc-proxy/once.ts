/** Resets that a machine does not show afterwards, and that are therefore never sent twice (redfish.md 6). */
import { bmcFault } from '../../layers/bmc/faults.ts';
import type { LedgerEntry } from '../../layers/bmc/records.ts';
import { type Fault, isFault } from '../../layers/domain/fault.ts';
import type { Bmc } from './bmc.ts';
import type { Call } from './call.ts';
import { isUnknown } from './ensure.ts';
import { allowedTypes } from './power.ts';

type Reset = {
  /** ResetType. No other one may take its place: what looks alike may switch the machine off. */
  readonly type: string;
  /** For the message: the BMC was told to `verb` the machine. */
  readonly verb: string;
};

const Ambiguous = ({ verb }: Reset, cause?: unknown) => {
  const why = isFault(cause) ? `: ${cause.message}` : '.';
  return bmcFault(
    'BmcStateMismatch',
    `The BMC was told to ${verb} the machine and its answer is not known${why} Look at the machine before you ask again.`,
    cause,
  );
};

const findTarget = async (bmc: Bmc, { type }: Reset): Promise<string> => {
  const { body } = await bmc.system();
  const target = body.Actions?.['#ComputerSystem.Reset']?.target;
  const allowed = await allowedTypes(bmc, body);
  if (target && (allowed?.includes(type) ?? true)) return target;
  throw bmcFault('BmcUnsupported', `The BMC offers no reset of type ${type}.`);
};

type Once = Call<'nmi.inject'> | Call<'power.restart'>;

/** Whether this operation has sent its reset already, and the BMC has taken it. */
export const wasSent = async ({ records, record, operation }: Once): Promise<boolean> =>
  (await records.entry(record.uuid, operation.op_id))?.state === 'done';

/** How the task ended that a BMC made of it, as far as that shows within the call: undefined if nothing went wrong. */
const failureOf = async (
  { clock, config, end }: Once,
  { redfish }: Bmc,
  monitor: string,
): Promise<Fault | undefined> => {
  try {
    while ((await redfish.task(monitor)) === 'running' && clock.now() + config.pollIntervalMs < end) {
      await clock.sleep(config.pollIntervalMs);
    }
    return undefined;
  } catch (error) {
    // It was taken; that its task cannot be read is no reason to send it again.
    if (isFault(error)) return error.name === 'BmcTaskFailed' ? error : undefined;
    throw error;
  }
};

const send = async (call: Once, bmc: Bmc, reset: Reset, entry: LedgerEntry | undefined): Promise<LedgerEntry> => {
  const { records, record, operation, generation } = call;
  const target = await findTarget(bmc, reset);
  const sent = await records.record(record.uuid, operation, { state: 'sent', what: reset.type, generation }, entry);
  try {
    const { monitor } = await bmc.redfish.post(target, { ResetType: reset.type });
    return monitor ? await records.record(record.uuid, operation, { state: 'accepted', monitor }, sent) : sent;
  } catch (error) {
    if (!isFault(error) || isUnknown(error, {})) throw Ambiguous(reset, error);
    await records.record(record.uuid, operation, { state: 'refused', outcome: error.name }, sent);
    throw error;
  }
};

/**
 * Sends it unless that has happened. Throws BmcStateMismatch if it may have happened and nobody knows, BmcTaskFailed if
 * the BMC took it and then failed.
 */
export const resetOnce = async (call: Once, bmc: Bmc, reset: Reset): Promise<void> => {
  const { records, record, operation } = call;
  const entry = await records.entry(record.uuid, operation.op_id);
  if (entry?.state === 'done') return;
  if (entry?.state === 'sent' && !entry.monitor) throw Ambiguous(reset);
  const sent = entry?.state === 'sent' ? entry : await send(call, bmc, reset, entry);
  const failure = sent.monitor === null ? undefined : await failureOf(call, bmc, sent.monitor);
  const step = failure ? ({ state: 'refused', outcome: failure.name } as const) : ({ state: 'done' } as const);
  await records.record(record.uuid, operation, step, sent);
  if (failure) throw failure;
};
