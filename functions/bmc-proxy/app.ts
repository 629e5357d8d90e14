/**
 * The BMC proxy: takes a request of layers/bmc/operations.ts, or a survey of many machines, finds out about them by
 * itself, and talks to their BMCs or agents. The one place where errors leave, and where secrets are kept in.
 */
import * as z from 'zod';

import { bmcFault, bmcFaults } from '../../layers/bmc/faults.ts';
import { operations, type Operation, type Reply, type Request } from '../../layers/bmc/operations.ts';
import type { SurveyReply } from '../../layers/bmc/power-survey.ts';
import type { BmcRecord } from '../../layers/bmc/records.ts';
import { openFor } from '../../layers/bmc/seal.ts';
import { Fault, isFault } from '../../layers/domain/fault.ts';
import { createMessageRedactor, createRedactor, redactJson } from '../../layers/redfish-client/redact.ts';
import type { Invocation } from '../../layers/platform/platform.ts';
import type { Call, Deps } from './call.ts';
import type { Config } from './config.ts';
import { systemResolve } from './peer.ts';
import { redfish } from './redfish.ts';
import { isSurvey, surveyPower } from './survey.ts';

const names = Object.keys(operations) as [Operation, ...Operation[]];

const requestShape = z.object({
  op: z.enum(names),
  node: z.string().min(1),
  generation: z.number().int().nonnegative(),
  op_id: z.string().min(1).max(512),
  params: z.record(z.string(), z.unknown()),
  deadline_ms: z.number().int().positive(),
});

/** zod's messages name keys and kinds, never values. */
const Unfit = (what: string, error: z.ZodError): Fault =>
  bmcFault(
    'InvalidCommand',
    `${what}: ${error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}.`,
  );

/** A request with its defaults filled in. */
type Wanted = Omit<Request, 'params'> & Pick<Call, 'params'>;

const parse = (event: unknown): Wanted => {
  const request = requestShape.safeParse(event);
  if (!request.success) throw Unfit('The request to the BMC proxy does not fit', request.error);
  const params = operations[request.data.op].in.safeParse(request.data.params);
  if (!params.success) throw Unfit(`The params of ${request.data.op} do not fit`, params.error);
  return { ...request.data, params: params.data };
};

/** Refused before anything is sent, and again by the ledger in the moment of sending. */
const fence = async ({ records }: Deps, request: Wanted, record: BmcRecord): Promise<void> => {
  const { op, op_id, generation } = request;
  if (!('writes' in operations[op]) || generation >= record.generation) return;
  const stale = bmcFault(
    'StaleGeneration',
    `Node ${record.uuid} is in generation ${record.generation}; ${op} of generation ${generation} comes too late.`,
  );
  const entry = await records.entry(record.uuid, op_id);
  await records.record(record.uuid, { op, op_id }, { state: 'refused', outcome: stale.name }, entry);
  throw stale;
};

/** Names that may leave: those of the contract, and those of what the caller can set right. */
const isKnown = (name: string): boolean => name in bmcFaults || name === 'NotFound' || name === 'Unsealable';

const toFault = (error: unknown, requestId: string): Fault => {
  if (isFault(error) && isKnown(error.name)) return error;
  // driver_info that does not say how to reach the BMC: the API has let it pass, or it was changed since.
  if (isFault(error) && error.name === 'Invalid') return bmcFault('InvalidCommand', error.message, error);
  return new Fault('ProxyFailed', 500, `The BMC proxy failed; its log says why under request ${requestId}.`, {
    cause: error,
  });
};

/** What came from the machine without secrets; whether it is done is our own word. */
const clean = (reply: Reply, secrets: readonly string[]): Reply =>
  reply.status === 'pending'
    ? { ...reply, reason: createMessageRedactor(secrets)(reply.reason) }
    : ({ ...reply, observed: redactJson(createRedactor(secrets), reply.observed) } as Reply);

/** Time to give a session back and to answer before the function itself is stopped. */
const reserveMs = 7_000;

/** `deps.resolve` is the system's resolver unless a test gives another. */
export const create = (deps: Deps, config: Config) => {
  const { records, opener, log, clock } = deps;

  const serve = async (request: Wanted, end: number, secrets: string[]): Promise<Reply> => {
    const { op, op_id, node, generation, params } = request;
    const record = await records.read(node);
    await fence(deps, request, record);
    const open = async (name: string): Promise<string | undefined> => {
      const sealed = record.sealed[name];
      if (sealed === undefined) return undefined;
      const plain = await openFor(opener, sealed, { node: record.uuid, name }, record.driver_info);
      secrets.push(plain);
      return plain;
    };
    const call: Call = {
      resolve: systemResolve,
      ...deps,
      config,
      record,
      generation,
      operation: { op, op_id },
      params,
      end,
      open,
      conceal: (value) => void secrets.push(value),
      redact: (text) => createMessageRedactor(secrets)(text),
    };
    const run = redfish[op] as (call: Call) => Promise<Reply>;
    return run(call);
  };

  /**
   * Serves one request. Throws faults of layers/bmc/faults.ts, NotFound, Unsealable or ProxyFailed; no message and no
   * reply holds a secret or a link's signature.
   */
  const answer = async (event: unknown, { request_id, remaining_ms }: Invocation): Promise<Reply> => {
    const started = clock.now();
    const secrets: string[] = [];
    const redact = (text: string) => createMessageRedactor(secrets)(text);
    let about: object = { request_id };
    try {
      const request = parse(event);
      about = { request_id, op: request.op, op_id: request.op_id, node: request.node };
      const end = started + Math.min(request.deadline_ms, remaining_ms() - reserveMs);
      const reply = clean(await serve(request, end, secrets), secrets);
      log.info('Served.', { ...about, status: reply.status, elapsed_ms: clock.now() - started });
      return reply;
    } catch (error) {
      const { name, code, message } = toFault(error, request_id);
      const stack = name === 'ProxyFailed' && error instanceof Error ? { stack: redact(error.stack ?? '') } : {};
      log[name === 'ProxyFailed' ? 'error' : 'warn']('Failed.', {
        ...about,
        fault: name,
        reason: redact(message),
        ...stack,
        elapsed_ms: clock.now() - started,
      });
      throw new Fault(name, code, redact(message));
    }
  };

  return async (event: unknown, invocation: Invocation): Promise<Reply | SurveyReply> =>
    isSurvey(event) ? surveyPower(answer, event, invocation, reserveMs) : answer(event, invocation);
};
