/**
 * A request to hardware that a client waits for: lock, ask, let the lock go with the result (ADR 10). Should this die in
 * between, `sync` frees the lock; whatever then still comes from here is refused by its generation.
 */
import * as z from 'zod';

import { bmcFaults, isRetryable } from '../../layers/bmc/faults.ts';
import { Fault, isFault, NodeLocked, NotFound } from '../../layers/domain/fault.ts';
import { plainText } from '../../layers/domain/foreign-text.ts';
import { check } from '../../layers/domain/schema.ts';
import { askedBy, type NodeEvent } from '../../layers/store/events.ts';
import { managementRequestKey, managementRequestWrite } from '../../layers/store/management-requests.ts';
import { lock } from '../../layers/store/reservation.ts';
import { createHardware } from '../../workflows/owners/node/hardware.ts';
import type { World } from '../../workflows/owners/node/phase.ts';
import { type Means, requests, type RequestName, type RequestReply } from '../../workflows/management/requests.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { readRecord } from '../../layers/store/records/find.ts';

/** What the API sends; `params` are checked by the row of the request. */
const RequestCall = z.object({
  request: z.string().refine((name): name is RequestName => Object.hasOwn(requests, name), 'no such request'),
  node: z.string(),
  params: z.record(z.string(), z.unknown()),
  asked_by: z.object({
    user: z.string().nullable(),
    project: z.string().nullable(),
    roles: z.array(z.string()).default([]),
  }),
  budget_ms: z.number().positive(),
});
type RequestCall = z.output<typeof RequestCall>;

type Work = {
  readonly lock: 'held' | 'free' | 'any';
  told(): string;
  run(means: Means): Promise<unknown>;
};

/** The row with its parameters. Throws Invalid (400). */
const workOf = ({ request, params }: RequestCall): Work => {
  const row = requests[request];
  const given: never = check<unknown>(row.params, params) as never;
  return {
    lock: row.lock,
    told: () => ('told' in row && row.told ? row.told(given) : `Asked for ${request}.`),
    run: async (means) => row.run(means, given),
  };
};

/** Milliseconds from its start after which nobody works on a request any more: the longest that this function runs. */
const forgottenAfter = 150_000;
/** No request asks the proxy more often than this in one go; each time it may take its share of what is left. */
const most = 2;
/** How often a machine is looked at that is still at it, ms. */
const pace = 1000;

const event = ({ asked_by }: RequestCall, message: string, run: string): NodeEvent => ({
  kind: 'request',
  severity: 'INFO',
  event_type: 'conductor',
  message,
  run,
  ...askedBy(asked_by),
});

/** Throws NodeLocked (409), NotFound (404). */
const take = async (platform: World, call: RequestCall, work: Work): Promise<StoredNode> => {
  const birth = platform.ids.ulid();
  const { after } = await changeRecord(platform, kinds.node, call.node, (node) => {
    const held = lock(node, birth);
    const run = held.reservation;
    const until = platform.clock.now() + forgottenAfter;
    return {
      set: held,
      events: [event(call, work.told(), run)],
      also: [managementRequestWrite(node.uuid, run, { action: 'direct', until })],
    };
  });
  return after;
};

/** Whoever has the lock by now keeps it. */
const letGo = async (platform: World, call: RequestCall, { uuid, reservation: run }: StoredNode, message: string) =>
  changeRecord(platform, kinds.node, uuid, (node) => {
    if (node.reservation !== run) return undefined;
    return {
      set: { reservation: null },
      events: [event(call, message, run!)],
      also: [{ delete: managementRequestKey(uuid) }],
    };
  });

const stillAtIt = (error: unknown) => isFault(error) && error.name === 'Pending';

/** Asks until the machine has done it or the client cannot wait any longer. Throws Pending, and what the row throws. */
const ask = async (platform: World, call: RequestCall, work: Work, node: StoredNode): Promise<unknown> => {
  const end = platform.clock.now() + call.budget_ms;
  const op_id = `${node.reservation ?? node.uuid}/${call.request}`;
  const { images } = platform;
  for (;;) {
    const left = end - platform.clock.now();
    try {
      const deadline_ms = Math.max(pace, Math.floor(left / most));
      return await work.run({ hardware: createHardware(platform, { node, op_id, deadline_ms }), node, images });
    } catch (error) {
      if (!stillAtIt(error) || end - platform.clock.now() < 2 * pace) throw error;
      await platform.clock.sleep(pace);
    }
  }
};

const withLock = async (platform: World, call: RequestCall, work: Work): Promise<unknown> => {
  const node = await take(platform, call, work);
  const [asked] = await Promise.allSettled([ask(platform, call, work, node)]);
  if (asked.status === 'fulfilled') {
    await letGo(platform, call, node, 'The machine has done what it was asked.');
    return asked.value;
  }
  const error: unknown = asked.reason;
  await letGo(platform, call, node, isFault(error) ? `It failed: ${plainText(error.message)}` : 'It failed.');
  throw error;
};

const withoutLock = async (platform: World, call: RequestCall, work: Work): Promise<unknown> => {
  const node = await readRecord(platform.table, kinds.node, call.node);
  if (!node) throw NotFound(`Node ${call.node} could not be found.`);
  if (work.lock === 'free' && node.reservation) throw NodeLocked(node.uuid, node.reservation);
  return ask(platform, call, work, node);
};

/** The status by the name: a fault of the proxy arrives here without its own. */
const codeOf = (error: Fault): number => {
  if (error.name === 'StaleGeneration') return 409;
  if (isRetryable(error)) return 503;
  return Object.hasOwn(bmcFaults, error.name) ? 400 : error.code;
};

const messageOf = (error: Fault): string =>
  stillAtIt(error)
    ? `The machine was asked and is still at it: ${error.message} Look, or ask again, later.`
    : error.message;

/** What was sent is no request: a mistake of ours, no client's. */
const RequestMalformed = (why: string) =>
  new Fault('RequestMalformed', 500, `The API sent what is no request to hardware: ${why}`);

/**
 * Never throws a fault that a client can do something about; what else it throws is for the log, such as
 * RequestMalformed.
 */
export const serveRequest = async (platform: World, event: unknown): Promise<RequestReply> => {
  const { data: call, error: malformed } = RequestCall.safeParse(event);
  if (malformed) throw RequestMalformed(malformed.message);
  try {
    const work = workOf(call);
    const answer = await (work.lock === 'held' ? withLock : withoutLock)(platform, call, work);
    return { is: 'answer', answer: (answer ?? null) as never };
  } catch (error) {
    const { node, request } = call;
    if (!isFault(error) || codeOf(error) === 500) {
      platform.log.error('A request to hardware met something unexpected.', { node, request, error });
      throw error;
    }
    return { is: 'refusal', name: error.name, code: codeOf(error), message: messageOf(error) };
  }
};
