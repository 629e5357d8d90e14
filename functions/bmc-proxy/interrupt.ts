/** The non-maskable interrupt: the one write that is never sent twice (redfish.md 6). */
import { bmcFault } from '../../layers/bmc/faults.ts';
import { isFault } from '../../layers/domain/fault.ts';
import { withBmc, type Bmc } from './bmc.ts';
import { done, type Call } from './call.ts';
import { isUnknown } from './ensure.ts';
import { allowedTypes } from './power.ts';

const type = 'Nmi';

/** A machine does not show that it was interrupted, and a second interrupt would cut off the dump it is writing. */
const Ambiguous = (cause?: unknown) =>
  bmcFault(
    'BmcStateMismatch',
    'The BMC was told to interrupt the machine and its answer is not known. Look at the machine before you ask again.',
    cause,
  );

const findTarget = async (bmc: Bmc): Promise<string> => {
  const { body } = await bmc.system();
  const target = body.Actions?.['#ComputerSystem.Reset']?.target;
  const allowed = await allowedTypes(bmc, body);
  if (target && (allowed?.includes(type) ?? true)) return target;
  throw bmcFault('BmcUnsupported', 'The BMC offers no reset of type Nmi.');
};

const sendOnce = async (call: Call<'nmi.inject'>, bmc: Bmc): Promise<void> => {
  const { records, record, operation, generation } = call;
  const entry = await records.entry(record.uuid, operation.op_id);
  if (entry?.state === 'done') return;
  if (entry?.state === 'sent') throw Ambiguous();
  const target = await findTarget(bmc);
  const sent = await records.record(record.uuid, operation, { state: 'sent', what: type, generation }, entry);
  try {
    await bmc.redfish.post(target, { ResetType: type });
  } catch (error) {
    if (!isFault(error) || isUnknown(error, {})) throw Ambiguous(error);
    await records.record(record.uuid, operation, { state: 'refused', outcome: error.name }, sent);
    throw error;
  }
  await records.record(record.uuid, operation, { state: 'done' }, sent);
};

/** Sends the interrupt once. Throws BmcStateMismatch if that may have happened and nobody knows. */
export const injectNmi = async (call: Call<'nmi.inject'>) =>
  withBmc(call, async (bmc) => {
    await sendOnce(call, bmc);
    return done<'nmi.inject'>({ changed: true });
  });
