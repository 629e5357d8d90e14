/** POST /servers (compute-api.md 3), through the front door. */
import { describe, expect, it } from 'vitest';
import { withoutTrail } from '../../../fakes/trail.ts';

import { createCloud } from '../cloud.ts';
import { ann, bob, root, tenant } from '../front.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a new server', () => {
  it('is answered with its address and a password, and a run begins to build it', async () => {
    const { boot, platform } = await createCloud();
    const { status, body, headers } = await boot();
    const { id, adminPass } = body.server;
    expect(status).toBe(202);
    expect(headers['Location']).toBe(`http://cloud.test/compute/v2.1/servers/${id}`);
    expect(body.server).toEqual({
      id,
      adminPass,
      links: [
        { rel: 'self', href: `http://cloud.test/compute/v2.1/servers/${id}` },
        { rel: 'bookmark', href: `http://cloud.test/compute/servers/${id}` },
      ],
      'OS-DCF:diskConfig': 'MANUAL',
      security_groups: [{ name: 'default' }],
    });
    expect(adminPass).toMatch(/^[2-9A-Za-z]{12}$/);
    expect(platform.workflows.started).toEqual([
      {
        workflow: 'server-create',
        name: expect.stringMatching(new RegExp(`^${id}-[0-9A-Z]{26}$`)),
        input: { server: id },
      },
    ]);
  });

  it('has what was asked for', async () => {
    const { booted, show, request, image } = await createCloud();
    const public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMVWzIPCvgFhLF8Nk5RgZwQ3w0Fyd3UHV9qA0UXeYBmE ann@desk';
    await request('POST /v2.1/os-keypairs', { body: { keypair: { name: 'desk', public_key } } });
    const id = await booted({
      name: 'Web Server.1',
      metadata: { a: 'b' },
      key_name: 'desk',
      user_data: base64('#cloud-config'),
      description: 'For the web.',
      tags: ['x', 'y', 'x'],
      config_drive: false,
      accessIPv4: '10.1.1.1',
      'OS-DCF:diskConfig': 'AUTO',
      availability_zone: 'rack-1',
      security_groups: [{ name: 'web' }],
    });
    const server = await show(id);
    expect(server).toMatchObject({
      id,
      name: 'Web Server.1',
      status: 'BUILD',
      tenant_id: 'red',
      user_id: 'ann',
      metadata: { a: 'b' },
      key_name: 'desk',
      description: 'For the web.',
      tags: ['x', 'y'],
      config_drive: '',
      accessIPv4: '10.1.1.1',
      accessIPv6: '',
      'OS-DCF:diskConfig': 'AUTO',
      'OS-EXT-AZ:availability_zone': '',
      pinned_availability_zone: 'rack-1',
      'OS-EXT-STS:vm_state': 'building',
      'OS-EXT-STS:task_state': 'scheduling',
      'OS-EXT-STS:power_state': 0,
      'OS-EXT-SRV-ATTR:hostname': 'web-server-1',
      image: { id: image },
      flavor: { original_name: 'bm.small', vcpus: 2, ram: 4096, disk: 40, ephemeral: 0, swap: 0, extra_specs: {} },
      addresses: {},
      hostId: '',
      progress: 0,
      security_groups: [{ name: 'web' }],
      'os-extended-volumes:volumes_attached': [],
      locked: false,
    });
    expect(server).not.toHaveProperty('fault');
    const asSeen = await show(id, { subject: root });
    expect(asSeen).toMatchObject({ 'OS-EXT-SRV-ATTR:user_data': base64('#cloud-config'), host_status: '' });
  });

  it('keeps its password sealed, and nowhere else', async () => {
    const { boot, platform } = await createCloud();
    const { body } = await boot({ adminPass: 'open sesame' });
    expect(body.server.adminPass).toBe('open sesame');
    const stored = platform.table.items();
    expect(JSON.stringify(stored)).not.toContain('sesame');
    const { sealed } = stored.find(({ sk }) => sk === 'admin_password') as unknown as { sealed: string };
    const context = { node: body.server.id as string, name: 'admin_password' };
    expect(await platform.opener.open(sealed, context)).toBe('open sesame');
    expect(JSON.stringify(platform.workflows.started)).not.toContain('sesame');
    expect(JSON.stringify(platform.log.lines)).not.toContain('sesame');
  });

  it('takes the image in the place of a volume, and links in the place of ids', async () => {
    const { request, image } = await createCloud();
    const device = { boot_index: 0, uuid: image, source_type: 'image', destination_type: 'local' };
    const server = {
      name: 's',
      flavorRef: 'http://x/flavors/small',
      networks: 'none',
      block_device_mapping_v2: [device],
    };
    expect((await request('POST /v2.1/servers', { body: { server } })).status).toBe(202);
  });

  it('stands in its history with who asked', async () => {
    const { boot, platform } = await createCloud();
    const { headers } = await boot();
    const action = platform.table.items().find(({ sk }) => sk.startsWith('action#'));
    expect(action).toMatchObject({
      sk: `action#${headers['x-openstack-request-id']}`,
      action: 'create',
      user_id: 'ann',
      project_id: 'red',
      run: platform.workflows.started[0]!.name,
    });
  });

  it('that was stored is answered with 202 although its run could not be started', async () => {
    const { boot, platform } = await createCloud();
    platform.workflows.start = async () => {
      throw new Error('no states');
    };
    expect((await boot()).status).toBe(202);
    expect(withoutTrail(platform.log.lines).at(-1)?.message).toBe('A run was not started, sync will do it.');
  });
});

describe('several servers', () => {
  it('are numbered, under one reservation', async () => {
    const { boot, request, platform } = await createCloud();
    const { body } = await boot({ min_count: 2, max_count: 3, return_reservation_id: true });
    expect(body).toEqual({ reservation_id: expect.stringMatching(/^r-[0-9a-z]{8}$/) });
    const query = `reservation_id=${body.reservation_id}&sort_key=display_name&sort_dir=asc`;
    const { servers } = (await request(`GET /v2.1/servers/detail?${query}`)).body;
    expect(servers.map(({ name }: { name: string }) => name)).toEqual(['s1-1', 's1-2', 's1-3']);
    expect(platform.workflows.started).toHaveLength(3);
  });

  it('are as many as the quota allows, if these are enough', async () => {
    const { boot, request } = await createCloud();
    expect((await boot({ min_count: 4, max_count: 30 })).status).toBe(202);
    expect((await request('GET /v2.1/servers')).body.servers).toHaveLength(10);
    const answer = await boot({ min_count: 1 });
    expect(answer).toMatchObject({
      status: 403,
      body: {
        forbidden: {
          message: 'Quota exceeded for instances: Requested 1, but already used 10 of 10 instances',
        },
      },
    });
  });

  it.each([
    [{ min_count: 2, max_count: 1 }, 'min_count must be <= max_count'],
    [{ min_count: 0 }, 'min_count'],
    [{ min_count: 1_000_000_000 }, 'whole number from 1 to 1000'],
    [{ max_count: '1001' }, 'whole number from 1 to 1000'],
  ])('%j is refused', async (server, message) => {
    const { boot } = await createCloud();
    const answer = await boot(server);
    expect([answer.status, answer.body.badRequest?.message]).toEqual([400, expect.stringContaining(message)]);
  });
});

it('more servers than the quota has room for are refused before the first is made', async () => {
  const { boot, platform } = await createCloud();
  const drawn = platform.ids.uuid();
  const { status, body } = await boot({ min_count: 1000 });
  expect([status, body.forbidden.message]).toEqual([
    403,
    'Quota exceeded for instances: Requested 1000, but already used 0 of 10 instances',
  ]);
  // Each would have a UUID, which are counted here.
  const count = (uuid: string) => Number(uuid.slice(-12));
  expect(count(platform.ids.uuid()) - count(drawn)).toBeLessThan(100);
});

it('a text of any length that is no base64 is refused at once, however it is made', async () => {
  const { boot, request } = await createCloud();
  const long = `${' '.repeat(900_000)}!`;
  expect((await boot({ user_data: long })).status).toBe(400);
  const keypair = { name: `${'a'.repeat(900_000)}!`, public_key: 'x' };
  expect((await request('POST /v2.1/os-keypairs', { body: { keypair } })).status).toBe(400);
});

describe('what a server is refused with', () => {
  it.each([
    ['no image', { imageRef: '' }, 'imageRef is missing'],
    [
      'an image that is not there',
      { imageRef: '11111111-1111-4111-8111-111111111111' },
      'Can not find requested image',
    ],
    ['a flavor that is not there', { flavorRef: 'large' }, 'Flavor large could not be found.'],
    ['a key that is not there', { key_name: 'desk' }, 'Invalid key_name provided.'],
    ['a name that is too long', { name: 'x'.repeat(256) }, 'server.name'],
    ['a word that is no field', { colour: 'red' }, 'Unexpected arguments: server.colour.'],
    ['metadata that are no texts', { metadata: { a: 1 } }, 'server.metadata.a'],
    ['user data that is no base64', { user_data: '#!' }, 'server.user_data'],
    ['a machine in the zone', { availability_zone: 'nova:host:node' }, 'availability_zone must be a zone alone'],
    [
      'a network that is not there',
      { networks: [{ uuid: '11111111-1111-4111-8111-111111111111' }] },
      'could not be found',
    ],
    ['a volume', { block_device_mapping_v2: [{ uuid: 'x', source_type: 'volume', boot_index: 0 }] }, 'server.block'],
    ['files in a new version', { personality: [] }, 'Unexpected arguments: server.personality.'],
  ])('%s', async (_what, server, message) => {
    const { boot, platform } = await createCloud();
    const before = platform.table.items();
    const answer = await boot(server);
    expect([answer.status, answer.body.badRequest?.message]).toEqual([400, expect.stringContaining(message)]);
    expect(platform.table.items()).toEqual(before);
    expect(platform.workflows.started).toEqual([]);
  });

  it('an image that is private to others, not active, or too large for the flavor', async () => {
    const { boot, anImage } = await createCloud();
    const of = async (values: object) => {
      const answer = await boot({ imageRef: await anImage(values) });
      return [answer.status, answer.body.badRequest?.message];
    };
    expect(await of({ owner: 'blue', visibility: 'private' })).toEqual([400, 'Can not find requested image']);
    expect(await of({ status: 'queued' })).toEqual([400, expect.stringContaining('is not active.')]);
    expect(await of({ min_ram: 8192 })).toEqual([400, "Flavor's memory is too small for requested image."]);
    expect(await of({ min_disk: 100 })).toEqual([400, expect.stringContaining('minimum size is 100 GB')]);
    expect(await of({ owner: 'red', visibility: 'private' })).toEqual([202, undefined]);
  });

  it('no networks from 2.37 on, and words for them before', async () => {
    const { boot } = await createCloud();
    expect((await boot({ networks: undefined })).body.badRequest.message).toContain('networks is missing');
    expect((await boot({ networks: 'none' }, { version: 36 })).status).toBe(400);
    expect((await boot({ networks: undefined }, { version: 36 })).status).toBe(202);
  });

  it('a body that is none', async () => {
    const { request } = await createCloud();
    for (const body of ['', '[]', '{}', '{"server":null}', '{"server":{}}', '{', '"x"']) {
      expect((await request('POST /v2.1/servers', { body })).status).toBe(400);
    }
  });
});

describe('network cards', () => {
  const kept = (platform: { table: { items(): { sk: string }[] } }) =>
    platform.table.items().find(({ sk }) => sk === 'server') as unknown as { interfaces: object[] };

  it('are of the networks that are named', async () => {
    const { boot, aNetwork, platform } = await createCloud();
    const network = await aNetwork('red');
    expect((await boot({ networks: [{ uuid: network, fixed_ip: '10.0.0.7' }] })).status).toBe(202);
    expect(kept(platform).interfaces).toMatchObject([
      { network_id: network, fixed_ip: '10.0.0.7', made: true, state: 'asked', seen: null },
    ]);
  });

  it('that nobody names are of the only network there is', async () => {
    const { boot, aNetwork, platform } = await createCloud();
    await aNetwork('blue');
    const network = await aNetwork('red');
    await boot({ networks: 'auto' });
    expect(kept(platform).interfaces).toMatchObject([{ network_id: network }]);
    await aNetwork('green', { shared: true });
    expect(await boot({ networks: 'auto' })).toMatchObject({
      status: 409,
      body: { conflictingRequest: { message: expect.stringContaining('Multiple possible networks found') } },
    });
    expect((await boot({ networks: 'none' })).status).toBe(202);
  });

  it('of networks of others, and with addresses that are none of theirs, are refused', async () => {
    const { boot, aNetwork } = await createCloud();
    const theirs = await aNetwork('blue');
    const external = await aNetwork('admin', { 'router:external': true });
    const own = await aNetwork('red');
    const said = async (networks: object[], more = {}) => {
      const answer = await boot({ networks, ...more });
      return `${answer.status} ${answer.body.badRequest?.message}`;
    };
    expect(await said([{ uuid: theirs }])).toBe(`400 Network ${theirs} could not be found.`);
    expect(await said([{ uuid: external }])).toContain('external network');
    expect(await said([{ uuid: own, fixed_ip: '192.168.0.1' }])).toContain('is of no subnet');
    expect(await said([{ uuid: own, fixed_ip: '10.0.0.9' }], { max_count: 2 })).toContain('several servers');
    expect((await boot({ networks: Array.from({ length: 65 }, () => ({ uuid: own })) })).status).toBe(400);
    // Whose network it is says which of its addresses are taken.
    const shared = await aNetwork('green', { shared: true });
    expect((await boot({ networks: [{ uuid: shared, fixed_ip: '10.0.0.1' }] })).status).toBe(403);
    expect((await boot({ networks: [{ uuid: shared }] })).status).toBe(202);
  });
});

describe('who may create', () => {
  it('are members of a project, for their own project', async () => {
    const { boot, show } = await createCloud();
    expect((await boot({}, { subject: tenant('rea', 'red', 'reader') })).body).toEqual({
      forbidden: { code: 403, message: "Policy doesn't allow os_compute_api:servers:create to be performed." },
    });
    expect((await boot({}, { subject: null })).status).toBe(401);
    const { id } = (await boot({}, { subject: bob })).body.server;
    expect((await show(id, { subject: bob })).tenant_id).toBe('blue');
    expect(await show(id, { subject: ann })).toBeUndefined();
  });
});

describe('at once', () => {
  it('a hundred requests get exactly as many servers as the quota allows, each in one piece', async () => {
    const { boot, platform } = await createCloud();
    const answers = await Promise.all(Array.from({ length: 100 }, async (_, at) => boot({ name: `s${at}` })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(10);
    expect(statuses.filter((status) => status === 403)).toHaveLength(90);
    expect(platform.workflows.started).toHaveLength(10);
    const stored = platform.table.items().filter(({ sk }) => sk === 'server');
    expect(stored).toHaveLength(10);
    const quota = platform.table.items().find(({ sk }) => sk === 'compute_quota');
    expect(quota).toMatchObject({ used: { instances: 10, cores: 20, ram: 40_960 } });
  });

  it('thirty of one request, which are more than a transaction takes, are all made or none', async () => {
    const { boot, platform, request } = await createCloud();
    const body = { quota_set: { instances: 40 } };
    await request('PUT /v2.1/os-quota-sets/red', { subject: root, body });
    let writes = 0;
    platform.table.onWrite = () => {
      writes += 1;
      // Of a transaction that is refused nothing is there; those before it have to go again.
      if (writes === 3) throw new Error('The table is gone.');
    };
    expect((await boot({ min_count: 30 })).status).toBe(500);
    platform.table.onWrite = undefined;
    expect(platform.table.items().filter(({ sk }) => sk === 'server')).toEqual([]);
    expect(platform.table.items().find(({ sk }) => sk === 'compute_quota')).toMatchObject({ used: { instances: 0 } });
    expect((await boot({ min_count: 30 })).status).toBe(202);
    expect(platform.workflows.started).toHaveLength(30);
  });
});
