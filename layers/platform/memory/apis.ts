/** APIs as functions of the same process: what an API Gateway would make of a request, without one. */
import { ServiceCredential, Unavailable } from '../../domain/fault.ts';
import { type Result, toEvent, toReply } from '../api-event.ts';
import { type ApiRequest, type Apis, type CalledApi, calledApis, perApi } from '../apis.ts';
import type { Invocation } from '../platform.ts';

/** A function behind an API Gateway, whose event is a matter of layers/http. */
export type Served = (event: never, invocation: Invocation) => Promise<Result>;

export type MemoryApis = Apis & {
  /** Who answers; may be set at any time. */
  readonly served: Partial<Record<CalledApi, Served>>;
  /** Who a proof is of, as an authorizer says it; may be set at any time. Default: nobody is asked who he is. */
  identify: (proof: NonNullable<ApiRequest['proof']>) => object | undefined;
  readonly calls: { readonly api: CalledApi; readonly wanted: ApiRequest }[];
};

const anonymous = { user: 'anonymous', project: '', roles: 'admin', scope: 'system' };

/** Throws Unavailable (503) where nobody is served. */
export const createMemoryApis = (served: MemoryApis['served'] = {}): MemoryApis => {
  const calls: MemoryApis['calls'] = [];
  const callOf = (api: CalledApi) => async (wanted: ApiRequest) => {
    calls.push({ api, wanted });
    const serve = served[api];
    if (!serve) throw Unavailable(`The ${calledApis[api]} could not be asked. Try again later.`);
    const request_id = `${api}-${calls.length}`;
    const who = wanted.proof && (apis.identify(wanted.proof) ?? null);
    if (who === null) return { status: 401, headers: {}, text: '' };
    const event = toEvent(wanted, request_id, who);
    const reply = toReply(await serve(event as never, { request_id, remaining_ms: () => 29_000 }));
    if (wanted.proof || (reply.status !== 401 && (reply.status !== 403 || wanted.refusable))) return reply;
    throw ServiceCredential(`The ${calledApis[api]} could not be asked. Try again later.`);
  };
  const apis: MemoryApis = { served, calls, identify: () => anonymous, ...perApi(callOf) };
  return apis;
};
