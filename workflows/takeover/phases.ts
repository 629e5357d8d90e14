/** takeover: can the BMC be reached, do the credentials open it, and how is the machine. Nothing is changed on it (ADR 22). */
import type { Observed } from '../../layers/bmc/operations.ts';
import { validateInterface } from '../../layers/bmc/validation.ts';
import { noteTakeover } from '../../layers/domain/baremetal/takeover.ts';
import { keep } from '../../layers/domain/notes.ts';
import { isoTime } from '../../layers/domain/values.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { withGuestDocument } from '../owners/node/guest.ts';
import { info } from '../run/history.ts';
import { done, type Phase, type Phases } from '../owners/node/phase.ts';

/** What boots from its disk needs nothing of us; a ramdisk instance needs its ISO whenever it is booted again. */
const validate: Phase = {
  run: async ({ node }) => {
    validateInterface(node, 'power');
    validateInterface(node, 'management');
    if (node.deploy_interface === 'ramdisk') validateInterface(node, 'deploy');
    return done();
  },
};

/** The certificate is noted so that an operator can pin it in driver_info.redfish_verify_ca. */
const noted = (seen: Observed<'bmc.probe'>) => (node: StoredNode) =>
  keep(node, { ...(seen.fingerprint256 !== null && { bmc_certificate_sha256: seen.fingerprint256 }) });

type Seen = Observed<'system.get'>;

const read = (seen: Seen) => () => ({
  power_state: seen.power,
  boot_mode: seen.boot.mode,
  health: seen.health,
});

/** An override that is not in force says nothing: some BMCs leave the last target there. */
const told = ({ power, boot: { enabled, target, mode } }: Seen): string => {
  const forced = enabled === 'Once' || enabled === 'Continuous';
  const source = forced ? `${target} (${enabled}) by its BMC` : 'what its firmware is set to';
  return `The machine was found in ${power ?? 'no known power state'}; it starts from ${source}, in ${mode ?? 'an unknown'} mode.`;
};

/** By the names of the states in takeover.asl.json. */
export const phases: Phases = {
  Validate: withGuestDocument(validate),
  ProbeBmc: {
    run: async ({ hardware }) => {
      const seen = await hardware.ask('bmc.probe', {});
      return done(seen && noted(seen));
    },
  },
  ReadState: {
    run: async ({ hardware, about }) => {
      const seen = await hardware.ask('system.get', {});
      if (!seen) return done();
      return done(read(seen), { events: [{ kind: 'phase end', message: told(seen), ...info(about) }] });
    },
  },
  Finish: {
    run: async ({ platform: { clock } }) =>
      done((node) => ({
        reservation: null,
        run: null,
        run_workflow: null,
        ...noteTakeover(node, 'completed', isoTime(clock.now())),
      })),
  },
};
