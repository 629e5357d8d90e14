import { readFileSync } from 'node:fs';

import { beforeEach, describe, expect, it } from 'vitest';

import { create } from '../../../functions/events/app.ts';
import { type EventDetail, schemaOf } from '../../../layers/domain/events.ts';
import type { FeedRecord } from '../../../layers/platform/feed.ts';
import { createMemoryEvents, type MemoryEvents } from '../../../layers/platform/memory/events.ts';
import { createVirtualClock } from '../../../layers/platform/memory/clock.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import type { Item } from '../../../layers/platform/table.ts';
import { upgradeTable } from '../../../layers/store/upgrade.ts';
import { createLogRecorder } from '../../../layers/platform/memory/log.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { feedRecord, follow } from '../../fakes/feed.ts';
import { createFrontWithNodes } from '../baremetal-api/node/stored.ts';

type Front = ReturnType<typeof createFrontWithNodes>;

let front: Front;
let records: FeedRecord[];
let events: MemoryEvents;
let log: ReturnType<typeof createLogRecorder>;
let app: ReturnType<typeof create>;

beforeEach(() => {
  front = createFrontWithNodes();
  records = follow(front.platform.table);
  events = createMemoryEvents();
  log = createLogRecorder();
  app = create({ events, log });
});

/** What was published of all that happened so far; each is in the form that docs/events.md promises. */
const publish = async (): Promise<EventDetail[]> => {
  expect(await app({ Records: records.splice(0) })).toEqual({ batchItemFailures: [] });
  const told = events.published.splice(0).map(({ detail }) => detail as EventDetail);
  for (const detail of told) expect(schemaOf(detail.type).parse(detail)).toEqual(detail);
  return told;
};

const change = async (uuid: string, set: Partial<StoredNode>) =>
  changeRecord(front.platform, kinds.node, uuid, () => ({ set }));

const firstVersion = new URL('../../fixtures/first-version/items.json', import.meta.url);
const readItems = () => JSON.parse(readFileSync(firstVersion, 'utf8')) as readonly Item[];

const essence = ({ type, before, after }: EventDetail) => ({ type, before, after });

describe('an event', () => {
  it('tells of a node that was enrolled, and of its removal', async () => {
    const { uuid } = (await front.request('POST /v1/nodes', { body: { driver: 'fake-hardware' } })).body as {
      uuid: string;
    };
    expect((await publish()).map(essence)).toEqual([
      { type: 'node.create', before: null, after: { provision_state: 'enroll' } },
    ]);
    await front.request(`DELETE /v1/nodes/${uuid}`);
    const removed = await publish();
    expect(removed.map(essence)).toEqual([{ type: 'node.delete', before: { provision_state: 'enroll' }, after: null }]);
    expect(removed[0]).toMatchObject({ node_uuid: uuid, time: '2026-01-01T00:00:00.000+00:00' });
  });

  it('tells of a transition, with whose node it is and the run that made it', async () => {
    const { uuid } = await front.store({ owner: 'p1', lessee: 'p2' });
    await publish();
    const { after } = await change(uuid, { provision_state: 'deploying', target_provision_state: 'active', run: 'r1' });
    const [told, ...more] = await publish();
    expect(more).toEqual([]);
    expect(told).toEqual({
      id: `${after.position}-0000000002-node.provision_state`,
      type: 'node.provision_state',
      time: after.updated_at,
      node_uuid: uuid,
      sequence: `${after.position}-0000000002`,
      before: { provision_state: 'available', target_provision_state: null },
      after: { provision_state: 'deploying', target_provision_state: 'active' },
      instance_uuid: null,
      owner: 'p1',
      lessee: 'p2',
      run: 'r1',
    });
    await change(uuid, { provision_state: 'active', target_provision_state: null, run: null });
    expect(await publish()).toMatchObject([{ after: { provision_state: 'active' }, run: 'r1' }]);
  });

  it('tells of power as it shall be, and as it is', async () => {
    const { uuid } = await front.store();
    await publish();
    await change(uuid, { target_power_state: 'power on', reservation: 'r2' });
    await change(uuid, { power_state: 'power on', target_power_state: null, reservation: null });
    expect(await publish()).toMatchObject([
      {
        type: 'node.power_state',
        before: { power_state: null, target_power_state: null },
        after: { power_state: null, target_power_state: 'power on' },
        run: 'r2',
      },
      { type: 'node.power_state', after: { power_state: 'power on', target_power_state: null }, run: 'r2' },
    ]);
  });

  it('tells of maintenance, and not of the reason that somebody wrote', async () => {
    const { uuid } = await front.store();
    await publish();
    await front.request(`PUT /v1/nodes/${uuid}/maintenance`, { body: { reason: 'a private word' } });
    const told = await publish();
    expect(told.map(essence)).toEqual([
      {
        type: 'node.maintenance',
        before: { maintenance: false, fault: null },
        after: { maintenance: true, fault: null },
      },
    ]);
    expect(JSON.stringify(told)).not.toContain('private');
  });

  it('tells of an instance that came, and names it when it goes', async () => {
    const { uuid } = await front.store();
    const instance = '11111111-2222-4333-8444-555555555555';
    await publish();
    const patch = async (value: string | null) =>
      front.request(`PATCH /v1/nodes/${uuid}`, {
        body: [
          value === null ? { op: 'remove', path: '/instance_uuid' } : { op: 'add', path: '/instance_uuid', value },
        ],
      });
    expect((await patch(instance)).status).toBe(200);
    expect((await patch(null)).status).toBe(200);
    expect(await publish()).toMatchObject([
      { type: 'node.instance', after: { instance_uuid: instance }, instance_uuid: instance },
      { type: 'node.instance', after: { instance_uuid: null }, instance_uuid: instance },
    ]);
  });

  it('tells of VIFs that were attached and detached, and to what', async () => {
    const { uuid } = await front.store({ network_interface: 'flat' });
    const port = await front.request('POST /v1/ports', { body: { node_uuid: uuid, address: '52:54:00:00:00:01' } });
    const vif = { id: 'v1', port_uuid: (port.body as { uuid: string }).uuid, portgroup_uuid: null };
    await publish();
    await front.request(`POST /v1/nodes/${uuid}/vifs`, { body: { id: 'v1', binding: 'more' } });
    await front.request(`POST /v1/nodes/${uuid}/vifs`, { body: { id: 'v1' } });
    await front.request(`DELETE /v1/nodes/${uuid}/vifs/v1`);
    expect((await publish()).map(essence)).toEqual([
      { type: 'node.vifs', before: { vifs: [] }, after: { vifs: [vif] } },
      { type: 'node.vifs', before: { vifs: [vif] }, after: { vifs: [] } },
    ]);
  });

  it('is one of several that one change is worth', async () => {
    const { uuid } = await front.store({ provision_state: 'cleaning' });
    await publish();
    await change(uuid, { provision_state: 'clean failed', maintenance: true, fault: 'clean failure' });
    const told = await publish();
    expect(told.map(({ type }) => type)).toEqual(['node.provision_state', 'node.maintenance']);
    expect(new Set(told.map(({ sequence }) => sequence)).size).toBe(1);
    expect(new Set(told.map(({ id }) => id)).size).toBe(2);
  });
});

describe('no event', () => {
  it('is due for what nobody is told of', async () => {
    const { uuid } = await front.store();
    await publish();
    await front.request(`PATCH /v1/nodes/${uuid}`, { body: [{ op: 'add', path: '/extra/a', value: 1 }] });
    await change(uuid, { last_error: 'what a BMC said', generation: 7 });
    expect(records).toHaveLength(2);
    expect(await publish()).toEqual([]);
  });

  it('is due for a fleet of the first version that is brought into the form of this one', async () => {
    const { table } = createMemoryPlatform();
    const items = readItems();
    for (const item of items) await table.write([{ put: item }]);
    const upgraded = follow(table);
    while (!(await upgradeTable({ table, clock: createVirtualClock() }, { grace: 0 })));
    const nodes = items.filter(({ sk }) => sk === 'node');
    expect(nodes.length).toBeGreaterThan(3);
    expect(upgraded.length).toBeGreaterThanOrEqual(nodes.length);
    expect(await app({ Records: upgraded })).toEqual({ batchItemFailures: [] });
    expect(events.published).toEqual([]);
  });
});

describe('what is secret', () => {
  it('is not even looked at: only what the rows name is read of an item', async () => {
    const { uuid } = await front.store();
    const seen = new Set<string>();
    const key = { pk: `node#${uuid}`, sk: 'node' };
    const item = (await front.platform.table.get(key))!;
    const { dynamodb } = feedRecord(key, item, { ...item, provision_state: 'deploying', revision: 2 });
    const watch = (image: object) =>
      new Proxy(image, { get: (target, name) => (seen.add(String(name)), Reflect.get(target, name) as unknown) });
    const { OldImage, NewImage } = dynamodb;
    await app({
      Records: [{ dynamodb: { ...dynamodb, OldImage: watch(OldImage!), NewImage: watch(NewImage!) } as never }],
    });
    expect(events.published).toHaveLength(1);
    expect(seen).toContain('provision_state');
    for (const name of ['driver_info', 'driver_internal_info', 'last_error', 'agent_token_sha256', 'extra', 'name']) {
      expect(seen).not.toContain(name);
    }
  });
});

describe('the events of a node', () => {
  it('sort by their sequence, also when it is removed and made anew under its UUID', async () => {
    const uuid = '22222222-2222-4222-8222-222222222222';
    for (let round = 0; round < 2; round += 1) {
      await front.request('POST /v1/nodes', { body: { driver: 'fake-hardware', uuid } });
      for (let count = 0; count < 10; count += 1) await change(uuid, { power_state: count % 2 ? null : 'power on' });
      await front.request(`DELETE /v1/nodes/${uuid}`);
    }
    const told = await publish();
    expect(told).toHaveLength(24);
    const sequences = told.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...sequences].sort());
    expect(new Set(told.map(({ id }) => id)).size).toBe(24);
  });

  it('are the same when they are told again', async () => {
    const { uuid } = await front.store();
    await change(uuid, { power_state: 'power on' });
    await app({ Records: records });
    await app({ Records: records });
    const ids = events.published.map(({ detail }) => (detail as EventDetail).id);
    expect(ids.slice(2)).toEqual(ids.slice(0, 2));
    expect(events.published.slice(2)).toEqual(events.published.slice(0, 2));
  });
});

describe('a batch', () => {
  const twoNodes = async () => {
    const [one, two] = [await front.store(), await front.store()];
    for (const state of ['power on', null] as const) {
      for (const { uuid } of [one, two]) await change(uuid, { power_state: state });
    }
    return [one, two] as const;
  };

  it('goes on, after a refusal, where the change stands that could not be published', async () => {
    const [, two] = await twoNodes();
    events.refuse = ({ key, type }) => key === two.uuid && type === 'node.power_state';
    const answer = await app({ Records: records });
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '4' }] });
    events.refuse = undefined;
    const { batchItemFailures } = await app({ Records: records.slice(3) });
    expect(batchItemFailures).toEqual([]);
    const types = events.published.map(({ key, type }) => `${key === two.uuid ? 'two' : 'one'} ${type}`);
    expect(types).toEqual([
      'one node.create',
      'two node.create',
      'one node.power_state',
      'two node.power_state',
      'one node.power_state',
      'two node.power_state',
    ]);
  });

  it('comes again as a whole when something else goes wrong', async () => {
    await twoNodes();
    const broken = create({ events: { publish: async () => Promise.reject(new TypeError('no')) }, log });
    await expect(broken({ Records: records })).rejects.toThrow('no');
  });

  it('leaves out a change that nobody will ever be able to read, says which, and does not wait for it', async () => {
    await twoNodes();
    const { dynamodb } = records[2]!;
    records[2] = {
      dynamodb: { ...dynamodb, NewImage: { ...dynamodb.NewImage, power_state: { SS: ['secret'] } } },
    } as never;
    expect(await app({ Records: records })).toEqual({ batchItemFailures: [] });
    expect(events.published).toHaveLength(5);
    expect(log.lines).toMatchObject([{ level: 'error', fields: { change: '3' } }]);
    expect(`${JSON.stringify(log.lines)} ${String(log.lines[0]!.fields['error'])}`).not.toContain('secret');
  });
});
