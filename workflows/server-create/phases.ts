/** server-create: gets a server a machine, makes it that machine's instance, and deploys it (nova-driver.md 3). */
import type { ShownNode } from '../../layers/baremetal-client/shown.ts';
import { pack } from '../../layers/configdrive/packed.ts';
import { stateOf } from '../../layers/domain/baremetal/states.ts';
import { serverState } from '../../layers/domain/compute/server-states.ts';
import { Fault } from '../../layers/domain/fault.ts';
import { isoTime } from '../../layers/domain/values.ts';
import { buildGuestDrive } from '../../layers/guest/configdrive.ts';
import { toInstanceInfo } from '../../layers/guest/instance-info.ts';
import { serverCompanions } from '../../layers/store/kinds/companions.ts';
import { endRun } from '../../layers/store/servers.ts';
import { final } from '../owners/server/failures.ts';
import { deploymentOf, guestServerOf, imageOf, metadataOf, vifsOf } from '../owners/server/guest.ts';
import {
  answer,
  asSeen,
  done,
  type ServerContext,
  type ServerPhase,
  type ServerPhases,
} from '../owners/server/phase.ts';
import { plugPorts as plug } from '../owners/server/ports.ts';
import { giveBack, undeployed, waitForUndeploy } from '../owners/server/release.ts';
import { claim, schedule } from './schedule.ts';

const NodeLost = (uuid: string) => new Fault('NodeLost', 500, `No node has instance ${uuid} any more.`);

/** The node that was claimed. Throws NodeLost. */
const claimedNode = async ({ machines, server: { uuid } }: ServerContext): Promise<ShownNode> => {
  const node = await machines.nodeOfInstance(uuid);
  if (!node) throw NodeLost(uuid);
  return node;
};

const plugPorts: ServerPhase = {
  shows: 'networking',
  run: async (context) => {
    const interfaces = await plug(context, (await claimedNode(context)).uuid);
    return done(() => ({ interfaces }));
  },
};

const writeMetadata: ServerPhase = {
  shows: 'spawning',
  run: async (context) => {
    const { machines, platform, server } = context;
    const node = await claimedNode(context);
    const metadata = await metadataOf(platform.table, server, await vifsOf(platform.table, server));
    await machines.changeInstanceInfo(node.uuid, server.uuid, {
      add: toInstanceInfo(metadata, deploymentOf(context, node)),
    });
    return done();
  },
};

const validate: ServerPhase = {
  run: async (context) => {
    const node = await claimedNode(context);
    const obstacles = await context.machines.validate(node.uuid);
    if (obstacles.length === 0) return done();
    const told = obstacles.map(({ interface: name, reason }) => `${name}: ${reason}`).join('; ');
    throw new Fault('ValidationFailed', 500, `Node ${node.uuid} can not be deployed: ${told}`);
  },
};

const isWanted = async ({ platform: { table }, server }: ServerContext): Promise<boolean> =>
  server.config_drive || (await imageOf(table, server))?.properties['img_config_drive'] === 'mandatory';

/** base64(gzip(image)), as a node takes it; undefined: it gets none. */
const configdriveFor = async (context: ServerContext, node: ShownNode): Promise<string | undefined> => {
  const { machines, platform, server } = context;
  if (!(await isWanted(context))) return undefined;
  const vifs = await vifsOf(platform.table, server);
  const metadata = await metadataOf(platform.table, server, vifs);
  const cards = await machines.getCards(node.uuid);
  const drive = buildGuestDrive(await guestServerOf(context, metadata), { vifs, ...cards });
  return Buffer.from(await pack(drive)).toString('latin1');
};

/**
 * Whether there will be one, and that it can be built: what cannot fails here, before the machine is asked for anything.
 * It is secret and stored nowhere, so Deploy builds it again and sends it.
 */
const buildConfigdrive: ServerPhase = {
  run: async (context) => {
    const drive = await configdriveFor(context, await claimedNode(context));
    return done(() => ({ config_drive: drive !== undefined }));
  },
};

const deploy: ServerPhase = {
  run: async (context) => {
    const { machines, server } = context;
    const node = await claimedNode(context);
    const configdrive = await configdriveFor(context, node);
    await machines.provision(node.uuid, server.uuid, { target: 'active', ...(configdrive && { configdrive }) });
    return done();
  },
};

/** Until the deploy has ended in whatever. */
const waitForDeploy: ServerPhase = {
  awaits: 'provision',
  run: async ({ machines, server }) => {
    const node = await machines.nodeOfInstance(server.uuid);
    return node && stateOf(node).server === 'built' ? { is: 'wait' } : done();
  },
};

const DeployFailed = ({ uuid, provision_state: state, last_error: error }: ShownNode) =>
  new Fault('DeployFailed', 500, `Node ${uuid} was to be deployed and is ${state}: ${error ?? 'it says no more.'}`);

const activeAnswers = { is: ['up', 'built'] } as const;

/** Looks what became of the deploy. A server begins as active, whatever its machine does then. Throws DeployFailed, NodeLost. */
const active: ServerPhase<typeof activeAnswers> = {
  answers: activeAnswers,
  run: async (context) => {
    const node = await claimedNode(context);
    const { server: fate } = stateOf(node);
    if (fate === 'built') return answer({ is: 'built' });
    if (fate !== 'up') throw DeployFailed(node);
    const launched_at = isoTime(context.platform.clock.now());
    return answer(
      { is: 'up' },
      asSeen(context, (server) => ({ ...serverState(node, server), vm_state: 'active', launched_at, ...endRun() })),
      { also: [{ delete: serverCompanions.admin_password.key(context.server.uuid) }] },
    );
  },
};

/** Builds of a server at most. */
const maxBuilds = 3;

const rescheduleAnswers = { is: ['again', 'fail'] } as const;

/** Nothing is left of the build: another machine, or it was the last one. */
const reschedule: ServerPhase<typeof rescheduleAnswers> = {
  answers: rescheduleAnswers,
  run: async ({ server: { tried }, failure }) => {
    if (tried.length >= maxBuilds || final.includes(failure!.error)) return answer({ is: 'fail' });
    return answer({ is: 'again' }, () => ({ task_state: 'scheduling', availability_zone: '' }));
  },
};

/** By the names of the states in server-create.asl.json. */
export const phases: ServerPhases = {
  Schedule: schedule,
  Claim: claim,
  PlugPorts: plugPorts,
  WriteMetadata: writeMetadata,
  Validate: validate,
  BuildConfigdrive: buildConfigdrive,
  Deploy: deploy,
  WaitForDeploy: waitForDeploy,
  Active: active,
  Undo: giveBack,
  WaitForUndeploy: waitForUndeploy,
  Undeployed: undeployed,
  Reschedule: reschedule,
};
