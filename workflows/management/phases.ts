/**
 * management: requests to hardware that take a while (PUT states/boot_mode and secure_boot, vmedia). Like power it holds
 * the lock but does not own the provisioning of the node. What was asked for stays with the node.
 */
import { readManagementRequest, type ManagementRequest } from '../../layers/store/management-requests.ts';
import { NodeLost } from '../../layers/store/reservation.ts';
import { done, type Phase, type PhaseContext, type Phases } from '../owners/node/phase.ts';

type Wanted<A> = Extract<ManagementRequest, { action: A }>;

/** Seconds; a machine that is on may have to be started anew before its BMC shows a mode. */
const limit = () => 300;

/** Throws Superseded if the request is gone: the run is over. */
const wantedOf = async <A extends ManagementRequest['action']>(
  { node, run, platform }: PhaseContext,
  action: A,
): Promise<Wanted<A>> => {
  const request = await readManagementRequest(platform.table, node.uuid, run);
  if (request?.action !== action) throw NodeLost(node, run);
  return request as Wanted<A>;
};

/** Afterwards the node says what the BMC says, which may change with the next start only. */
const setBootMode: Phase = {
  limit,
  run: async (context) => {
    const { hardware } = context;
    const { mode } = await wantedOf(context, 'boot_mode');
    await hardware.ask('mode.ensure', { mode });
    const seen = await hardware.ask('system.get', {});
    return done(() => ({ boot_mode: seen ? seen.boot.mode : mode }));
  },
};

const setSecureBoot: Phase = {
  limit,
  run: async (context) => {
    const { hardware } = context;
    const { enabled } = await wantedOf(context, 'secure_boot');
    await hardware.ask('secure_boot.ensure', { enabled });
    const seen = await hardware.ask('secure_boot.get', {});
    return done(() => ({ secure_boot: seen ? seen.enabled : enabled }));
  },
};

const attachMedia: Phase = {
  limit,
  run: async (context) => {
    const { slot, image } = await wantedOf(context, 'attach_media');
    await context.hardware.ask('vmedia.insert', { slot, image });
    return done();
  },
};

const detachMedia: Phase = {
  limit,
  run: async (context) => {
    const { slots } = await wantedOf(context, 'detach_media');
    for (const slot of slots) await context.hardware.ask('vmedia.eject', { slot }, slot);
    return done();
  },
};

/** By the names of the states in management.asl.json. */
export const phases: Phases = {
  SetBootMode: setBootMode,
  SetSecureBoot: setSecureBoot,
  AttachMedia: attachMedia,
  DetachMedia: detachMedia,
  Finish: { run: async () => done(() => ({ reservation: null })) },
};
