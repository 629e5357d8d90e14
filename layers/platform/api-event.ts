/** What API Gateway makes of a request and of an answer, for calls of an API's function that go past it. */
import type { ApiReply, ApiRequest } from './apis.ts';

/** What an authorizer says of the credential of an installation: a service of the whole system. */
const service = {
  user: 'ingot-service',
  user_name: 'ingot-service',
  project: '',
  project_name: '',
  roles: 'service',
  scope: 'system',
};

/** The event. Who is let in is not asked: whoever calls the function itself says that it is a service of ours. */
export const toEvent = (
  { method, path, headers, body }: ApiRequest,
  requestId: string,
  authorizer: object = service,
): object => {
  const url = new URL(path, 'http://internal.invalid');
  const names = [...new Set(url.searchParams.keys())];
  return {
    httpMethod: method,
    path: url.pathname,
    headers: { Host: url.host, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    multiValueQueryStringParameters: Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name)])),
    requestContext: { path: url.pathname, requestId, authorizer, identity: { sourceIp: '127.0.0.1' } },
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
  };
};

/** What a function answers that stands behind API Gateway. */
export type Result = {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly body: string;
};

export const toReply = ({ statusCode, headers = {}, body }: Result): ApiReply => ({
  status: statusCode,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value as string])),
  text: body,
});
