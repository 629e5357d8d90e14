/** The API's front door for tests: requests in, answers out, no server. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

import { create } from '../../../functions/baremetal-api/app.ts';
import { Config } from '../../../functions/baremetal-api/config.ts';
import * as workflow from '../../../functions/workflow/app.ts';
import { Config as WorkflowConfig } from '../../../functions/workflow/config.ts';
import { book } from '../../../functions/baremetal-api/openapi.ts';
import { routes } from '../../../functions/baremetal-api/routes.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { describedBy } from '../../fakes/described.ts';
import { createFakeProxy } from '../../fakes/proxy.ts';
import { environmentWith } from '../../fakes/settings.ts';

export type Options = {
  /** `1.80`, `latest` ...; sent in the legacy header. Default: the newest. null: no header. */
  version?: string | null;
  /** An object is sent as JSON, text and bytes as they are. */
  body?: unknown;
  headers?: Record<string, string>;
  /** What the authorizer says; null: the path has none. */
  subject?: Record<string, string> | null;
};

export type Reply = {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Parsed JSON, or the text of what is none; undefined if there is no body. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies of every shape
  readonly body: any;
  /** The text of an error in either form. */
  readonly error: string;
};

/** Answers in tests are what the OpenAPI document says. */
const described = describedBy(book, routes);

const admin = { user: 'admin', project: '', roles: 'admin', scope: 'system' };

const encode = (body: unknown): { body: string | null; isBase64Encoded: boolean } => {
  if (body === undefined) return { body: null, isBase64Encoded: false };
  if (body instanceof Uint8Array) return { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
  return { body: typeof body === 'string' ? body : JSON.stringify(body), isBase64Encoded: false };
};

const toEvent = (line: string, { version = 'latest', body, headers = {}, subject = admin }: Options) => {
  const [httpMethod, target] = line.split(' ') as [string, string];
  const url = new URL(target, 'http://metal.test');
  const query = Object.fromEntries([...url.searchParams.keys()].map((name) => [name, url.searchParams.getAll(name)]));
  return {
    httpMethod,
    path: url.pathname,
    headers: {
      Host: 'metal.test',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(version !== null && { 'X-OpenStack-Ironic-API-Version': version }),
      ...headers,
    },
    multiValueQueryStringParameters: query,
    requestContext: { path: url.pathname, authorizer: subject },
    ...encode(body),
  } as unknown as APIGatewayProxyEvent;
};

const errorText = (body: unknown): string => {
  const { error_message: outer, faultstring } = (body ?? {}) as Record<string, string>;
  if (!outer) return faultstring ?? '';
  const inner = JSON.parse(outer) as Record<string, string>;
  return inner['faultstring'] ?? inner['description'] ?? '';
};

/** The API on fakes, to which callers of projects may come. `env` are settings; `request('GET /v1/nodes?limit=1', {version: '1.80'})` asks it. */
export const createFront = (env: Record<string, string> = {}, platform = createMemoryPlatform()) => {
  const app = create(platform, Config.parse(environmentWith({ INGOT_AUTH_STRATEGY: 'keystone', ...env })));
  const proxy = createFakeProxy();
  Object.assign(platform.functions.handlers, {
    workflow: async (call: unknown) =>
      workflow.create(platform, WorkflowConfig.parse(environmentWith()))(call, {
        request_id: 'w',
        remaining_ms: () => 120_000,
      }),
    'bmc-proxy': proxy.handler,
    ...platform.functions.handlers,
  });
  let count = 0;
  const request = async (line: string, options: Options = {}): Promise<Reply> => {
    count += 1;
    const invocation = { request_id: `test-${count}`, remaining_ms: () => 29_000 };
    const answer = await app(toEvent(line, options), invocation);
    const isJson = answer.headers!['Content-Type'] === 'application/json';
    const body = answer.body === '' ? undefined : isJson ? (JSON.parse(answer.body) as unknown) : answer.body;
    const told = Number(/\.(\d+)$/.exec(String(answer.headers!['X-OpenStack-Ironic-API-Version']))?.[1]);
    if (isJson || body === undefined) described(line, told, { status: answer.statusCode, body });
    return {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
      body,
      error: errorText(body),
    };
  };

  /** Enrols a node and returns it as the newest version shows it. */
  const enrol = async (values: Record<string, unknown> = {}) => {
    const answer = await request('POST /v1/nodes', { body: { driver: 'fake-hardware', ...values } });
    if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.error}`);
    return answer.body as Record<string, unknown> & { uuid: string };
  };

  /** Puts a node into a condition that would take a workflow to get to. */
  const force = async (uuid: string, set: Partial<StoredNode>) =>
    changeRecord(platform, kinds.node, uuid, () => ({ set }));

  return { request, enrol, force, platform, proxy };
};
