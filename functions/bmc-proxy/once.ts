/** Resets that a machine does not show afterwards, and that are therefore never sent twice (redfish.md 6). */
import { bmcFault } from '../../layers/bmc/faults.ts';
import { isFault } from '../../layers/domain/fault.ts';
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

const Ambiguous = ({ verb }: Reset, cause?: unknown) =>
  bmcFault(
    'BmcStateMismatch',
    `The BMC was told to ${verb} the machine and its answer is not known. Look at the machine before you ask again.`,
    cause,
  );

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

/** Sends it unless that has happened. Throws BmcStateMismatch if it may have happened and nobody knows. */
export const resetOnce = async (call: Once, bmc: Bmc, reset: Reset): Promise<void> => {
  const { records, record, operation, generation } = call;
  const entry = await records.entry(record.uuid, operation.op_id);
  if (entry?.state === 'done') return;
  if (entry?.state === 'sent') throw Ambiguous(reset);
  const target = await findTarget(bmc, reset);
  const sent = await records.record(record.uuid, operation, { state: 'sent', what: reset.type, generation }, entry);
  try {
    await bmc.redfish.post(target, { ResetType: reset.type });
  } catch (error) {
    if (!isFault(error) || isUnknown(error, {})) throw Ambiguous(reset, error);
    await records.record(record.uuid, operation, { state: 'refused', outcome: error.name }, sent);
    throw error;
  }
  await records.record(record.uuid, operation, { state: 'done' }, sent);
};
