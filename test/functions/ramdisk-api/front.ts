/** The ramdisk API's front door for tests: requests in, answers out. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

import { create } from '../../../functions/ramdisk-api/app.ts';
import { Config } from '../../../functions/ramdisk-api/config.ts';
import { withinOf } from '../../../infra/grants.ts';
import { functions } from '../../../infra/manifest.ts';
import { fenceTable } from '../../../layers/platform/fence.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { giveAgentToken } from '../../../layers/store/agent-tokens.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { environmentWith } from '../../fakes/settings.ts';
import { aNode, uuid } from '../../workflows/nodes.ts';

export type Options = {
  readonly version?: string | null;
  readonly body?: unknown;
  /** Address the request comes from. */
  readonly from?: string;
  readonly headers?: Record<string, string>;
};

/** What a node says whose machine was booted by its run, and whose agent has to ask for its token. */
export const asking = {
  power_state: 'power on',
  driver_internal_info: { agent_token_by_lookup: `${uuid}-1` },
} satisfies Partial<StoredNode>;

/** A node waiting for its agent, in a store of its own. */
export const createFront = async (more: Partial<StoredNode> = {}, env: object = {}) => {
  const platform = createMemoryPlatform();
  // No more of the table than the function has on AWS: who asks for something else is refused in every test.
  const [within] = functions['ramdisk-api'].grants.flatMap((grant) => withinOf(grant) ?? []);
  const table = fenceTable(platform.table, within!);
  const app = create({ ...platform, table }, Config.parse(environmentWith(env)));
  await createRecord(
    platform,
    kinds.node,
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

  /** Lines of the node's history that are about agents. */
  const agentLines = async (): Promise<string[]> =>
    (await platform.table.query({ partition: `node#${uuid}`, begins: 'event#' }))
      .filter(({ kind }) => kind === 'agent')
      .map(({ message }) => String(message));

  /** The token went onto the machine's own medium: what the phase AttachBootMedia writes. */
  const makeMedium = async (): Promise<string> => {
    const token = 'medium'.repeat(8);
    await giveAgentToken(platform, uuid, token, ({ driver_internal_info: info }) => ({
      set: { driver_internal_info: { ...info, agent_secret_token_pregenerated: true } },
    }));
    return token;
  };

  return {
    platform,
    request,
    agentLines,
    makeMedium,
    read: async () => (await readRecord(platform.table, kinds.node, uuid))!,
  };
};

export type Front = Awaited<ReturnType<typeof createFront>>;
