import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { type ProvisionState, provisionStates } from '../../../layers/domain/baremetal/transitions.ts';
import { readSecrets, secretsWrite } from '../../../layers/store/node-secrets.ts';
import { uuid } from '../../workflows/nodes.ts';
import { asking, createFront, type Front } from './front.ts';
import { guardKey } from '../../../layers/store/kinds/key.ts';
import { keyOf } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';

const byUuid = `GET /v1/lookup?node_uuid=${uuid}`;
const mac = '52:54:00:12:34:56';

const withPort = async (front: Front, address = mac, node = uuid) => {
  const port = { uuid: `00000000-0000-4000-8000-${address.replaceAll(':', '')}`, address, node_uuid: node };
  await front.platform.table.write([
    { put: { ...guardKey('port_address', address), node, port: port.uuid } },
    { put: { ...keyOf(kinds.port, port.uuid, node), ...port } },
  ]);
  return front;
};

describe('lookup', () => {
  it('answers the node and how the agent shall behave', async () => {
    const { request, makeMedium } = await createFront();
    await makeMedium();
    const { status, body } = await request(byUuid);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['node', 'config']);
    expect(Object.keys(body.node).toSorted()).toEqual(
      ['driver_internal_info', 'instance_info', 'links', 'properties', 'uuid'].toSorted(),
    );
    expect(body.node.links[0]).toEqual({ href: `http://metal.test/v1/nodes/${uuid}`, rel: 'self' });
    expect(body.config).toMatchObject({ heartbeat_timeout: 300, agent_token_required: true });
  });

  it('tells how often to call, as the operator wants it', async () => {
    const { request, makeMedium } = await createFront({}, { INGOT_RAMDISK_HEARTBEAT_TIMEOUT: '30' });
    await makeMedium();
    expect((await request(byUuid)).body.config).toMatchObject({ heartbeat_timeout: 30 });
  });

  it.each(['0', '9', '1801', '', '30.5', 'often'])('cannot be made to tell %j as that', async (often) => {
    await expect(createFront({}, { INGOT_RAMDISK_HEARTBEAT_TIMEOUT: often })).rejects.toThrow('has to be');
  });

  it('finds the node by the address of one of its ports, whatever else the agent lists', async () => {
    const { request, makeMedium } = await withPort(await createFront());
    await makeMedium();
    const upper = mac.toUpperCase();
    const { status, body } = await request(
      `GET /v1/lookup?addresses=52:54:00:00:00:01,${upper},20:00:55:04:01:fe:80:00`,
    );
    expect([status, body.node.uuid]).toEqual([200, uuid]);
  });

  it('does not guess between two nodes', async () => {
    const front = await withPort(await createFront());
    await withPort(front, '52:54:00:12:34:57', '11111111-2222-4333-8444-555555555555');
    expect((await front.request(`GET /v1/lookup?addresses=${mac},52:54:00:12:34:57`)).status).toBe(404);
  });

  it.each([
    ['nothing to look for', 'GET /v1/lookup', 400],
    ['no valid address', 'GET /v1/lookup?addresses=abc', 400],
    ['no UUID', 'GET /v1/lookup?node_uuid=abc', 400],
    ['a parameter that does not exist', `${byUuid}&bogus=1`, 400],
    ['an unknown node', 'GET /v1/lookup?node_uuid=11111111-2222-4333-8444-555555555555', 404],
    ['another method', `POST /v1/lookup?node_uuid=${uuid}`, 405],
    ['another path', 'GET /v1/lookups', 404],
  ])('refuses %s', async (_what, line, status) => {
    const { request } = await createFront();
    expect((await request(line)).status).toBe(status);
  });

  it.each(['active', 'available', 'enroll', 'deploy failed', 'deleting'] as const)(
    'is the same 404 for a node that is %s',
    async (provision_state) => {
      const { request } = await createFront({ provision_state });
      const refused = await request(byUuid);
      const unknown = await request('GET /v1/lookup?node_uuid=11111111-2222-4333-8444-555555555555');
      expect([refused.status, refused.error]).toEqual([404, unknown.error]);
    },
  );

  const ramdiskRuns = new Set<ProvisionState>([
    'deploying',
    'wait call-back',
    'cleaning',
    'clean wait',
    'inspecting',
    'inspect wait',
    'rescuing',
    'rescue wait',
    'servicing',
    'service wait',
  ]);

  it.each(provisionStates)('is answered of a node that is "%s" only if a ramdisk may run then', async (state) => {
    const { request, makeMedium } = await createFront({ provision_state: state });
    await makeMedium();
    expect((await request(byUuid)).status).toBe(ramdiskRuns.has(state) ? 200 : 404);
  });

  it('does not exist below 1.22, and shows the version headers on every answer', async () => {
    const { request } = await createFront();
    const { status, headers } = await request(byUuid, { version: '1.21' });
    expect(status).toBe(404);
    expect(headers).toMatchObject({
      'X-OpenStack-Ironic-API-Version': '1.21',
      'X-OpenStack-Ironic-API-Minimum-Version': '1.1',
    });
    for (const line of [byUuid, `POST /v1/lookup`]) {
      const refused = await request(line, { version: '1.21' });
      expect([line, refused.status, refused.error]).toEqual([line, 404, 'There is nothing at this path.']);
    }
    expect((await request(byUuid, { version: '1.999' })).status).toBe(406);
    expect((await request(byUuid, { version: null })).status).toBe(404);
  });
});

describe('a lookup of a node', () => {
  it.each([
    ['that waits, but was not booted by its run', {}],
    ['whose machine is not on yet', { ...asking, power_state: 'power off' }],
    ['whose run is at work still', { ...asking, provision_state: 'deploying', reservation: `${uuid}-1` }],
    ['that another run booted', { ...asking, run: `${uuid}-2` }],
    ['that is active', { ...asking, provision_state: 'active', run: null }],
  ] as const)('%s is the same 404 as of an unknown one, and gives no token', async (_what, more) => {
    const { request, read, agentLines } = await createFront(more);
    const unknown = await request('GET /v1/lookup?node_uuid=11111111-2222-4333-8444-555555555555');
    const known = await request(byUuid, { from: '10.6.6.6' });
    expect([known.status, known.body]).toEqual([404, unknown.body]);
    expect((await read()).agent_token_sha256).toBeNull();
    expect(await agentLines()).toEqual([
      expect.stringMatching(/^Refused to 10\.6\.6\.6: a lookup, as no agent is awaited/),
    ]);
  });

  it('takes at most 64 addresses', async () => {
    const { request } = await createFront();
    const list = (count: number) => Array.from({ length: count }, () => mac).join(',');
    expect((await request(`GET /v1/lookup?addresses=${list(64)}`)).status).toBe(404);
    const { status, error } = await request(`GET /v1/lookup?addresses=${list(65)}`);
    expect([status, error]).toEqual([400, 'addresses may have at most 64 entries.']);
  });
});

describe('whoever is not in agent_networks', () => {
  it.each([
    ['a public address', '203.0.113.7'],
    ['this machine, which stands for whoever speaks through a proxy', '127.0.0.1'],
    ['nobody knows where', ''],
  ])('is refused on every route, from %s, before anything is read', async (_what, from) => {
    const { request, platform, makeMedium } = await createFront(asking);
    await makeMedium();
    const items = platform.table.items();
    for (const line of [byUuid, `POST /v1/heartbeat/${uuid}`, 'POST /v1/continue_inspection']) {
      const { status, error } = await request(line, { from, version: '1.84' });
      expect([line, status, error]).toEqual([line, 403, expect.stringContaining('agent_networks')]);
    }
    expect(platform.table.items()).toEqual(items);
    expect(platform.log.lines).toHaveLength(3);
    expect(platform.log.lines[0]).toMatchObject({ fields: { source: from } });
  });

  it('is who the setting says', async () => {
    const { request, makeMedium } = await createFront({}, { INGOT_AGENT_NETWORKS: '203.0.113.0/29, 127.0.0.0/8' });
    await makeMedium();
    for (const [from, status] of [
      ['203.0.113.7', 200],
      ['127.0.0.1', 200],
      ['203.0.113.8', 403],
      ['10.0.0.9', 403],
    ] as const) {
      expect([from, (await request(byUuid, { from })).status]).toEqual([from, status]);
    }
  });
});

describe('a token on the medium of the machine', () => {
  it('is told to nobody who asks, however often', async () => {
    const { request, makeMedium, read } = await createFront();
    const token = await makeMedium();
    const { agent_token_sha256: hash } = await read();
    for (const from of ['10.0.0.9', '10.6.6.6', '10.0.0.9']) {
      const { body } = await request(byUuid, { from });
      expect(body.config.agent_token).toBe('******');
      expect(JSON.stringify(body)).not.toContain(token);
    }
    expect((await read()).agent_token_sha256).toBe(hash);
  });

  it('is not told before the machine is on either', async () => {
    const { request, makeMedium } = await createFront({ provision_state: 'deploying', power_state: 'power off' });
    await makeMedium();
    expect((await request(byUuid)).body.config.agent_token).toBe('******');
  });
});

describe('a token that has to be asked for', () => {
  it('is stored sealed and as a hash only, and the history says who got it', async () => {
    const { request, read, platform, agentLines } = await createFront(asking);
    const token = (await request(byUuid)).body.config.agent_token as string;
    expect(token.length).toBeGreaterThanOrEqual(32);
    expect(await read()).toMatchObject({
      agent_token_sha256: createHash('sha256').update(token).digest('hex'),
      driver_internal_info: { agent_secret_token: '******' },
    });
    const { values } = await readSecrets(platform.table, uuid);
    const context = { node: uuid, name: 'agent_secret_token' };
    expect(await platform.opener.open(values['agent_secret_token']!, context)).toBe(token);
    expect(JSON.stringify([platform.table.items(), platform.log.lines])).not.toContain(token);
    expect(await agentLines()).toEqual(["The agent's token was given to 10.0.0.9, which asked for it."]);
  });

  it('keeps the secrets that are there', async () => {
    const { request, platform } = await createFront(asking);
    await platform.table.write([secretsWrite(uuid, { values: {}, revision: 0 }, { redfish_password: 'sealed' })]);
    await request(byUuid);
    expect((await readSecrets(platform.table, uuid)).values).toMatchObject({ redfish_password: 'sealed' });
  });

  it('is handed out once: also who had it sees ****** afterwards, and may not be who asks', async () => {
    const { request, read, agentLines } = await createFront(asking);
    await request(byUuid);
    const { agent_token_sha256: hash } = await read();
    for (const from of ['10.0.0.9', '10.0.0.66']) {
      expect((await request(byUuid, { from })).body.config.agent_token).toBe('******');
    }
    expect((await read()).agent_token_sha256).toBe(hash);
    expect(await agentLines()).toHaveLength(1);
  });

  it('goes to one of many who ask at the same moment', async () => {
    const { request, agentLines } = await createFront(asking);
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => request(byUuid, { from: `10.0.0.${at + 1}` })),
    );
    const tokens = answers.map(({ body }) => body.config.agent_token as string);
    expect(tokens.filter((token) => token !== '******')).toHaveLength(1);
    const lines = await agentLines();
    expect(lines.filter((line) => line.includes('was given to'))).toHaveLength(1);
    expect(lines.filter((line) => line.endsWith('which was given already.'))).toHaveLength(9);
  });

  it('is not known below 1.62', async () => {
    const { request, read } = await createFront(asking);
    expect((await request(byUuid, { version: '1.61' })).body.config).not.toHaveProperty('agent_token');
    expect((await read()).agent_token_sha256).toBeNull();
  });

  it('is never shown with the node, nor is what else is secret', async () => {
    const { request } = await createFront({
      ...asking,
      instance_info: { configdrive: 'object:configdrives/x', image_source: 'http://x/y' },
    });
    const { body } = await request(byUuid);
    expect(body.node.instance_info).toEqual({ configdrive: '******', image_source: 'http://x/y' });
    expect(JSON.stringify(body.node)).not.toContain(body.config.agent_token);
  });
});
