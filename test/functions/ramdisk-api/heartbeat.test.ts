import { describe, expect, it } from 'vitest';

import { provisionStates, type ProvisionState } from '../../../layers/domain/baremetal/transitions.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { waitKey, waitWrite } from '../../../workflows/owners/node/wait.ts';
import { uuid } from '../../workflows/nodes.ts';
import { createFront } from './front.ts';

const post = `POST /v1/heartbeat/${uuid}`;
const wait = { token: 'token-1', phase: 'WaitForAgent', run: `${uuid}-1`, since: '2026-01-01T00:00:00.000+00:00' };

/** A node whose agent has its token, and a run that waits for its heartbeat. */
const waiting = async (more: Partial<StoredNode> = {}, env: object = {}) => {
  const front = await createFront(more, env);
  const token = await front.makeMedium();
  await front.platform.table.write([waitWrite(uuid, wait)]);
  const beat = {
    callback_url: 'https://10.0.0.9:9999',
    agent_version: '9.1',
    agent_token: token,
    agent_verify_ca: 'PEM',
  };
  return { ...front, beat };
};

describe('heartbeat', () => {
  it('is recorded and continues the run that waits', async () => {
    const { request, beat, read, platform } = await waiting();
    platform.clock.advance(5000);
    const { status, body } = await request(post, { body: beat });
    expect([status, body]).toEqual([202, undefined]);
    expect(await read()).toMatchObject({
      provision_updated_at: '2026-01-01T00:00:05.000+00:00',
      driver_internal_info: {
        agent_url: 'https://10.0.0.9:9999',
        agent_version: '9.1',
        agent_verify_ca: 'PEM',
        agent_last_heartbeat: '2026-01-01T00:00:05.000+00:00',
      },
    });
    expect(platform.workflows.delivered).toEqual([{ token: 'token-1', output: { is: 'heartbeat' } }]);
    expect(await platform.table.get(waitKey(uuid))).toBeUndefined();
  });

  it('keeps the end of a name that looks like a suffix, at every version', async () => {
    const { request, beat } = await waiting({ name: 'web.json' });
    for (const version of ['1.68', '1.90', '1.91']) {
      expect((await request('POST /v1/heartbeat/web.json', { version, body: beat })).status).toBe(202);
    }
  });

  it('reads the node once, whether it is named by UUID or by name', async () => {
    const { request, beat, platform } = await waiting({ name: 'web-1', provision_state: 'deploying' });
    const { get, getMany } = platform.table;
    let reads = 0;
    Object.assign(platform.table, {
      get: async (...args: Parameters<typeof get>) => ((reads += 1), get(...args)),
      getMany: async (...args: Parameters<typeof getMany>) => ((reads += args[0].length), getMany(...args)),
    });
    await request(post, { body: beat });
    // The node and its instance_info; a name is looked up before.
    expect(reads).toBe(2);
    await request('POST /v1/heartbeat/web-1', { body: beat });
    expect(reads).toBe(2 + 3);
  });

  it('that is repeated is accepted and delivers nothing more', async () => {
    const { request, beat, platform } = await waiting();
    const answers = [await request(post, { body: beat }), await request(post, { body: beat })];
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(platform.workflows.delivered).toHaveLength(1);
  });

  it('clears away a token that nobody waits for any more', async () => {
    const { request, beat, platform } = await waiting();
    platform.workflows.expire('token-1');
    expect((await request(post, { body: beat })).status).toBe(202);
    expect(platform.workflows.delivered).toEqual([]);
    expect(await platform.table.get(waitKey(uuid))).toBeUndefined();
  });

  it('finds the node by its name too, and takes arguments from the query', async () => {
    const { request, beat } = await waiting({ name: 'web-1' });
    const query = new URLSearchParams(beat).toString();
    expect((await request(`POST /v1/heartbeat/web-1?${query}`)).status).toBe(202);
  });

  it.each([
    ['no callback_url', { callback_url: undefined }],
    ['a callback_url that is none', { callback_url: 'nonsense' }],
    ['another scheme', { callback_url: 'ftp://10.0.0.9' }],
    ['plain http', { callback_url: 'http://10.0.0.9:9999' }],
    ['no version of the agent', { agent_version: undefined }],
    ['a field that does not exist', { bogus: 1 }],
    ['a field that is newer than the request', { agent_status: 'end' }],
  ])('with %s is refused and changes nothing', async (_what, more) => {
    const { request, beat, read, platform } = await waiting();
    const before = await read();
    expect((await request(post, { body: { ...beat, ...more } })).status).toBe(400);
    expect(await read()).toEqual(before);
    expect(platform.workflows.delivered).toEqual([]);
  });

  it('with another address or certificate than before is refused', async () => {
    const { request, beat } = await waiting();
    await request(post, { body: beat });
    const moved = await request(post, { body: { ...beat, callback_url: 'https://10.0.0.66:9999' } });
    expect([moved.status, moved.error]).toEqual([400, expect.stringContaining('Agent URL has changed')]);
    expect((await request(post, { body: { ...beat, agent_verify_ca: 'other' } })).status).toBe(400);
    expect((await request(post, { body: beat })).status).toBe(202);
  });

  it('may be plain http where the operator allows that', async () => {
    const { request, beat } = await waiting({}, { INGOT_AGENT_REQUIRE_TLS: 'false' });
    expect((await request(post, { body: { ...beat, callback_url: 'http://10.0.0.9:9999' } })).status).toBe(202);
  });

  it('of a node that works is recorded only', async () => {
    const { request, beat, read, platform } = await waiting({ provision_state: 'deploying', reservation: `${uuid}-1` });
    expect((await request(post, { body: beat })).status).toBe(202);
    expect((await read()).driver_internal_info).toMatchObject({ agent_url: 'https://10.0.0.9:9999' });
    expect(platform.workflows.delivered).toEqual([]);
  });

  /** As in Ironic; what is not here is accepted and ignored. */
  const counts: { readonly [S in ProvisionState]?: 'recorded' | 'awaited' } = {
    deploying: 'recorded',
    'wait call-back': 'awaited',
    'deploy hold': 'recorded',
    cleaning: 'recorded',
    'clean wait': 'awaited',
    'clean hold': 'recorded',
    'inspect wait': 'recorded',
    rescuing: 'recorded',
    'rescue wait': 'awaited',
    servicing: 'recorded',
    'service wait': 'awaited',
    'service hold': 'recorded',
  };

  it.each(provisionStates)('of a node that is "%s" counts as it does in Ironic', async (provision_state) => {
    const { request, beat, read, platform } = await waiting({ provision_state });
    expect((await request(post, { body: beat })).status).toBe(202);
    const recorded = (await read()).driver_internal_info['agent_url'] !== undefined;
    const delivered = platform.workflows.delivered.length > 0;
    const count = counts[provision_state];
    expect({ recorded, delivered }).toEqual({ recorded: count !== undefined, delivered: count === 'awaited' });
  });

  it('of a node in maintenance is recorded only', async () => {
    const { request, beat, platform } = await waiting({ maintenance: true });
    expect((await request(post, { body: beat })).status).toBe(202);
    expect(platform.workflows.delivered).toEqual([]);
  });

  it.each([
    ['a wrong token', { agent_token: 'x'.repeat(43) }],
    ['no token', { agent_token: undefined }],
  ])('with %s is refused as one of a node that does not exist, and changes nothing', async (_what, more) => {
    const { request, beat, read, platform } = await waiting({ name: 'web-1' });
    const before = await read();
    const body = { ...beat, ...more };
    const answers = [post, 'POST /v1/heartbeat/web-1', 'POST /v1/heartbeat/nobody'].map(async (line) =>
      request(line, { body }),
    );
    for (const { status, body: said } of await Promise.all(answers)) {
      expect([status, said]).toEqual([404, (await answers[0]!).body]);
    }
    expect(await read()).toEqual(before);
    expect(platform.workflows.delivered).toEqual([]);
  });

  it('without the token leaves a line with the address it came from, one a minute', async () => {
    const { request, beat, agentLines, platform } = await waiting();
    const stranger = { body: { ...beat, agent_token: 'x'.repeat(43) }, from: '10.6.6.6' };
    for (let times = 0; times < 3; times += 1) await request(post, stranger);
    expect(await agentLines()).toEqual(['Refused to 10.6.6.6: a heartbeat without the token of its agent.']);
    platform.clock.advance(60_000);
    await request(post, stranger);
    await request(post, { ...stranger, from: '10.7.7.7' });
    expect(await agentLines()).toHaveLength(3);
  });

  it('of a node that has no token is refused, whatever is sent', async () => {
    const { request } = await createFront({ provision_state: 'active' });
    const body = { callback_url: 'https://10.0.0.9:9999', agent_version: '9', agent_token: 'x'.repeat(43) };
    expect((await request(post, { body })).status).toBe(404);
    expect((await request(post, { body: { ...body, agent_token: '' } })).status).toBe(404);
  });

  it('is not parsed if it is larger than any certificate makes it', async () => {
    const { request, beat } = await waiting();
    const { status } = await request(post, { body: { ...beat, agent_verify_ca: 'x'.repeat(128 * 1024) } });
    expect(status).toBe(413);
  });

  it('knows fewer fields at older versions', async () => {
    const { request, beat } = await waiting();
    const { agent_verify_ca: _ca, ...older } = beat;
    expect((await request(post, { version: '1.67', body: beat })).status).toBe(400);
    expect((await request(post, { version: '1.67', body: older })).status).toBe(202);
    expect((await request(post, { version: '1.21', body: older })).status).toBe(404);
  });

  it('never shows a token in an error or a log line', async () => {
    const { request, beat, platform } = await waiting();
    const answer = await request(post, { body: { ...beat, callback_url: 'nonsense' } });
    expect(JSON.stringify([answer.body, platform.log.lines])).not.toContain(beat.agent_token);
  });
});
