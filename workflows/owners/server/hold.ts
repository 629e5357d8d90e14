/** Before a phase: the run has the server, and the start is marked. */
import { isFault } from '../../../layers/domain/fault.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import type { Platform } from '../../../layers/platform/platform.ts';
import type { Write } from '../../../layers/platform/table.ts';
import type { NodeEvent } from '../../../layers/store/events.ts';
import { serverCompanions } from '../../../layers/store/kinds/companions.ts';
import { computeKinds, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { changeRecord, type Needs } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import type { Change } from '../../../layers/store/records/plan.ts';
import { Superseded } from '../../../layers/store/runs.ts';
import { type Failure, failureOf } from '../../run/failure.ts';
import { info, phaseEnded, phaseStarted } from '../../run/history.ts';
import { aboutJob, type Job, type ServerCall } from './call.ts';
import { machinesFor } from './machines.ts';
import type { ServerContext, World } from './phase.ts';
import { isMarked } from '../../run/phase.ts';

/** The server is another run's, or none's, or gone. */
export const ServerLost = (uuid: string, run: string) => Superseded(`Server ${uuid} is not of run ${run} any more.`);

/** Throws Superseded. */
export const requireRun = (server: StoredServer | undefined, { uuid, run }: Pick<ServerCall, 'uuid' | 'run'>): void => {
  if (server?.run !== run) throw ServerLost(uuid, run);
};

/** Changes a server that the run still has. Throws Superseded. */
export const changeOwn = async (
  needs: Needs,
  call: Pick<ServerCall, 'uuid' | 'run'>,
  decide: (server: StoredServer) => Change<StoredServer> | undefined | Promise<Change<StoredServer> | undefined>,
): Promise<StoredServer> => {
  try {
    const { after } = await changeRecord(needs, computeKinds.server, call.uuid, (server) => {
      requireRun(server, call);
      return decide(server);
    });
    return after;
  } catch (error) {
    if (isFault(error) && error.name === 'NotFound') throw ServerLost(call.uuid, call.run);
    throw error;
  }
};

/** The server as it is now: asked before each effect on what others may have by then. Throws Superseded. */
export const stillOwn = async ({ table }: Pick<Platform, 'table'>, call: Pick<ServerCall, 'uuid' | 'run'>) => {
  const server = await readRecord(table, computeKinds.server, call.uuid);
  requireRun(server, call);
  return server!;
};

const failureIn = ({ phase, failed: { Error: error, Cause: cause } }: NonNullable<ServerCall['failure']>): Failure =>
  failureOf(phase, error, cause);

/** A phase that waited, and one that failed, is closed by its successor. */
const endOfLast = ({ phase: last }: StoredServer, job: Job, now: number): NodeEvent[] => {
  const { run, phase, failure } = job.call;
  if (!last || last.run !== run || last.name === phase) return [];
  const about = { ...aboutJob(job), phase: last.name };
  if (failure?.phase !== last.name) return [phaseEnded(about, last.started_at, now)];
  const { message } = failureIn(failure);
  return [{ ...info(about), kind: 'error', severity: 'ERROR', message: `${last.name} failed.`, details: message }];
};

/** The token stands there before the phase looks at the node, so that no event is missed. */
const waiting = ({ call: { uuid, run, phase, token }, phase: { awaits } }: Job, since: string): Write[] =>
  token === undefined || awaits === undefined
    ? []
    : [serverCompanions.wait.put(uuid, { token, phase, run, since, about: awaits })];

/** Marks the start, once: a repeated attempt writes nothing but its token. */
const begin = async (world: World, job: Job): Promise<StoredServer> =>
  changeOwn(world, job.call, (server) => {
    const { run, phase: name, token } = job.call;
    const started = isMarked(server, job.call);
    if (started && token === undefined) return undefined;
    const now = world.clock.now();
    const at = isoTime(now);
    const { shows } = job.phase;
    return {
      set: { ...(shows && { task_state: shows }), ...(!started && { phase: { run, name, started_at: at } }) },
      events: started ? [] : [...endOfLast(server, job, now), phaseStarted(aboutJob(job))],
      also: waiting(job, at),
    };
  });

/** Throws Superseded once the server is another run's. */
export const hold = async (world: World, job: Job): Promise<ServerContext> => {
  const server = await begin(world, job);
  const { run, failure } = job.call;
  return {
    server,
    run,
    about: aboutJob(job),
    failure: failure && failureIn(failure),
    platform: world,
    settings: world.settings,
    machines: machinesFor(world, { request_id: server.request_id ?? run, instance: server.uuid }, job.invocation),
  };
};
