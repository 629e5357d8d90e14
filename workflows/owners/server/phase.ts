/**
 * What a phase of a server's run is. Before it the run still has the server, and the start is marked (hold.ts); what the
 * phase changed is written together with its end (tell.ts). A phase may be cut off anywhere and is then run again from its
 * start, and it may have lost the server while it works: every `run` observes before it acts.
 */
import type { BaremetalClient } from '../../../layers/baremetal-client/client.ts';
import { Conflict } from '../../../layers/domain/fault.ts';
import type { TaskState } from '../../../layers/domain/compute/server-states.ts';
import type { Write } from '../../../layers/platform/table.ts';
import type { Platform } from '../../../layers/platform/platform.ts';
import type { StrategyName } from '../../../layers/schedule/strategies.ts';
import type { ScheduleSettings } from '../../../layers/schedule/wish.ts';
import type { ServerWait } from '../../../layers/store/kinds/companions.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import type { Failure } from '../../run/failure.ts';
import type { About } from '../../run/history.ts';
import type { Answer, Answers, Nothing, Phase } from '../../run/phase.ts';

/** Settings that phases know (infra/manifest.ts). */
export type Settings = ScheduleSettings & {
  readonly strategy: StrategyName;
  /** The conductor of all nodes, and the name of who deploys. */
  readonly host: string;
  /** Seconds that a guest has to shut down before its machine is switched off. */
  readonly shutdownTimeout: number;
  /** File system of ephemeral disks; null: that of the image. */
  readonly ephemeralFormat: string | null;
  /** Keys of instance_info that nodes are not told. */
  readonly leaveOut: readonly string[];
};

/** What a function may touch of the world that runs the phases of servers. */
export type World = Pick<Platform, 'table' | 'workflows' | 'apis' | 'opener' | 'log' | 'clock' | 'chance' | 'ids'> & {
  readonly settings: Settings;
};

export type ServerContext = {
  /** As it was when the run had it and the start of the phase was written. */
  readonly server: StoredServer;
  readonly run: string;
  /** For what the phase tells the history. */
  readonly about: About;
  /** Why there is something to undo. */
  readonly failure: Failure | undefined;
  readonly platform: Pick<Platform, 'table' | 'opener' | 'log' | 'clock' | 'chance' | 'ids'>;
  readonly settings: Settings;
  /** The only way to machines. */
  readonly machines: BaremetalClient;
};

type ServerChange = (server: StoredServer) => Partial<StoredServer>;

export type ServerOutcome<A extends Answers = Nothing> =
  | {
      readonly is: 'done';
      /** Becomes part of the write that ends the phase. */
      readonly change?: ServerChange | undefined;
      /** What a Choice of the ASL reads. */
      readonly output: Answer<A>;
      /** What administrators read of it in the history. */
      readonly details?: string;
      /** Writes to other items that belong into the same write. */
      readonly also?: readonly Write[];
      /** There is no server any more. */
      readonly gone?: true;
    }
  /** An event of the node will end it. */
  | { readonly is: 'wait' };

export type ServerPhase<A extends Answers = Answers> = Phase<ServerContext, ServerOutcome<A>> & {
  /** Missing where it answers nothing. */
  readonly answers?: A;
  /** What clients see while it runs. */
  readonly shows?: TaskState;
  /** What of the node it waits for, if it does. */
  readonly awaits?: ServerWait['about'];
};

/** ASL state name -> phase. The two must have the same names; a test compares them. */
export type ServerPhases = { readonly [name: string]: ServerPhase };

type More = Pick<ServerOutcome & { is: 'done' }, 'details' | 'also' | 'gone'>;

/** The outcome of a phase that has done its work. */
export const done = (change?: ServerChange, more: More = {}) => ({ is: 'done', change, output: {}, ...more }) as const;

/** The same of a phase after which a Choice goes by what it answers. */
export const answer = <const O extends object>(output: O, change?: ServerChange, more: More = {}) =>
  ({ is: 'done', change, output, ...more }) as const;

/**
 * A change that follows from what the node was seen as: if something has become of it meanwhile, it is looked at again,
 * for nobody would tell the server once the run is over. Throws Conflict (409).
 */
export const asSeen =
  ({ server: { event, uuid } }: Pick<ServerContext, 'server'>, change: ServerChange): ServerChange =>
  (server) => {
    if (server.event !== event) throw Conflict(`The node of server ${uuid} has changed since it was looked at.`);
    return change(server);
  };
