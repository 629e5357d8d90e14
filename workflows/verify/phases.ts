/** verify: manage. Can the BMC be reached, and do the credentials open it. */
import type { Observed } from '../../layers/bmc/operations.ts';
import { keep } from '../../layers/domain/notes.ts';
import { finish } from '../../layers/store/reservation.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { done, type Phases } from '../owners/node/phase.ts';
import { readSettings } from '../owners/node/read-settings.ts';

/** The certificate is noted so that an operator can pin it in driver_info.redfish_verify_ca. */
const noted = (seen: Observed<'bmc.probe'>) => (node: StoredNode) =>
  keep(node, { ...(seen.fingerprint256 !== null && { bmc_certificate_sha256: seen.fingerprint256 }) });

const read = (seen: Observed<'system.get'>) => (node: StoredNode) => ({
  power_state: seen.power,
  boot_mode: seen.boot.mode,
  health: seen.health,
  properties: { ...(seen.vendor !== null && { vendor: seen.vendor }), ...node.properties },
});

/** By the names of the states in verify.asl.json. */
export const phases: Phases = {
  ProbeBmc: {
    run: async ({ hardware }) => {
      const seen = await hardware.ask('bmc.probe', {});
      return done(seen && noted(seen));
    },
  },
  ReadState: {
    run: async ({ hardware }) => {
      const seen = await hardware.ask('system.get', {});
      return done(seen && read(seen));
    },
  },
  ReadSettings: readSettings,
  Finish: { run: async () => done((node) => ({ ...finish(node, 'done'), last_error: null })) },
};
