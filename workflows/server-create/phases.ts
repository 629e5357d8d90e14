/** server-create: gets a server a machine, makes it that machine's instance, and deploys it (nova-driver.md 3). */
import { isoTime } from '../../layers/domain/values.ts';
import { buildConfigdrive, configdriveFor, ownNode, validate, writeInfo } from '../owners/server/build.ts';
import { final } from '../owners/server/failures.ts';
import { answer, done, type ServerPhase, type ServerPhases } from '../owners/server/phase.ts';
import { plugPorts, unplugAll } from '../owners/server/ports.ts';
import { giveBack, undeployed } from '../owners/server/release.ts';
import { deployed, waitWhile } from '../owners/server/transition.ts';
import { claim, schedule } from './schedule.ts';

const plug: ServerPhase = {
  shows: 'networking',
  run: async (context) => {
    const { uuid: node } = await ownNode(context);
    const { interfaces } = context.server;
    // Whoever was late may have left something on a machine that is nobody's any more.
    await unplugAll(
      context,
      node,
      interfaces.map(({ port_id: port }) => port),
    );
    const plugged = await plugPorts(context, node, interfaces);
    return done(() => ({ interfaces: plugged }));
  },
};

const writeMetadata: ServerPhase = {
  shows: 'spawning',
  run: async (context) => {
    await writeInfo(context);
    return done();
  },
};

const deploy: ServerPhase = {
  run: async (context) => {
    const { machines, server } = context;
    const node = await ownNode(context);
    const configdrive = await configdriveFor(context, node);
    await machines.provision(node.uuid, server.uuid, { target: 'active', ...(configdrive && { configdrive }) });
    return done();
  },
};

/** Builds of a server at most. */
const maxBuilds = 3;

const answers = { is: ['again', 'fail'] } as const;

/** Nothing is left of the build: another machine, or it was the last one. */
const reschedule: ServerPhase<typeof answers> = {
  answers,
  run: async ({ server: { tried }, failure }) => {
    if (tried.length >= maxBuilds || final.includes(failure!.error)) return answer({ is: 'fail' });
    return answer({ is: 'again' }, () => ({ task_state: 'scheduling', availability_zone: '' }));
  },
};

/** By the names of the states in server-create.asl.json. */
export const phases: ServerPhases = {
  Schedule: schedule,
  Claim: claim,
  PlugPorts: plug,
  WriteMetadata: writeMetadata,
  Validate: validate,
  BuildConfigdrive: buildConfigdrive,
  Deploy: deploy,
  WaitForDeploy: waitWhile('built'),
  Active: deployed(({ platform }) => ({ launched_at: isoTime(platform.clock.now()) })),
  Undo: giveBack,
  WaitForUndeploy: waitWhile('leaving'),
  Undeployed: undeployed,
  Reschedule: reschedule,
};
