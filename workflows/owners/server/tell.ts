/** After a phase: its change and its end in one write, or why it failed. */
import { Fault, isFault } from '../../../layers/domain/fault.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import { serverCompanions } from '../../../layers/store/kinds/companions.ts';
import { serverLine } from '../../../layers/store/server-history.ts';
import { type Answers, isMarked } from '../../run/phase.ts';
import { phaseEnded } from '../../run/history.ts';
import { aboutJob, type Job } from './call.ts';
import { attempted } from './history.ts';
import { changeOwn } from './hold.ts';
import type { ServerContext, ServerOutcome, World } from './phase.ts';

/** Throws Superseded once the server is another run's. */
export const tell = async (world: World, job: Job, outcome: ServerOutcome<Answers>): Promise<void> => {
  if (outcome.is === 'wait' || outcome.gone) return;
  const { change, details, also = [] } = outcome;
  await changeOwn(world, job.call, (server) => {
    const set = change?.(server) ?? {};
    const ended = { ...phaseEnded(aboutJob(job), server.phase?.started_at ?? '', world.clock.now()) };
    const marked = isMarked(server, job.call);
    return {
      set: { ...set, ...(marked && { phase: null }) },
      events: marked ? [{ ...ended, ...(details !== undefined && { details }) }] : [],
      also: [...also, ...(set.run === null ? [{ delete: serverCompanions.wait.key(server.uuid) }] : [])],
    };
  });
};

/** What the ladder of the state machines tries again, by the names that it knows (workflows/run/fragments.json). */
const retried: Readonly<Record<string, string>> = {
  BaremetalLocked: 'NodeLocked',
  BaremetalConflict: 'Conflict',
  ServiceCredential: 'Unavailable',
};

/** Whoever waits for a lock asks every few seconds; that is no news. */
const quiet = ['NodeLocked', 'Superseded'];

/** Of an error whose message is for tenants, its cause says more. */
const reasonOf = ({ message, cause }: Fault): string =>
  isFault(cause) && cause.message !== message ? `${message} ${cause.message}` : message;

/** What the ASL sees of an error; it leaves a line in the history, whose reason administrators read. */
export const judge = async (world: World, job: Job, { server }: ServerContext, error: unknown): Promise<unknown> => {
  const { workflow, phase, run } = job.call;
  if (!isFault(error)) {
    world.log.error('A phase met something unexpected.', { workflow, phase, server: server.uuid, run, error });
    return error;
  }
  const seen = new Fault(retried[error.name] ?? error.name, error.code, error.message, { cause: error });
  if (quiet.includes(seen.name)) return seen;
  world.log.warn('A phase did not succeed.', { workflow, phase, server: server.uuid, run, error });
  const line = attempted(aboutJob(job), reasonOf(error));
  await world.table.write([serverLine(server, line, isoTime(world.clock.now()), world.ids)]);
  return seen;
};
