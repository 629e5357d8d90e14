/**
 * PUT states/provision (ironic-api.md 2.7). The order of checks is Ironic's: verb 406, maintenance 400, state 409 or
 * 400, configdrive and other keys 400, lock 409, what the node forbids 400 or 403, validation 400. What a verb is stands
 * in its row (layers/domain/baremetal/verbs.ts).
 */
import { isVerb, type Verb, verbs } from '../../../layers/domain/baremetal/verbs.ts';
import { refuseNewer } from '../../../layers/domain/fields.ts';
import { checkConfigdriveAllowed, keepConfigdrive } from '../configdrive.ts';
import { type Call, type Deps, route } from '../route.ts';
import { powerOffAfter } from './abort.ts';
import { authorizeSteps, readAsked } from './asked-steps.ts';
import { findByIdent } from './find.ts';
import { requireInstance } from './for-instance.ts';
import { checkKeys, provisionBody, type ProvisionBody } from './provision-body.ts';
import { decideProvision, type Wish } from './provision-change.ts';
import { rescueWrites } from './rescue-password.ts';
import { startRun, stopRun } from '../../../workflows/run/start.ts';
import { hasPorts } from './validate.ts';
import { checkSinceFrom, requireVerb } from './verb-checks.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { type Changed, changeRecord } from '../../../layers/store/records/change.ts';
import { refuseLocked } from '../../../layers/store/reservation.ts';

type ProvisionCall = Call<ProvisionBody, StoredNode>;

/** What can be said before anything is read besides the node. Returns the verb. */
const checkRequest = (call: ProvisionCall): Verb => {
  const { version, target: node, body } = call;
  requireInstance(call, node);
  if (!isVerb(body.target) || !verbs[body.target].stateFirst) refuseNewer(verbs, version, [body.target]);
  authorizeSteps(call);
  const verb = requireVerb(node, body.target);
  refuseNewer(verbs, version, [verb]);
  checkSinceFrom(node, verb, version);
  checkConfigdriveAllowed(body.configdrive, verb, version);
  checkKeys(body, verb, version);
  return verb;
};

/** What the decision needs, which itself must not wait for anything. */
const readWish = async (deps: Deps, call: ProvisionCall, verb: Verb): Promise<Omit<Wish, 'configdrive' | 'flaw'>> => ({
  verb,
  birth: deps.ids.ulid(),
  subject: call.subject,
  asked: await readAsked(deps, call, verb),
  lesseeSource: deps.config.automaticLessee,
  writes: await rescueWrites(deps, call.target.uuid, verb, call.body.rescue_password),
});

const record = async (deps: Deps, call: ProvisionCall, wish: Wish): Promise<Changed<StoredNode>> => {
  const { uuid } = call.target;
  const around = {
    hasPorts: verbs[wish.verb].ports === true && (await hasPorts(deps, uuid)),
    automatedClean: deps.config.automatedClean,
  };
  return changeRecord(deps, kinds.node, uuid, (node) => {
    requireInstance(call, node);
    return decideProvision(node, wish, around);
  });
};

/** After the write: the run that lost the node is stopped, the one that has it now is started. */
const putToWork = async (deps: Deps, { before, after }: Changed<StoredNode>, verb: Verb): Promise<void> => {
  if (before.run !== after.run) {
    await stopRun(deps, before.run_workflow, before.run, `Node ${after.uuid} was asked for ${verb}.`);
  }
  const { uuid, reservation, run, run_workflow: workflow } = after;
  if (run && workflow) await startRun(deps, workflow, run, { node: uuid });
  else if (reservation) await startRun(deps, 'power', reservation, powerOffAfter(before));
};

export const provisionRoute = route<ProvisionBody, StoredNode>({
  at: 'PUT /v1/nodes/{ident}/states/provision',
  fenced: true,
  policy: 'baremetal:node:set_provision_state',
  status: 202,
  limit: 64 * 1024 * 1024,
  body: provisionBody,
  arguments: true,
  find: findByIdent,
  handle: async (deps, call) => {
    const { target: node, body } = call;
    const verb = checkRequest(call);
    // Who waits for the lock has stored nothing meanwhile, and sealed nothing.
    refuseLocked(node);
    const wish = await readWish(deps, call, verb);
    const changed = await keepConfigdrive(deps, node, body.configdrive, async (configdrive, flaw) =>
      record(deps, call, { ...wish, configdrive, flaw }),
    );
    await putToWork(deps, changed, verb);
    return { location: `/v1/nodes/${call.params['ident']}/states` };
  },
});
