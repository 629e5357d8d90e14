/**
 * What a phase of a node's run is. Before it the run has the lock and the start is marked (hold.ts); what the phase
 * changed is written together with its end (tell.ts). A phase may be cut off anywhere and is then run again from its
 * start, so every `run` observes before it acts.
 */
import type { BootImageReply, BootImageRequest } from '../../../layers/domain/boot-image.ts';
import type { RamdiskSettings } from '../../../layers/domain/ramdisk.ts';
import type { ImageClient } from '../../../layers/image-client/client.ts';
import type { Platform } from '../../../layers/platform/platform.ts';
import type { Answer, Answers, Nothing } from '../../run/phase.ts';
import type { Hardware } from './hardware.ts';
import type { About } from '../../run/history.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Change } from '../../../layers/store/records/plan.ts';

/** Settings that phases know (infra/manifest.ts). Seconds. */
export type Settings = {
  readonly automatedClean: boolean;
  /** Clean steps whose priority the operator sets; 0 turns one off. */
  readonly cleanPriorities: { readonly [step: string]: number };
  /** How long a link to a configdrive works that is handed to an agent. */
  readonly linkSeconds: number;
  /** How long the link to the medium of an agent works that is handed to a BMC. */
  readonly mediumSeconds: number;
  /** Where agents reach this API, without a trailing slash; empty: their ramdisk was told when it was built. */
  readonly agentEndpoint: string;
  /** What ramdisks are made of that no driver_info says. */
  readonly ramdisk: RamdiskSettings;
};

/** What a function may touch of the world that runs the phases of nodes. */
export type World = Pick<
  Platform,
  'table' | 'objects' | 'workflows' | 'functions' | 'sealer' | 'log' | 'clock' | 'chance' | 'ids'
> & { readonly settings: Settings; readonly images: ImageClient };

export type PhaseContext = {
  /** As it was when the run held the lock and the start of the phase was written. */
  readonly node: StoredNode;
  readonly run: string;
  /** For what the phase tells the history. */
  readonly about: About;
  readonly hardware: Hardware;
  /** What images of the Image API are, and where agents fetch them from. */
  readonly images: ImageClient;
  /** Asks the function that builds boot images. */
  readonly bootImages: (wanted: BootImageRequest) => Promise<BootImageReply>;
  readonly platform: Pick<Platform, 'table' | 'objects' | 'sealer' | 'clock' | 'chance' | 'ids' | 'log'>;
  readonly settings: Settings;
  /** Seconds that the client of a power action gave; null: it gave none. */
  readonly timeout: number | null;
};

type NodeChange = (node: StoredNode) => Partial<StoredNode>;

export type Outcome<A extends Answers = Nothing> =
  /** `change` becomes part of the write that ends the phase; `output` is what a Choice of the ASL reads. */
  | {
      readonly is: 'done';
      readonly change?: NodeChange | undefined;
      readonly output: Answer<A>;
      /** Events, and writes to other items, that belong into the same write. */
      readonly more?: Pick<Change<StoredNode>, 'events' | 'also'>;
    }
  /**
   * The agent will call. `came` is asked in the very write that would let the lock go: true if it has called since
   * the phase looked, so that no call is ever missed.
   */
  | { readonly is: 'wait'; readonly came: (node: StoredNode) => boolean };

export type Phase<A extends Answers = Nothing> = {
  /** Missing where it answers nothing. */
  readonly answers?: A;
  /** What clients see on the node while it runs, such as `deploy_step`. */
  readonly shows?: (node: StoredNode) => Partial<StoredNode>;
  /** Which piece of the work it does, for the history: the step. */
  readonly piece?: (node: StoredNode) => string | undefined;
  /** Seconds that hardware may take to do what it was asked; then the run fails. Default 900. */
  readonly limit?: (timeout: number | null) => number;
  /**
   * Of a phase that waits for calls of the agent: whether this one changes nothing, asked before the lock is taken. Then
   * the run waits on and the node stays as it is. It only looks.
   */
  readonly rests?: (node: StoredNode, hardware: Hardware) => Promise<boolean>;
  /** It asks for so much that one answer takes longer than the minute that others get. */
  readonly slow?: true;
  run(context: PhaseContext): Promise<Outcome<A>>;
};

/** ASL state name -> phase. The two must have the same names; a test compares them. */
export type Phases = { readonly [name: string]: Phase<Answers> };

/** The outcome of a phase that has done its work. */
export const done = (change?: NodeChange, more?: Pick<Change<StoredNode>, 'events' | 'also'>) =>
  ({ is: 'done', change, output: {}, ...(more && { more }) }) as const;

/** The same of a phase after which a Choice goes by what it answers. */
export const answer = <const O extends object>(
  output: O,
  change?: NodeChange,
  more?: Pick<Change<StoredNode>, 'events' | 'also'>,
) => ({ is: 'done', change, output, ...(more && { more }) }) as const;
