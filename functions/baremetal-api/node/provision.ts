/**
 * PUT states/provision (ironic-api.md 2.7). The order of checks is Ironic's: verb 406, maintenance 400, state 409 or
 * 400, configdrive and other keys 400, lock 409, what the node forbids 400 or 403, validation 400. What depends on
 * the node is decided again with the node as it is when it is written.
 */
import { isRefusal } from '../../../layers/domain/fault.ts';
import { refuseNewer } from '../../../layers/domain/fields.ts';
import type { Subject } from '../../../layers/domain/policy.ts';
import {
  nextState,
  refuseVerb,
  transientStates,
  transition,
  verbs,
  type ProvisionState,
  type Verb,
} from '../../../layers/domain/states.ts';
import { askedBy, type NodeEvent } from '../../../layers/store/events.ts';
import { changeNode, type Change, type StoredNode } from '../../../layers/store/nodes.ts';
import { begin, proceed } from '../../../layers/store/reservation.ts';
import type { Write } from '../../../layers/platform/table.ts';
import { waitKey } from '../../../workflows/wait.ts';
import {
  checkConfigdriveAllowed,
  readConfigdrive,
  removeConfigdrive,
  removeUpload,
  storeConfigdrive,
} from '../configdrive.ts';
import type { Config } from '../config.ts';
import { route, type Call, type Deps } from '../route.ts';
import { abortRun, checkAbortVersion } from './abort.ts';
import { authorizeSteps, checkAsked, keepAsked, readAsked, type Asked } from './asked-steps.ts';
import { findByIdent } from './find.ts';
import { leaseTo } from './lessee.ts';
import { checkKeys, provisionBody, type ProvisionBody } from './provision-body.ts';
import { rescueRemoval, rescueWrites } from './rescue-password.ts';
import { startRun, stopRun } from './start.ts';
import { hasPorts } from './validate.ts';
import { checkAwake, checkNode, looksAtPorts, type Around } from './verb-rules.ts';

const verbVersions: { readonly [verb: string]: { readonly event: string; readonly since?: number } } = verbs;

/** Maintenance, then the state machine. Throws Invalid (400), NodeLocked (409) if the state is that of a running work. */
const checkState = (node: StoredNode, target: string): Verb => {
  checkAwake(node, target);
  const verb = Object.hasOwn(verbs, target) ? (target as Verb) : undefined;
  if (!verb || !nextState(node.provision_state, verbs[verb].event)) throw refuseVerb(node, target);
  return verb;
};

const isTransient = (state: string | undefined) => (transientStates as readonly string[]).includes(state ?? '');

/** The wait item of the run that is superseded; a late heartbeat finds no token any more. */
const forgetWait = (node: StoredNode) => ({ delete: waitKey(node.uuid) });

/** What goes on when a hold ends. */
const heldBy: { readonly [S in ProvisionState]?: string } = {
  'clean hold': 'clean',
  'deploy hold': 'deploy',
  'service hold': 'service',
};

type Wish = {
  readonly verb: Verb;
  /** Of the run that begins (layers/store/reservation.ts). */
  readonly birth: string;
  readonly configdrive: string | undefined;
  readonly subject: Subject;
  readonly asked: Asked | undefined;
  /** Where the lessee of a deploy comes from. */
  readonly lesseeSource: Config['automaticLessee'];
  /** What else begins with it, such as a rescue's password. */
  readonly writes: readonly Write[];
};

/** The change without its event: an abort, a run that begins, or a mere change of state. */
const work = (node: StoredNode, { verb, birth }: Wish): Change => {
  const row = verbs[verb];
  if (verb === 'abort') return abortRun(node, birth);
  if (verb === 'unhold') return { set: proceed(node, birth, heldBy[node.provision_state]!, row.event) };
  if (isTransient(nextState(node.provision_state, row.event)) && 'workflow' in row) {
    return {
      set: {
        ...begin(node, birth, row.workflow, row.event, 'target' in row ? { target: row.target } : {}),
        last_error: null,
      },
    };
  }
  return { set: { ...transition(node, row.event), last_error: null } };
};

const eventOf = (before: StoredNode, { set = {} }: Change, verb: Verb, subject: Subject): NodeEvent => ({
  kind: 'request',
  severity: 'INFO',
  event_type: 'provisioning',
  message: `Asked for ${verb}: from ${before.provision_state} to ${set.provision_state}.`,
  ...(set.run && { run: set.run }),
  ...askedBy(subject),
});

/** Steps and lessee; nothing for other verbs. */
const takenAlong = (node: StoredNode, { verb, asked, subject, lesseeSource }: Wish): Partial<StoredNode> => {
  if (!asked) return {};
  const steps = keepAsked(node, asked);
  const lease = verbs[verb].event === 'deploy' ? leaseTo({ ...node, ...steps }, subject, lesseeSource) : {};
  return { ...steps, ...lease };
};

/** The whole change of an accepted request. Throws what the checks above throw. */
const decide = (node: StoredNode, wish: Wish, around: Around): Change => {
  const { verb, configdrive, subject, asked, writes } = wish;
  checkState(node, verb);
  const info = configdrive === undefined ? undefined : { ...node.instance_info, configdrive };
  const told = info ? { ...node, instance_info: info } : node;
  checkNode(told, verb, around);
  checkAsked(told, asked, around);
  const change = work(node, wish);
  return {
    set: { ...change.set, ...(info && { instance_info: info }), ...takenAlong(node, wish) },
    events: [eventOf(node, change, verb, subject)],
    also: [...(change.also ?? []), ...(node.run ? [forgetWait(node)] : []), ...rescueRemoval(node), ...writes],
  };
};

const checkRequest = (call: Call<ProvisionBody, StoredNode>): Verb => {
  const { version, target: node, body } = call;
  refuseNewer(verbVersions, version, [body.target]);
  authorizeSteps(call);
  const verb = checkState(node, body.target);
  if (verb === 'abort') checkAbortVersion(node, version);
  checkConfigdriveAllowed(body.configdrive, verb, version);
  checkKeys(body, verb, version);
  return verb;
};

/** Both forms of the node around the one write that counts. */
const record = async (deps: Deps, uuid: string, wish: Wish) => {
  const around = {
    hasPorts: looksAtPorts(wish.verb) && (await hasPorts(deps, uuid)),
    automatedClean: deps.config.automatedClean,
  };
  const seen: { before?: StoredNode } = {};
  const after = await changeNode(deps, uuid, (node) => {
    seen.before = node;
    return decide(node, wish, around);
  });
  return { before: seen.before!, after };
};

/**
 * The configdrive is stored before the node refers to it, and removed again if the request is refused. After any other
 * failure the write may have happened, so it stays: better one too many, which sync sweeps, than a node without its own.
 */
const recordWithConfigdrive = async (deps: Deps, call: Call<ProvisionBody, StoredNode>, verb: Verb) => {
  const { target: node, body, subject } = call;
  const asked = await readAsked(deps, call, verb);
  const writes = await rescueWrites(deps, node.uuid, verb, body.rescue_password);
  const given = await readConfigdrive(deps, body.configdrive, node);
  const configdrive = given && (await storeConfigdrive(deps, node.uuid, given));
  const lesseeSource = deps.config.automaticLessee;
  const wish = { verb, birth: deps.ids.ulid(), configdrive, subject, asked, lesseeSource, writes };
  const forms = await record(deps, node.uuid, wish).catch(async (error: unknown) => {
    if (isRefusal(error)) await removeConfigdrive(deps, node.uuid, configdrive);
    throw error;
  });
  if (configdrive !== undefined) {
    await removeConfigdrive(deps, node.uuid, forms.before.instance_info['configdrive']);
  }
  await removeUpload(deps, node.uuid, given);
  return forms;
};

/** After the write: the run that lost the node is stopped, the one that has it now is started. */
const putToWork = async (deps: Deps, before: StoredNode, after: StoredNode, verb: Verb): Promise<void> => {
  if (before.run !== after.run) {
    await stopRun(deps, before.run_workflow, before.run, `Node ${after.uuid} was asked for ${verb}.`);
  }
  const { uuid, reservation, run, run_workflow: workflow } = after;
  if (run && workflow) await startRun(deps, workflow, run, { node: uuid });
  else if (reservation) await startRun(deps, 'power', reservation, { node: uuid, target: 'power off', timeout: null });
};

export const provisionRoute = route<ProvisionBody, StoredNode>({
  at: 'PUT /v1/nodes/{ident}/states/provision',
  policy: 'baremetal:node:set_provision_state',
  status: 202,
  limit: 64 * 1024 * 1024,
  body: provisionBody,
  arguments: true,
  find: findByIdent,
  handle: async (deps, call) => {
    const verb = checkRequest(call);
    const { before, after } = await recordWithConfigdrive(deps, call, verb);
    await putToWork(deps, before, after, verb);
    return { location: `/v1/nodes/${call.params['ident']}/states` };
  },
});
