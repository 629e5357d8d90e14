/** PUT states/power (ironic-api.md 2.6, ironic-states.md 4). */
import * as z from 'zod';

import { validateInterface } from '../../../layers/bmc/validation.ts';
import { isInWork } from '../../../layers/domain/baremetal/states.ts';
import { refuseVerb } from '../../../layers/domain/baremetal/verbs.ts';
import { Conflict, Invalid, NotAcceptable } from '../../../layers/domain/fault.ts';
import type { Subject } from '../../../layers/domain/policy.ts';
import { askedBy } from '../../../layers/store/events.ts';
import { type PowerRequest, powerRequestWrite } from '../../../layers/store/power-requests.ts';
import { lock } from '../../../layers/store/reservation.ts';
import { type Call, route } from '../route.ts';
import { findByIdent } from './find.ts';
import { requireInstance } from './for-instance.ts';
import { startRun } from '../../../workflows/run/start.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import type { Change } from '../../../layers/store/records/plan.ts';

/** What may be asked for, with the power state that the node is then heading for. */
export const powerTargets = {
  'power on': { becomes: 'power on' },
  'power off': { becomes: 'power off' },
  rebooting: { becomes: 'power on' },
  'soft power off': { becomes: 'power off', since: 27 },
  'soft rebooting': { becomes: 'power on', since: 27 },
} as const satisfies Record<string, { becomes: 'power on' | 'power off'; since?: number }>;

type PowerTarget = keyof typeof powerTargets;
const isTarget = (target: string): target is PowerTarget => Object.hasOwn(powerTargets, target);

/** As a query parameter it comes as text. */
const seconds = z.union([z.int(), z.string().regex(/^\d+$/).transform(Number)], 'must be a whole number of seconds');

const body = z.strictObject({ target: z.string(), timeout: seconds.nullish() });
type Body = z.output<typeof body>;

const checkBody = ({ target, timeout }: Body, version: number): PowerTarget => {
  const known = isTarget(target) ? target : undefined;
  const soft = known !== undefined && 'since' in powerTargets[known];
  if ((soft || (timeout ?? null) !== null) && version < 27) {
    throw NotAcceptable('Request not acceptable. Soft power actions and timeout need API version 1.27 or newer.');
  }
  if ((timeout ?? 1) < 1) throw Invalid('timeout has to be a positive integer.');
  if (!known) {
    throw Invalid(`"${target}" is not a power target, use one of ${Object.keys(powerTargets).join(', ')}.`);
  }
  return known;
};

type Wish = {
  readonly target: PowerTarget;
  readonly timeout: number | null;
  readonly subject: Subject;
  /** Of the run (layers/store/reservation.ts). */
  readonly birth: string;
};

const requestOf = (
  { uuid, disable_power_off: staysOn }: StoredNode,
  { target, timeout }: Pick<Wish, 'target' | 'timeout'>,
): PowerRequest => ({ node: uuid, target, timeout, ...(staysOn && { stays_on: true }) });

/**
 * What a power action changes, from the node as it is stored. Throws Invalid while cleaning, NodeLocked,
 * Conflict for powering off a node that must not be.
 */
const decide = (node: StoredNode, wish: Wish): Change<StoredNode> => {
  const { target, subject, birth } = wish;
  if (isInWork(node, 'clean')) throw refuseVerb({ ...node, reservation: null }, target);
  const { becomes } = powerTargets[target];
  const held = lock(node, birth);
  if (becomes === 'power off' && node.disable_power_off) {
    throw Conflict(`Node ${node.uuid} must not be powered off: its disable_power_off is true.`);
  }
  validateInterface(node, 'power');
  const request = requestOf(node, wish);
  return {
    set: { ...held, target_power_state: becomes, last_error: null },
    events: [
      {
        kind: 'request',
        severity: 'INFO',
        event_type: 'power',
        message: `Asked for ${target}.`,
        run: held.reservation,
        ...askedBy(subject),
      },
    ],
    also: [powerRequestWrite(held.reservation, request)],
  };
};

export const powerRoute = route<Body, StoredNode>({
  at: 'PUT /v1/nodes/{ident}/states/power',
  fenced: true,
  policy: 'baremetal:node:set_power_state',
  status: 202,
  body,
  arguments: true,
  find: findByIdent,
  handle: async (deps, call: Call<Body, StoredNode>) => {
    const target = checkBody(call.body, call.version);
    const timeout = call.body.timeout ?? null;
    const wish: Wish = { target, timeout, subject: call.subject, birth: deps.ids.ulid() };
    const { after: node } = await changeRecord(deps, kinds.node, call.target.uuid, (stored) => {
      requireInstance(call, stored);
      return decide(stored, wish);
    });
    await startRun(deps, 'power', node.reservation!, requestOf(node, wish));
    return { location: `/v1/nodes/${call.params['ident']}/states` };
  },
});
