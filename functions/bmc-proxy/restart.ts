/** A restart that never leaves the machine without power, for nodes with disable_power_off. */
import { withBmc } from './bmc.ts';
import { done, pending, type Call } from './call.ts';
import { resetOnce, wasSent } from './once.ts';
import { isMoving, readPower } from './power.ts';

/** PowerCycle and FullPowerCycle restart as well, through off: such a machine might stay there. */
const types = { hard: 'ForceRestart', soft: 'GracefulRestart' } as const;

/**
 * Sends the restart once. A machine that is off is left as it is: it has nothing to restart. Throws BmcStateMismatch
 * if it may have been sent and nobody knows, BmcUnsupported if the BMC lists no such reset.
 */
export const restart = async (call: Call<'power.restart'>) =>
  withBmc(call, async (bmc) => {
    if (await wasSent(call)) return done<'power.restart'>({ changed: true });
    const { PowerState: state } = (await bmc.system()).body;
    if (isMoving(state)) return pending(`The BMC reports power ${state ?? 'unknown'}.`);
    if (readPower(state) === 'power off') return done<'power.restart'>({ changed: false });
    await resetOnce(call, bmc, { type: types[call.params.how], verb: 'restart' });
    return done<'power.restart'>({ changed: true });
  });
