import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { guardKey } from '../../../layers/store/guards.ts';
import { portKey } from '../../../layers/store/node-ports.ts';
import { readSecrets, secretsWrite } from '../../../layers/store/node-secrets.ts';
import { uuid } from '../../workflows/nodes.ts';
import { createFront, type Front } from './front.ts';

const byUuid = `GET /v1/lookup?node_uuid=${uuid}`;
const mac = '52:54:00:12:34:56';

const withPort = async (front: Front, address = mac, node = uuid) => {
  const port = { uuid: `00000000-0000-4000-8000-${address.replaceAll(':', '')}`, address, node_uuid: node };
  await front.ports.table.write([
    { put: { ...guardKey('port_address', address), node, port: port.uuid } },
    { put: { ...portKey(node, port.uuid), ...port } },
  ]);
  return front;
};

describe('lookup', () => {
  it('answers the node and how the agent shall behave', async () => {
    const { request } = await createFront();
    const { status, body } = await request(byUuid);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['node', 'config']);
    expect(Object.keys(body.node).toSorted()).toEqual(
      ['driver_internal_info', 'instance_info', 'links', 'properties', 'uuid'].toSorted(),
    );
    expect(body.node.links[0]).toEqual({ href: `http://metal.test/v1/nodes/${uuid}`, rel: 'self' });
    expect(body.config).toMatchObject({ heartbeat_timeout: 300, agent_token_required: true });
  });

  it('finds the node by the address of one of its ports, whatever else the agent lists', async () => {
    const { request } = await withPort(await createFront());
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

  it('does not exist below 1.22, and shows the version headers on every answer', async () => {
    const { request } = await createFront();
    const { status, headers } = await request(byUuid, { version: '1.21' });
    expect(status).toBe(404);
    expect(headers).toMatchObject({
      'X-OpenStack-Ironic-API-Version': '1.21',
      'X-OpenStack-Ironic-API-Minimum-Version': '1.1',
    });
    expect((await request(byUuid, { version: '1.999' })).status).toBe(406);
    expect((await request(byUuid, { version: null })).status).toBe(404);
  });
});

describe('the agent token', () => {
  it('is stored sealed and as a hash only', async () => {
    const { request, read, ports } = await createFront();
    const token = (await request(byUuid)).body.config.agent_token as string;
    expect(token.length).toBeGreaterThanOrEqual(32);
    expect(await read()).toMatchObject({
      agent_token_sha256: createHash('sha256').update(token).digest('hex'),
      driver_internal_info: { agent_secret_token: '******' },
    });
    const { values } = await readSecrets(ports.table, uuid);
    const context = { node: uuid, name: 'agent_secret_token' };
    expect(await ports.opener.open(values['agent_secret_token']!, context)).toBe(token);
    expect(JSON.stringify([ports.table.items(), ports.log.lines])).not.toContain(token);
  });

  it('keeps the secrets that are there', async () => {
    const { request, ports } = await createFront();
    await ports.table.write([secretsWrite(uuid, { values: {}, revision: 0 }, { redfish_password: 'sealed' })]);
    await request(byUuid);
    expect((await readSecrets(ports.table, uuid)).values).toMatchObject({ redfish_password: 'sealed' });
  });

  it('is handed out once, others see ******', async () => {
    const { request } = await createFront();
    await request(byUuid);
    expect((await request(byUuid, { from: '10.0.0.66' })).body.config.agent_token).toBe('******');
  });

  it('is replaced for the same address as long as nobody used it: the first answer may be lost', async () => {
    const { request } = await createFront();
    const first = (await request(byUuid)).body.config.agent_token as string;
    const second = (await request(byUuid)).body.config.agent_token as string;
    expect(second).not.toBe('******');
    const beat = { callback_url: 'https://10.0.0.9:9999', agent_version: '9' };
    const post = async (agent_token: string) =>
      request(`POST /v1/heartbeat/${uuid}`, { body: { ...beat, agent_token } });
    expect((await post(first)).status).toBe(400);
    expect((await post(second)).status).toBe(202);
    expect((await request(byUuid)).body.config.agent_token).toBe('******');
  });

  it('goes to one of many who ask at the same moment', async () => {
    const { request } = await createFront();
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => request(byUuid, { from: `10.0.0.${at + 1}` })),
    );
    const tokens = answers.map(({ body }) => body.config.agent_token as string);
    expect(tokens.filter((token) => token !== '******')).toHaveLength(1);
  });

  it('is not known below 1.62', async () => {
    const { request, read } = await createFront();
    expect((await request(byUuid, { version: '1.61' })).body.config).not.toHaveProperty('agent_token');
    expect((await read()).agent_token_sha256).toBeNull();
  });

  it('is never shown with the node, nor is what else is secret', async () => {
    const { request } = await createFront({
      instance_info: { configdrive: 'object:configdrives/x', image_source: 'http://x/y' },
    });
    const { body } = await request(byUuid);
    expect(body.node.instance_info).toEqual({ configdrive: '******', image_source: 'http://x/y' });
    expect(JSON.stringify(body.node)).not.toContain(body.config.agent_token);
  });
});
