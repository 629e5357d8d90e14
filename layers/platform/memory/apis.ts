/** APIs as functions of the same process: what an API Gateway would make of a request, without one. */
import { Unavailable } from '../../domain/fault.ts';
import { type ApiReply, type ApiRequest, type Apis, apiTitles, type CalledApi } from '../apis.ts';
import type { Invocation } from '../platform.ts';

/** A function behind an API Gateway, whose event is a matter of layers/http. */
export type Served = (
  event: never,
  invocation: Invocation,
) => Promise<{
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly body: string;
}>;

export type MemoryApis = Apis & {
  /** Who answers; may be set at any time. */
  readonly served: Partial<Record<CalledApi, Served>>;
  readonly calls: { readonly api: CalledApi; readonly wanted: ApiRequest }[];
};

/** What the authorizer says of the credential of an installation: a service of the whole system. */
const service = {
  user: 'ingot-service',
  user_name: 'ingot-service',
  project: '',
  project_name: '',
  roles: 'service',
  scope: 'system',
};

const toEvent = ({ method, path, headers, body }: ApiRequest, requestId: string): object => {
  const url = new URL(path, 'http://memory.test');
  const names = [...new Set(url.searchParams.keys())];
  return {
    httpMethod: method,
    path: url.pathname,
    headers: { Host: url.host, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    multiValueQueryStringParameters: Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name)])),
    requestContext: { path: url.pathname, requestId, authorizer: service, identity: { sourceIp: '127.0.0.1' } },
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
  };
};

const toReply = ({ statusCode, headers = {}, body }: Awaited<ReturnType<Served>>): ApiReply => ({
  status: statusCode,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
  text: body,
});

/** Throws Unavailable (503) where nobody is served. */
export const createMemoryApis = (served: MemoryApis['served'] = {}): MemoryApis => {
  const calls: MemoryApis['calls'] = [];
  const callOf = (api: CalledApi) => async (wanted: ApiRequest) => {
    calls.push({ api, wanted });
    const serve = served[api];
    if (!serve) throw Unavailable(`The ${apiTitles[api]} could not be asked. Try again later.`);
    const request_id = `${api}-${calls.length}`;
    const reply = toReply(
      await serve(toEvent(wanted, request_id) as never, { request_id, remaining_ms: () => 29_000 }),
    );
    if (reply.status !== 401 && reply.status !== 403) return reply;
    throw Unavailable(`The ${apiTitles[api]} could not be asked. Try again later.`);
  };
  return { served, calls, baremetal: callOf('baremetal'), image: callOf('image') };
};
