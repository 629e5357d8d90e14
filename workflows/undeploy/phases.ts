/** undeploy: deleted (ironic-states.md 6). Ends by handing the node, still locked, over to clean. */
import { removeConfigdrive } from '../../layers/store/configdrives.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import { removeRecord } from '../../layers/store/records/change.ts';
import { recordsOf } from '../../layers/store/records/find.ts';
import { handOver } from '../../layers/store/reservation.ts';
import { detachVifs } from '../../layers/store/vifs.ts';
import { releaseInstance } from './instance.ts';
import { withGuestDocument } from '../owners/node/guest.ts';
import { done, type Phase, type Phases } from '../owners/node/phase.ts';
import * as boot from '../owners/node/boot.ts';
import { withoutSecureBoot } from '../owners/node/secure-boot.ts';

const powerOff: Phase = {
  run: async (context) => (context.node.disable_power_off ? done() : boot.powerOff.run(context)),
};

const forgetConfigdrive: Phase = {
  run: async ({ node, platform }) => {
    await removeConfigdrive(platform, node);
    return done();
  },
};

/** Which volumes and VIFs a machine had was its instance's business; the connectors are the machine's and stay. */
const release: Phase = {
  run: async ({ node, platform }) => {
    for (const { uuid } of await recordsOf(platform.table, kinds.volume_target, node.uuid)) {
      await removeRecord(platform, kinds.volume_target, uuid);
    }
    await detachVifs(platform, node.uuid);
    return done(releaseInstance);
  },
};

/** The successor's name is drawn here; the record says it, also to a repetition, which finds itself superseded. */
const startCleaning: Phase = {
  run: async ({ platform }) => {
    const birth = platform.ids.ulid();
    return done((node) => handOver(node, birth, 'clean', 'clean'));
  },
};

/** By the names of the states in undeploy.asl.json. */
export const phases: Phases = {
  PowerOff: powerOff,
  DetachMedia: withoutSecureBoot(boot.leaveBootMedia),
  RemoveConfigdrive: withGuestDocument(forgetConfigdrive),
  Release: release,
  StartCleaning: startCleaning,
};
