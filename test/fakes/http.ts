/** Requests to a function behind API Gateway, without one: a line and what goes with it in, an answer out. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

import type { Serve } from '../../layers/http/pipeline.ts';

export type Asking = {
  /** An object is sent as JSON, text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the authorizer says; null: the path has none. */
  readonly subject?: Readonly<Record<string, string>> | null;
};

export type Answered = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Parsed JSON; undefined if there is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies of every shape
  readonly body: any;
};

/** Below which a stage or a prefix stands before the path that the function sees. */
export const host = 'cloud.test';

/** Makes the function that asks `app`, whose paths stand below `prefix`: `ask('GET /v2.1', { subject })`. */
export const askingOf = (app: Serve, prefix: string) => {
  let count = 0;
  return async (line: string, { body, headers = {}, subject = null }: Asking = {}): Promise<Answered> => {
    const [httpMethod, target] = line.split(' ') as [string, string];
    const url = new URL(target, `http://${host}`);
    const query = Object.fromEntries([...url.searchParams.keys()].map((name) => [name, url.searchParams.getAll(name)]));
    const event = {
      httpMethod,
      path: url.pathname,
      headers: { Host: host, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      multiValueQueryStringParameters: query,
      requestContext: { path: prefix + url.pathname, authorizer: subject },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      isBase64Encoded: false,
    };
    count += 1;
    const invocation = { request_id: `test-${count}`, remaining_ms: () => 29_000 };
    const answer = await app(event as unknown as APIGatewayProxyEvent, invocation);
    const given = answer.headers as Record<string, string>;
    const isJson = given['Content-Type'] === 'application/json';
    return {
      status: answer.statusCode,
      headers: given,
      text: answer.body,
      body: isJson ? (JSON.parse(answer.body) as unknown) : undefined,
    };
  };
};
