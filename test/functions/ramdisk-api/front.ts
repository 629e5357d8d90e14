/** The ramdisk API's front door for tests: requests in, answers out. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

import { create } from '../../../functions/ramdisk-api/app.ts';
import { Config } from '../../../functions/ramdisk-api/config.ts';
import { createNode, readNode, type StoredNode } from '../../../layers/store/nodes.ts';
import { createFakePorts } from '../../fakes/ports.ts';
import { environmentWith } from '../../fakes/settings.ts';
import { aNode, uuid } from '../../workflows/nodes.ts';

export type Options = {
  readonly version?: string | null;
  readonly body?: unknown;
  /** Address the request comes from. */
  readonly from?: string;
  readonly headers?: Record<string, string>;
};

/** A node waiting for its agent, in a store of its own. */
export const createFront = async (more: Partial<StoredNode> = {}, env: object = {}) => {
  const ports = createFakePorts();
  const app = create(ports, Config.parse(environmentWith(env)));
  await createNode(
    ports,
    aNode({ provision_state: 'wait call-back', run: `${uuid}-1`, run_workflow: 'deploy', ...more }),
  );

  const request = async (line: string, { version = '1.68', body, from = '10.0.0.9', headers = {} }: Options = {}) => {
    const [httpMethod, target] = line.split(' ') as [string, string];
    const url = new URL(target, 'http://metal.test');
    const query: Record<string, string[]> = {};
    for (const [name, value] of url.searchParams) (query[name] ??= []).push(value);
    const event = {
      httpMethod,
      path: url.pathname,
      headers: {
        Host: 'metal.test',
        ...(version !== null && { 'X-OpenStack-Ironic-API-Version': version }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      multiValueQueryStringParameters: query,
      requestContext: { path: url.pathname, identity: { sourceIp: from } },
      body: body === undefined ? null : JSON.stringify(body),
    } as unknown as APIGatewayProxyEvent;
    const reply = await app(event, { request_id: '1', remaining_ms: () => 29_000 });
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies of every shape
    const json: any = reply.body === '' ? undefined : JSON.parse(reply.body);
    const inner = json?.error_message === undefined ? {} : (JSON.parse(json.error_message) as Record<string, string>);
    const error = inner['faultstring'] ?? inner['description'] ?? '';
    return { status: reply.statusCode, headers: reply.headers ?? {}, body: json, error };
  };

  return { ports, request, read: async () => (await readNode(ports.table, uuid))! };
};

export type Front = Awaited<ReturnType<typeof createFront>>;
