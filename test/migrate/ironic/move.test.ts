/** Moving an Ironic: what is asked first, what is written, and what is left when it ends in the middle. */
import { beforeEach, describe, expect, it } from 'vitest';

import { openStored } from '../../fakes/credentials.ts';
import {
  configdrive,
  createSite,
  first,
  noSecrets,
  refusals,
  samples,
  second,
  type Site,
  summed,
  third,
} from './site.ts';

let site: Site;
beforeEach(async () => {
  site = await createSite();
});

const puts = () => site.asked.filter((one) => one.startsWith('PUT'));
const nodes = async () => (await site.show(site.here, 'nodes?include_children=true')).nodes as { uuid: string }[];

describe('a move', () => {
  it('brings every kind, with uuids, states, times, owners and secrets', async () => {
    const entries = await site.move();
    expect(refusals(entries)).toEqual([]);
    expect([...new Set(entries.map(({ kind }) => kind))].toSorted()).toEqual(
      [...new Set(samples.map(({ kind }) => kind))].toSorted(),
    );
    // Of each node the source tells besides how it came there, and of its maintenance.
    expect(summed(entries)).toEqual({ imported: samples.length + 6 });
    const node = samples.find(({ record }) => record['uuid'] === first)!.record;
    expect(await site.show(site.here, `nodes/${first}`)).toMatchObject({
      ...node,
      driver_info: { redfish_address: 'https://10.0.0.1', redfish_password: '******' },
      instance_info: { display_name: 'web', configdrive: '******' },
      maintenance: false,
      driver_internal_info: { takeover: { state: 'pending' } },
    });
    expect(await openStored(site.here.platform, first, 'redfish_password')).toBe('canary-1');
    expect(await site.show(site.here, `nodes/${third}`)).toMatchObject({ parent_node: first });
    expect((await site.show(site.here, `nodes/${first}/inventory`)).inventory).toEqual({ cpu: { count: 8 } });
    const { history } = await site.show(site.here, `nodes/${first}/history?detail=true`);
    expect(history).toContainEqual(
      expect.objectContaining({ event: 'Timeout reached', created_at: '2024-06-02T10:00:00+00:00' }),
    );
  });

  it('sets every node to maintenance at its source before, and brings the maintenance that it had', async () => {
    await site.move();
    for (const uuid of [first, second, third]) {
      const { maintenance, maintenance_reason: reason } = await site.show(site.there, `nodes/${uuid}`);
      expect([maintenance, reason]).toEqual([
        true,
        expect.stringContaining('Moved to Ingot at https://ingot.example, '),
      ]);
    }
    expect(await site.show(site.here, `nodes/${second}`)).toMatchObject({
      maintenance: true,
      maintenance_reason: 'the fan is loud',
      updated_at: '2024-09-10T11:22:33+00:00',
    });
  });

  it('knows its own note, whatever the reason was before', async () => {
    const reason = 'Moved to Ingot, once. Before: {"maintenance":true}';
    await site.there.request(`PUT /v1/nodes/${third}/maintenance`, { body: { reason } });
    await site.move();
    expect(await site.show(site.here, `nodes/${third}`)).toMatchObject({ maintenance_reason: reason });
    const count = puts().length;
    await site.move();
    expect(puts()).toHaveLength(count);
  });

  it('leaves a source alone that is stopped', async () => {
    await site.move({ running: false });
    expect(puts()).toEqual([]);
    expect(await nodes()).toHaveLength(3);
  });

  it('changes nothing the second time, neither here nor there', async () => {
    await site.move();
    const count = puts().length;
    expect(summed(await site.move())).toEqual({ identical: samples.length + 6 });
    expect(puts()).toHaveLength(count);
  });

  it('compares what is here and never writes over it', async () => {
    await site.move();
    await site.here.request(`PATCH /v1/nodes/${second}`, {
      body: [{ op: 'add', path: '/description', value: 'mine' }],
    });
    await site.there.request(`PATCH /v1/nodes/${second}`, {
      body: [{ op: 'add', path: '/description', value: 'theirs' }],
    });
    expect(refusals(await site.move())).toEqual([
      ['node', 'kept', 'conflict', expect.stringContaining('another description; it stays as it is') as string],
    ]);
    expect(await site.show(site.here, `nodes/${second}`)).toMatchObject({ description: 'mine' });
  });

  it('moves from the oldest version what that one has', async () => {
    site = await createSite(
      samples
        .filter(({ kind }) => ['chassis', 'node', 'port', 'portgroup'].includes(kind))
        .map((one) =>
          one.record['uuid'] === first ? { ...one, record: { ...one.record, allocation_uuid: null } } : one,
        )
        .filter(({ record }) => record['uuid'] !== third),
      46,
    );
    const entries = await site.move();
    expect(refusals(entries)).toEqual([]);
    expect(summed(entries)).toEqual({ imported: 5 });
    // It knows no lessee.
    expect(await site.show(site.here, `nodes/${first}`)).toMatchObject({ provision_state: 'active', lessee: null });
    expect(site.asked.some((one) => /history|inventory|allocations|include_children/.test(one))).toBe(false);
  });

  it('is refused by an older one with the way to go', async () => {
    site = await createSite([], 45);
    await expect(site.move()).rejects.toThrow('upgrade it to Rocky or later first');
  });
});

describe('a tool that is ended anywhere and begun again', () => {
  /** Ends at the n-th request to either side. */
  const endAt = (n: number) => {
    const { source, target } = site.between;
    let left = n;
    const dying =
      (service: typeof source): typeof source =>
      async (...asked) => {
        left -= 1;
        if (left < 0) throw new Error('killed');
        return service(...asked);
      };
    site.between.source = dying(source);
    site.between.target = dying(target);
    return () => Object.assign(site.between, { source, target });
  };

  it.each(Array.from({ length: 14 }, (_, at) => at * 4 + 1))('at request %i, brings all as it was', async (n) => {
    const restore = endAt(n);
    await site.move().catch(() => undefined);
    restore();
    const entries = await site.move();
    expect(refusals(entries)).toEqual([]);
    expect(await site.show(site.here, `nodes/${second}`)).toMatchObject({
      maintenance: true,
      maintenance_reason: 'the fan is loud',
      updated_at: '2024-09-10T11:22:33+00:00',
    });
    expect(await site.show(site.here, `nodes/${first}`)).toMatchObject({
      maintenance: false,
      maintenance_reason: null,
    });
    expect(await nodes()).toHaveLength(3);
  });
});

describe('what can not be moved is told before anything is written:', () => {
  const node = (more: object) => ({
    kind: 'node',
    record: { ...samples[6]!.record, name: 'odd', parent_node: null, ...more },
  });
  /** The source as another program would show it. */
  const shownAs = (change: (node: Record<string, unknown>) => object) => {
    const { source } = site.between;
    site.between.source = async (...asked) => {
      const reply = await source(...asked);
      const { nodes: list } = (reply.body ?? {}) as { nodes?: Record<string, unknown>[] };
      return asked[1].startsWith('/v1/nodes/detail') && list
        ? { ...reply, body: { ...(reply.body as object), nodes: list.map((one) => ({ ...one, ...change(one) })) } }
        : reply;
    };
  };

  it.each<[reason: string, shown: object, detail: string]>([
    [
      'redacted',
      { driver_info: { content: '** Redacted - requires a rule. **' } },
      'as an administrator of its system',
    ],
    ['redacted', { last_error: '** Value Redacted - Requires a rule. **' }, 'as an administrator'],
    ['unknown-driver', { driver: 'ilo5' }, '--replace driver:ilo5=redfish'],
    [
      'unknown-interface',
      { driver: 'redfish', boot_interface: 'ipxe' },
      '--replace boot_interface:ipxe=redfish-virtual-media',
    ],
    ['in-progress', { provision_state: 'cleaning' }, 'provision_state is cleaning: wait until it is over'],
    ['in-progress', { provision_state: 'a new state' }, 'wait until it is over'],
    ['in-progress', { target_power_state: 'power on' }, 'a power action to power on is in progress'],
    ['reserved', { reservation: 'conductor-1' }, 'locked by conductor-1'],
    ['power-failure', { maintenance: true, fault: 'power failure' }, 'clears the fault'],
    ['missing-secrets', { driver_info: { redfish_password: '******' } }, 'driver_info.redfish_password'],
  ])('%s %j', async (reason, shown, detail) => {
    site = await createSite([node({})]);
    shownAs(() => shown);
    const [entry] = await site.look();
    expect(entry!.refusal).toEqual({ reason, detail: expect.stringContaining(detail) as string });
    expect(puts()).toEqual([]);
    // Nor is it moved, or fenced, if the others are to be.
    await site.move();
    expect(puts()).toEqual([]);
    expect(await nodes()).toEqual([]);
  });

  it('an interface that is replaced on the way is moved', async () => {
    site = await createSite([node({ driver: 'redfish' })]);
    shownAs(() => ({ boot_interface: 'ipxe' }));
    const replacements = [{ field: 'boot_interface', from: 'ipxe', to: 'redfish-virtual-media' }];
    expect(refusals(await site.move({ replacements }))).toEqual([]);
    expect(await site.show(site.here, `nodes/${third}`)).toMatchObject({ boot_interface: 'redfish-virtual-media' });
  });

  it('a field that has no place here is told, and what is left out of instances', async () => {
    shownAs(({ uuid }) => (uuid === first ? { new_field: 7, driver_info: {}, console_enabled: true } : {}));
    const entries = await site.look({ secrets: noSecrets });
    const told = entries.find(({ uuid }) => uuid === first)!.warnings.map(({ reason }) => reason);
    expect(told).toEqual(['instance-secrets', 'console', 'unknown-field']);
  });

  it('without their secrets nodes, templates, rules and volumes are rejected, and with them what belongs to them', async () => {
    const told = refusals(await site.look({ secrets: noSecrets })).map(([kind, name, reason]) => [kind, name, reason]);
    expect(told).toEqual([
      ['deploy_template', 'CUSTOM_RAID', 'missing-secrets'],
      ['inspection_rule', expect.any(String), 'missing-secrets'],
      ['node', 'web-1', 'missing-secrets'],
      ['node', 'kept', 'missing-secrets'],
      ['portgroup', 'bond0', 'parent-not-imported'],
      ['port', expect.any(String), 'parent-not-imported'],
      ['volume_connector', expect.any(String), 'parent-not-imported'],
      ['volume_target', expect.any(String), 'missing-secrets'],
      ['allocation', 'mine', 'parent-not-imported'],
    ]);
  });

  it('a lock that is there for a moment is none, and one that stays is waited for a minute', async () => {
    let looks = 0;
    shownAs(({ uuid }) => {
      looks += uuid === third ? 1 : 0;
      return uuid === third && looks < 4 ? { reservation: 'conductor-1' } : {};
    });
    expect(refusals(await site.look())).toEqual([]);
    shownAs(({ uuid }) => (uuid === third ? { target_power_state: 'power on' } : {}));
    site.asked.length = 0;
    expect(refusals(await site.look()).map(([, , reason]) => reason)).toEqual(['in-progress']);
    expect(site.asked.filter((one) => one.includes('/nodes/detail'))).toHaveLength(31);
    // Nobody ends the lock of a conductor that is stopped.
    site.asked.length = 0;
    await site.look({ running: false });
    expect(site.asked.filter((one) => one.includes('/nodes/detail'))).toHaveLength(1);
  });

  /** Who is at work at first, for so many looks at the node. */
  const busyFor = (looks: Readonly<Record<string, number>>) => {
    const left = new Map(Object.entries(looks));
    shownAs(({ uuid }) => {
      const more = left.get(uuid as string) ?? 0;
      left.set(uuid as string, more - 1);
      return more > 0 ? { reservation: 'conductor-1' } : {};
    });
  };

  it('a lock is none as long as others come free while it is waited for', async () => {
    busyFor({ [second]: 20, [third]: 45 });
    expect(refusals(await site.look())).toEqual([]);
  });

  it('a lock that stays leaves those of other pages some patience', async () => {
    busyFor({ [first]: 1000, [third]: 4 });
    const { source } = site.between;
    site.between.source = async (method, path, asking) => source(method, path.replace('limit=200', 'limit=1'), asking);
    const nodes = refusals(await site.look()).filter(([kind]) => kind === 'node');
    expect(nodes.map(([, , reason]) => reason)).toEqual(['reserved']);
  });

  it('a record that no request holds, and it alone', async () => {
    const deep = JSON.parse('{"a":'.repeat(500) + '1' + '}'.repeat(500)) as object;
    shownAs(({ uuid }) => (uuid === third ? { extra: deep } : {}));
    expect(refusals(await site.move())).toEqual([
      ['node', third, 'refused', expect.stringContaining('no request takes this record') as string],
    ]);
    expect((await nodes()).map(({ uuid }) => uuid).toSorted()).toEqual([first, second]);
  });

  it('what the target would refuse', async () => {
    shownAs(({ uuid }) => (uuid === third ? { resource_class: 'x'.repeat(81) } : {}));
    expect(refusals(await site.look())).toEqual([
      ['node', third, 'refused', expect.stringContaining('resource_class') as string],
    ]);
  });
});

describe('secrets that were written down before', () => {
  const clear = { driver_info: { redfish_password: 'canary-1' }, instance_info: { configdrive } };
  const told = async (known: object, emptyIsNone = false) => {
    const secrets = { emptyIsNone, of: async () => new Map([[first, { ...clear, ...known }]]) };
    const entries = await site.look({ secrets });
    const { is, record, warnings, refusal } = entries.find(({ uuid }) => uuid === first)!;
    return { is, record, reasons: [...(refusal ? [refusal] : []), ...warnings].map(({ reason }) => reason) };
  };
  const instance_uuid = samples.find(({ record }) => record['uuid'] === first)!.record['instance_uuid'];

  it('of another instance are not those of this one', async () => {
    const other = await told({ instance_uuid: second, updated_at: '2024-09-10T11:22:33+00:00' });
    expect(other).toMatchObject({ record: { driver_info: clear.driver_info }, reasons: ['instance-secrets'] });
    expect(other.record['instance_info']).toEqual({ display_name: 'web' });
    expect((await told({ instance_uuid: null })).reasons).toEqual(['instance-secrets']);
    expect((await told({ instance_uuid })).reasons).not.toContain('instance-secrets');
  });

  it('of a time before its last change may be wrong, which is told', async () => {
    expect((await told({ instance_uuid, updated_at: '2024-09-10T11:22:32+00:00' })).reasons).toEqual(['old-secrets']);
    expect((await told({ instance_uuid, updated_at: null })).reasons).toEqual(['old-secrets']);
    for (const updated_at of ['2024-09-10T11:22:33.000000+00:00', '2024-09-10T11:23:00+00:00', undefined])
      expect((await told({ instance_uuid, updated_at })).reasons).toEqual([]);
  });

  it('are none where a database has an empty one, and not known where a form has', async () => {
    const empty = { driver_info: { redfish_password: '' } };
    expect((await told(empty)).reasons).toEqual(['missing-secrets']);
    const none = await told(empty, true);
    expect(none.reasons).toEqual([]);
    expect(none.record['driver_info']).toEqual({ redfish_address: 'https://10.0.0.1' });
  });
});

describe('a node that can not be fenced', () => {
  it('is not written: a lock that stays is told', async () => {
    const { source } = site.between;
    const locked = { error_message: JSON.stringify({ faultstring: 'Node is locked by host c1.' }) };
    site.between.source = async (method, path, asking) =>
      method === 'PUT' && path.includes(second) ? { status: 409, body: locked } : source(method, path, asking);
    expect(refusals(await site.move())).toEqual([
      ['node', 'kept', 'not-fenced', 'maintenance was answered with 409: Node is locked by host c1.'],
    ]);
    expect((await nodes()).map(({ uuid }) => uuid).toSorted()).toEqual([first, third]);
  });

  it('is waited for as long as the lock of its own maintenance is there', async () => {
    const { source } = site.between;
    let locked = 2;
    site.between.source = async (method, path, asking) => {
      if (method === 'PUT' && path.includes(third)) await site.there.force(third, { reservation: null });
      const reply = await source(method, path, asking);
      if (method === 'PUT' && path.includes(third)) await site.there.force(third, { reservation: 'conductor-1' });
      if (path.startsWith('/v1/nodes/detail') && (locked -= 1) === -1)
        await site.there.force(third, { reservation: null });
      return reply;
    };
    expect(refusals(await site.move())).toEqual([]);
  });

  it('is judged again once it is: what began before was not seen', async () => {
    const { source } = site.between;
    site.between.source = async (method, path, asking) => {
      const reply = await source(method, path, asking);
      if (method === 'PUT' && path.includes(third)) {
        await site.there.force(third, { provision_state: 'inspecting', target_provision_state: 'manageable' });
      }
      return reply;
    };
    expect(refusals(await site.move())).toEqual([
      ['node', third, 'in-progress', expect.stringContaining('inspecting') as string],
    ]);
    // It is not moved, so it is let go.
    expect(await site.show(site.there, `nodes/${third}`)).toMatchObject({ maintenance: false });
  });

  /** The one that is in maintenance already is taken into use as soon as it is fenced. */
  const beginAt = (uuid: string) => {
    const { source } = site.between;
    site.between.source = async (method, path, asking) => {
      const reply = await source(method, path, asking);
      if (method === 'PUT' && path.includes(uuid)) {
        await site.there.force(uuid, { provision_state: 'inspecting', target_provision_state: 'manageable' });
      }
      return reply;
    };
  };

  it('is put back to the maintenance that it had, if it is not moved after all', async () => {
    beginAt(second);
    expect(refusals(await site.move()).map(([, name, reason]) => [name, reason])).toEqual([['kept', 'in-progress']]);
    expect(await site.show(site.there, `nodes/${second}`)).toMatchObject({
      maintenance: true,
      maintenance_reason: 'the fan is loud',
    });
  });

  it('is told by name where that can not be done, and as long as it stays so', async () => {
    beginAt(third);
    const { source } = site.between;
    site.between.source = async (method, path, asking) =>
      method === 'DELETE' ? { status: 409, body: undefined } : source(method, path, asking);
    const told = async () =>
      (await site.move()).flatMap(({ uuid, warnings }) => warnings.map(({ reason, detail }) => [uuid, reason, detail]));
    expect(await told()).toEqual([
      [third, 'still-fenced', expect.stringContaining('maintenance was answered with 409') as string],
    ]);
    expect(await told()).toEqual([
      [third, 'still-fenced', expect.stringContaining('an earlier move set its maintenance') as string],
    ]);
  });
});
