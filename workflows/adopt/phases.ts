/** adopt: a machine that runs an instance already becomes an active node; nothing is changed on it (ironic-states.md 13). */
import { validateInterface } from '../../layers/bmc/validation.ts';
import type { Observed } from '../../layers/bmc/operations.ts';
import { finish } from '../../layers/store/reservation.ts';
import { withGuestDocument } from '../owners/node/guest.ts';
import { done, type Phase, type Phases } from '../owners/node/phase.ts';

/** What boots from its disk needs nothing of us; a ramdisk instance needs its ISO whenever it is booted again. */
const validate: Phase = {
  run: async ({ node }) => {
    if (node.deploy_interface === 'ramdisk') validateInterface(node, 'deploy');
    return done();
  },
};

const read = (seen: Observed<'system.get'>) => () => ({
  power_state: seen.power,
  boot_mode: seen.boot.mode,
  health: seen.health,
});

/** By the names of the states in adopt.asl.json. */
export const phases: Phases = {
  Validate: withGuestDocument(validate),
  ReadState: {
    run: async ({ hardware }) => {
      const seen = await hardware.ask('system.get', {});
      return done(seen && read(seen));
    },
  },
  Finish: { run: async () => done((node) => ({ ...finish(node, 'done'), last_error: null })) },
};
