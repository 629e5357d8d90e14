/** The non-maskable interrupt. A second one would cut off the dump that the machine is writing. */
import { withBmc } from './bmc.ts';
import { done, type Call } from './call.ts';
import { resetOnce } from './once.ts';

/** Sends the interrupt once. Throws BmcStateMismatch if that may have happened and nobody knows. */
export const injectNmi = async (call: Call<'nmi.inject'>) =>
  withBmc(call, async (bmc) => {
    await resetOnce(call, bmc, { type: 'Nmi', verb: 'interrupt' });
    return done<'nmi.inject'>({ changed: true });
  });
