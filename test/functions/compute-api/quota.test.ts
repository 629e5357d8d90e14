/** Quotas and limits (compute-api.md 7), through the front door: what is shown is what is counted. */
import { describe, expect, it } from 'vitest';

import { type QuotaName, quotas } from '../../../layers/domain/compute/quota.ts';
import { createCloud } from './cloud.ts';
import { ann, bob, createFront, root, tenant } from './front.ts';

const at = '/v2.1/os-quota-sets';
const names = Object.keys(quotas) as QuotaName[];
const namesAt = (version: number) =>
  names.filter((name) => version <= ((quotas[name] as { until?: number }).until ?? Infinity));

/** Sets limits of project red. */
const limiting = async (request: ReturnType<typeof createFront>['request'], limits: object, version = 96) =>
  request(`PUT ${at}/red`, { subject: root, version, body: { quota_set: limits } });

/** What each quota that is counted refuses, once its limit is 1: the second of something, or two at a time. */
const refusals: {
  readonly [name in QuotaName]?: (cloud: Awaited<ReturnType<typeof createCloud>>) => Promise<{ status: number }>;
} = {
  instances: async ({ boot }) => boot({ name: 'a', min_count: 2 }),
  cores: async ({ boot }) => boot(),
  ram: async ({ boot }) => boot(),
  metadata_items: async ({ boot }) => boot({ metadata: { a: '1', b: '2' } }),
  key_pairs: async ({ request }) => {
    await request('POST /v2.1/os-keypairs', { version: 91, body: { keypair: { name: 'a' } } });
    return request('POST /v2.1/os-keypairs', { version: 91, body: { keypair: { name: 'b' } } });
  },
  server_groups: async ({ request }) => {
    const body = { server_group: { name: 'a', policy: 'anti-affinity' } };
    await request('POST /v2.1/os-server-groups', { body });
    return request('POST /v2.1/os-server-groups', { body });
  },
  server_group_members: async ({ request, boot }) => {
    const body = { server_group: { name: 'a', policy: 'anti-affinity' } };
    const group = (await request('POST /v2.1/os-server-groups', { body })).body.server_group.id as string;
    return boot({ min_count: 2 }, { hints: { group } });
  },
  injected_files: async ({ boot }) =>
    boot(
      {
        personality: [
          { path: 'a', contents: '' },
          { path: 'b', contents: '' },
        ],
      },
      { version: 56 },
    ),
  injected_file_content_bytes: async ({ boot }) =>
    boot({ personality: [{ path: 'a', contents: 'YWI=' }] }, { version: 56 }),
  injected_file_path_bytes: async ({ boot }) => boot({ personality: [{ path: 'ab', contents: '' }] }, { version: 56 }),
};

const counted = names.filter((name) => !('uncounted' in quotas[name]));

describe('a quota', () => {
  it.each(counted)('%s is enforced', async (name) => {
    const cloud = await createCloud();
    expect((await limiting(cloud.request, { [name]: 1 }, 1)).status).toBe(200);
    const refuse = refusals[name];
    expect([name, typeof refuse]).toEqual([name, 'function']);
    expect(await refuse!(cloud)).toMatchObject({ status: 403, body: { forbidden: { code: 403 } } });
  });

  it.each(names.filter((name) => 'uncounted' in quotas[name]))(
    '%s is no limit, and cannot be made one',
    async (name) => {
      const { request } = createFront();
      expect((await limiting(request, { [name]: 5 }, 1)).body.badRequest.message).toMatch(
        new RegExp(`^Invalid value for quota_set.${name}: must be -1: No limit`),
      );
      expect((await limiting(request, { [name]: -1 }, 1)).status).toBe(200);
    },
  );

  it.each([1, 36, 50, 57, 96])('set at 2.%i has the names of that version', async (version) => {
    const { request } = createFront();
    const { quota_set } = (await request(`GET ${at}/red`, { version })).body;
    expect(Object.keys(quota_set as object).sort()).toEqual(['id', ...namesAt(version)].sort());
    expect(quota_set).toMatchObject({ id: 'red', instances: 10, cores: -1, key_pairs: 100 });
    expect((await request(`GET ${at}/red/defaults`, { version })).body.quota_set).toEqual(quota_set);
    for (const name of names.filter((one) => !namesAt(version).includes(one))) {
      expect((await limiting(request, { [name]: -1 }, version)).status).toBe(400);
    }
  });

  it('is set by administrators, as a number or its text, and reset', async () => {
    const { request } = createFront();
    expect((await limiting(request, { instances: '7', cores: 64 })).body.quota_set).toMatchObject({
      instances: 7,
      cores: 64,
      ram: -1,
    });
    expect((await request(`GET ${at}/red`)).body.quota_set).toMatchObject({ instances: 7, cores: 64 });
    expect((await request(`DELETE ${at}/red`, { subject: root })).status).toBe(202);
    expect((await request(`GET ${at}/red`)).body.quota_set).toMatchObject({ instances: 10, cores: -1 });
    expect((await request(`PUT ${at}/red`, { body: { quota_set: { instances: 100 } } })).status).toBe(403);
    expect((await request(`DELETE ${at}/red`)).status).toBe(403);
  });

  it.each([-2, 1.5, 'many', null, 2 ** 31, true])('is not set to %j', async (instances) => {
    const { request } = createFront();
    expect((await limiting(request, { instances })).status).toBe(400);
    expect((await request(`GET ${at}/red`)).body.quota_set.instances).toBe(10);
  });

  it('is not set below what is used, unless by force', async () => {
    const { request, booted } = await createCloud();
    await booted({ name: 'a' });
    await booted({ name: 'b' });
    expect((await limiting(request, { instances: 1 })).body.badRequest.message).toBe(
      'Quota limit 1 for instances must be greater than or equal to already used and reserved 2.',
    );
    expect((await limiting(request, { instances: 1, force: true })).status).toBe(200);
    const { instances } = (await request(`GET ${at}/red/detail`)).body.quota_set;
    expect(instances).toEqual({ limit: 1, in_use: 2, reserved: 0 });
  });

  it('is of no single user', async () => {
    const { request } = createFront();
    const body = { quota_set: { instances: 1 } };
    expect((await request(`PUT ${at}/red?user_id=ann`, { subject: root, body })).status).toBe(400);
  });

  it('of another project is none of a tenant’s business', async () => {
    const { request } = createFront();
    for (const line of [`GET ${at}/red`, `GET ${at}/red/detail`, '/limits']) {
      const path = line === '/limits' ? 'GET /v2.1/limits?tenant_id=red' : line;
      expect((await request(path, { subject: bob })).status).toBe(403);
      expect((await request(path, { subject: root })).status).toBe(200);
    }
  });
});

describe('limits', () => {
  it('say what there may be and what there is', async () => {
    const { request, booted } = await createCloud();
    await booted();
    expect((await request('GET /v2.1/limits', { version: 57 })).body).toEqual({
      limits: {
        rate: [],
        absolute: {
          maxTotalInstances: 10,
          totalInstancesUsed: 1,
          maxTotalCores: -1,
          totalCoresUsed: 2,
          maxTotalRAMSize: -1,
          totalRAMUsed: 4096,
          maxServerMeta: 128,
          maxImageMeta: 128,
          maxTotalKeypairs: 100,
          maxServerGroups: 10,
          totalServerGroupsUsed: 0,
          maxServerGroupMembers: 10,
        },
      },
    });
    const old = (await request('GET /v2.1/limits?reserved=1', { version: 1 })).body.limits.absolute;
    expect(old).toMatchObject({ maxPersonality: 5, maxPersonalitySize: 10_240, maxSecurityGroups: -1 });
  });
});

describe('key pairs', () => {
  const key = (name: string) => ({ keypair: { name } });

  const withLimit = async (limit: number) => {
    const { request } = createFront();
    await limiting(request, { key_pairs: limit });
    const make = async (name: string, subject = ann) =>
      request('POST /v2.1/os-keypairs', { version: 91, subject, body: key(name) });
    return { request, make };
  };

  it('are as many as their user may have, whichever of them go', async () => {
    const { request, make } = await withLimit(2);
    for (const name of ['a', 'b']) expect((await make(name)).status).toBe(201);
    expect((await make('c')).body.forbidden.message).toBe(
      'Quota exceeded for key_pairs: Requested 1, but already used 2 of 2 key_pairs',
    );
    expect((await make('a')).status).toBe(403);
    await request('DELETE /v2.1/os-keypairs/a');
    expect((await make('c')).status).toBe(201);
  });

  it('are counted by user: others of the project have theirs', async () => {
    const { make } = await withLimit(1);
    expect((await make('a')).status).toBe(201);
    expect((await make('a', tenant('amy', 'red'))).status).toBe(201);
    // The same user from another project, which has limits of its own.
    expect((await make('b', tenant('ann', 'blue'))).status).toBe(201);
    expect((await make('b')).status).toBe(403);
  });

  it('that an administrator makes for a user are that user’s', async () => {
    const { request, make } = await withLimit(1);
    const body = { keypair: { name: 'a', user_id: 'ann' } };
    expect((await request('POST /v2.1/os-keypairs', { version: 91, subject: root, body })).status).toBe(201);
    expect((await make('b')).status).toBe(403);
    expect((await request('DELETE /v2.1/os-keypairs/a?user_id=ann', { subject: root })).status).toBe(204);
    expect((await make('b')).status).toBe(201);
  });

  it('whose name is taken count nothing', async () => {
    const { make } = await withLimit(2);
    await make('a');
    expect((await make('a')).status).toBe(409);
    expect((await make('b')).status).toBe(201);
  });

  it('made at once are as many as there may be', async () => {
    const { make } = await withLimit(5);
    const answers = await Promise.all(Array.from({ length: 25 }, async (_, n) => make(`k${n}`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(20);
  });
});
