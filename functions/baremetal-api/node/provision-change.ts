/** What an accepted PUT states/provision changes on the node: a pure decision for `changeNode`. */
import { isTransient, stateOf, transition } from '../../../layers/domain/baremetal/states.ts';
import { type Verb, type VerbRow, verbs } from '../../../layers/domain/baremetal/verbs.ts';
import { drop, keep } from '../../../layers/domain/notes.ts';
import type { Subject } from '../../../layers/domain/policy.ts';
import type { Write } from '../../../layers/platform/table.ts';
import { askedBy, type NodeEvent } from '../../../layers/store/events.ts';
import { rescuePasswordKey } from '../../../layers/store/rescue-passwords.ts';
import { begin, proceed } from '../../../layers/store/reservation.ts';
import { waitKey } from '../../../workflows/owners/node/wait.ts';
import type { Config } from '../config.ts';
import { abortRun } from './abort.ts';
import { type Asked, checkAsked, keepAsked } from './asked-steps.ts';
import { imagesOf } from './images.ts';
import { leaseTo } from './lessee.ts';
import { type Around, checkNode, requireVerb } from './verb-checks.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Change } from '../../../layers/store/records/plan.ts';

/** All that is known of a request before the node is decided on. */
export type Wish = {
  readonly verb: Verb;
  /** Of the run that begins (layers/store/reservation.ts). */
  readonly birth: string;
  /** The value for instance_info. */
  readonly configdrive: string | undefined;
  /** Why no agent has a use for what it leads to. */
  readonly flaw: string | undefined;
  readonly subject: Subject;
  readonly asked: Asked | undefined;
  /** Where the lessee of a deploy comes from. */
  readonly lesseeSource: Config['automaticLessee'];
  /** What else begins with it, such as a rescue's password. */
  readonly writes: readonly Write[];
};

/** A run begins, unless the verb leads into a state that rests. */
const beginRun = (node: StoredNode, { verb, birth }: Wish): Change<StoredNode> => {
  const { event, workflow, target } = verbs[verb];
  const entered = transition(node, event, { target });
  const run = workflow && isTransient(entered) ? begin(node, birth, workflow, event, { target }) : entered;
  return { set: { ...run, last_error: null } };
};

const runs: { readonly [R in NonNullable<VerbRow['instead']>]: (node: StoredNode, wish: Wish) => Change<StoredNode> } =
  {
    abort: (node, { birth }) => abortRun(node, birth),
    proceed: (node, { verb, birth }) => ({
      set: proceed(node, birth, stateOf(node).workflow!, verbs[verb].event),
    }),
  };

/** State, lock and run. */
const change = (node: StoredNode, wish: Wish): Change<StoredNode> => {
  const { instead } = verbs[wish.verb];
  return instead ? runs[instead](node, wish) : beginRun(node, wish);
};

/** Steps, and of a deploy whose images it may write and the lessee; nothing for verbs without steps. */
const takenAlong = (node: StoredNode, { verb, asked, subject, lesseeSource }: Wish): Partial<StoredNode> => {
  if (!asked) return {};
  const steps = keepAsked(node, asked);
  if (verbs[verb].steps !== 'deploy') return steps;
  const deploy = { ...steps, ...imagesOf({ ...node, ...steps }, subject) };
  return { ...deploy, ...(verbs[verb].leases && leaseTo({ ...node, ...deploy }, subject, lesseeSource)) };
};

/** The line of history about the request, which tells of the transition as well. */
const toldAs =
  ({ verb, subject }: Wish) =>
  (before: StoredNode, after: StoredNode): NodeEvent => ({
    kind: 'request',
    severity: 'INFO',
    event_type: 'provisioning',
    message: `Asked for ${verb}: from ${before.provision_state} to ${after.provision_state}.`,
    ...(after.run && { run: after.run }),
    ...askedBy(subject),
  });

/** A late heartbeat finds no token of the run that is superseded, and nobody its rescue's password. */
const leftBehind = ({ uuid, run }: StoredNode): Write[] =>
  run === null ? [] : [waitKey, rescuePasswordKey].map((key) => ({ delete: key(uuid) }));

const withConfigdrive = (node: StoredNode, { configdrive, flaw }: Wish): Partial<StoredNode> =>
  configdrive === undefined
    ? {}
    : {
        instance_info: { ...node.instance_info, configdrive },
        ...(flaw === undefined ? drop(node, 'drive_flaw') : keep(node, { drive_flaw: flaw })),
      };

/**
 * The whole change, on the node as it is when it is written. The checks of the state have been asked before, of the node
 * as the request found it; that they refuse here means that somebody was faster. All others refuse here only.
 * Throws NodeLocked (409), Conflict (409), Forbidden (403), Invalid (400).
 */
export const decideProvision = (stored: StoredNode, wish: Wish, around: Around): Change<StoredNode> => {
  const { verb, asked } = wish;
  requireVerb(stored, verb);
  const drive = withConfigdrive(stored, wish);
  const node = { ...stored, ...drive };
  checkNode(node, verb, around);
  checkAsked(node, asked, around);
  const run = change(node, wish);
  return {
    set: { ...drive, ...run.set, ...takenAlong(node, wish) },
    told: toldAs(wish),
    also: [...(run.also ?? []), ...leftBehind(node), ...wish.writes],
  };
};
