import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createBmcRecords, readLedger, verifyLedger } from '../../../layers/store/bmc-records.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { companions } from '../../../layers/store/kinds/companions.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import { keyOf } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { createRecord } from '../../../layers/store/records/change.ts';

const uuid = '11111111-1111-4111-8111-111111111111';
const power = { op: 'power.ensure', op_id: 'run-1/PowerOff' };
const boot = { op: 'boot.ensure', op_id: 'run-1/SetBootDevice' };

const aNode = (more: Partial<StoredNode> = {}): StoredNode =>
  ({
    uuid,
    name: 'm1',
    driver: 'redfish',
    driver_info: { redfish_address: '10.1.0.7', redfish_password: '******' },
    driver_internal_info: {
      agent_url: 'https://10.1.0.9:9999',
      agent_secret_token: '******',
      user_deploy_steps: [{ interface: 'raid', step: 'a', args: { password: 'SECRET' } }],
    },
    instance_info: { image_source: 'https://images/demo.raw', configdrive: 'object:configdrives/x' },
    properties: {},
    provision_state: 'available',
    target_provision_state: null,
    reservation: 'run-1',
    generation: 3,
    revision: 1,
    run: 'run-1',
    run_workflow: 'deploy',
    agent_token_sha256: 'f'.repeat(64),
    position: '01',
    created_at: '2026-01-01T00:00:00+00:00',
    ...more,
  }) as StoredNode;

const store = async () => {
  const platform = createMemoryPlatform();
  await createRecord(platform, kinds.node, aNode(), () => ({
    also: [companions.secret.put(uuid, { values: { redfish_password: 'sealed' }, revision: 1 })],
  }));
  const port = newRecord(platform, kinds.port, { uuid: 'p1', address: '52:54:00:00:00:01', node_uuid: uuid });
  await createRecord(platform, kinds.port, port);
  return { ...platform, records: createBmcRecords(platform) };
};

describe('read', () => {
  it('gives what the proxy needs to know about a machine', async () => {
    const { records } = await store();
    expect(await records.read(uuid)).toMatchObject({
      uuid,
      driver: 'redfish',
      generation: 3,
      driver_info: { redfish_address: '10.1.0.7', redfish_password: '******' },
      sealed: { redfish_password: 'sealed' },
      agent_url: 'https://10.1.0.9:9999',
      agent_verify_ca: null,
      ports: [{ uuid: 'p1', address: '52:54:00:00:00:01', pxe_enabled: true }],
    });
  });

  it('gives the node as the agent may see it: fields only, no secrets, no configdrive', async () => {
    const { records } = await store();
    const { node, ports } = await records.read(uuid);
    expect(node).toMatchObject({
      uuid,
      driver_info: { redfish_password: '******' },
      driver_internal_info: { agent_url: 'https://10.1.0.9:9999', agent_secret_token: '******' },
      instance_info: { image_source: 'https://images/demo.raw', configdrive: '******' },
    });
    expect(JSON.stringify(node)).not.toContain('SECRET');
    for (const kept of ['pk', 'revision', 'generation', 'run', 'agent_token_sha256', 'list', 'links']) {
      expect(node).not.toHaveProperty(kept);
    }
    expect(ports[0]).not.toHaveProperty('list');
  });

  it('says when there is no such node', async () => {
    const { records } = await store();
    await expect(records.read('other')).rejects.toMatchObject({ name: 'NotFound' });
  });
});

describe('an entry', () => {
  it('tells what was sent, when, how often, and how it ended', async () => {
    const { records, clock } = await store();
    expect(await records.entry(uuid, power.op_id)).toBeUndefined();
    const first = await records.record(uuid, power, { state: 'sent', what: 'ForceOff', generation: 3 }, undefined);
    const refused = await records.record(uuid, power, { state: 'refused', outcome: 'BmcBusy' }, first);
    expect(refused).toMatchObject({ state: 'refused', outcome: 'BmcBusy', sends: 0, what: 'ForceOff' });
    await clock.sleep(5000);
    const again = await records.record(uuid, power, { state: 'sent', what: 'ForceOff', generation: 3 }, refused);
    const accepted = await records.record(uuid, power, { state: 'accepted', monitor: '/redfish/v1/T/1' }, again);
    expect(accepted).toEqual({
      ...power,
      state: 'sent',
      sent_at: '2026-01-01T00:00:05.000+00:00',
      said: null,
      sends: 1,
      what: 'ForceOff',
      outcome: null,
      monitor: '/redfish/v1/T/1',
      version: 4,
    });
    await records.record(uuid, power, { state: 'done' }, accepted);
    expect(await records.entry(uuid, power.op_id)).toMatchObject({ state: 'done', sends: 1, version: 5 });
  });

  it('forgets the monitor of an earlier try', async () => {
    const { records } = await store();
    const sent = { state: 'sent', what: 'ForceOff', generation: 3 } as const;
    let entry = await records.record(uuid, power, sent, undefined);
    entry = await records.record(uuid, power, { state: 'accepted', monitor: '/redfish/v1/T/1' }, entry);
    entry = await records.record(uuid, power, sent, entry);
    expect(entry.monitor).toBeNull();
  });

  it('forgets what the machine said to an earlier try', async () => {
    const { records } = await store();
    const sent = { state: 'sent', what: 'ForceOff', generation: 3 } as const;
    let entry = await records.record(uuid, power, sent, undefined);
    entry = await records.record(
      uuid,
      power,
      { state: 'unclear', outcome: 'BmcUnreachable', said: 'Fan 3 has failed.' },
      entry,
    );
    expect(entry.said).toBe('Fan 3 has failed.');
    entry = await records.record(uuid, power, sent, entry);
    expect(entry.said).toBeNull();
  });

  it('is written by one of those who saw the same', async () => {
    const { records } = await store();
    const tries = Array.from({ length: 20 }, async () =>
      records.record(uuid, power, { state: 'sent', what: 'ForceOff', generation: 3 }, undefined),
    );
    const outcomes = await Promise.allSettled(tries);
    const lost = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(lost.length).toBe(19);
    expect(lost.every(({ reason }) => (reason as Error).name === 'BmcBusy')).toBe(true);
  });

  it('is not sent for a node that has a newer generation', async () => {
    const { records, table } = await store();
    await table.write([{ update: keyOf(kinds.node, uuid), set: { generation: 4 } }]);
    const late = records.record(uuid, power, { state: 'sent', what: 'ForceOff', generation: 3 }, undefined);
    await expect(late).rejects.toMatchObject({ name: 'StaleGeneration' });
    expect(await readLedger(table, uuid)).toEqual([]);
  });
});

describe('the ledger', () => {
  it('stays one chain when commands are recorded at the same time', async () => {
    const { records, table, clock } = await store();
    await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const operation = at % 2 ? { ...power, op_id: `p${at}` } : { ...boot, op_id: `b${at}` };
        const sent = await records.record(uuid, operation, { state: 'sent', what: 'x', generation: 3 }, undefined);
        await records.record(uuid, operation, { state: 'done' }, sent);
      }),
    );
    const rows = await readLedger(table, uuid);
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 24 }, (_, at) => at + 1));
    expect(await verifyLedger(table, uuid, clock.now())).toEqual({ rows });
  });

  it('shows every change, wherever it is made', async () => {
    const { records, table, clock } = await store();
    let entry = await records.record(uuid, power, { state: 'sent', what: 'ForceOff', generation: 3 }, undefined);
    entry = await records.record(uuid, power, { state: 'accepted', monitor: '/redfish/v1/T/1' }, entry);
    await records.record(uuid, power, { state: 'done' }, entry);
    const rows = await readLedger(table, uuid);
    const seen = async (shown: readonly object[]) => {
      const query = async () => [{ pk: '', sk: '', rows: shown }];
      return (await verifyLedger({ get: table.get, query }, uuid, clock.now())).broken;
    };
    expect(await seen(rows)).toBeUndefined();
    expect(await seen(rows.slice(1))).toEqual({ row: 1, why: 'a row before it is missing.' });
    expect(await seen([rows[0]!, rows[2]!])).toMatchObject({ row: 2 });
    expect(await seen(rows.slice(0, 2))).toMatchObject({ row: 3, why: expect.stringContaining('3 rows were written') });
    expect(await seen([])).toMatchObject({ row: 1 });
    const names = fc.constantFrom('previous', 'at', 'op', 'op_id', 'state', 'what', 'generation', 'hash');
    await fc.assert(
      fc.asyncProperty(fc.nat(2), names, fc.string(), async (at, name, value) => {
        const changed = rows.map((row, index) => (index === at ? { ...row, [name]: `changed ${value}` } : row));
        expect((await seen(changed))?.row).toBeLessThanOrEqual(at + 2);
      }),
    );
  });

  it('forgets commands with the history, and shows what is gone before its time', async () => {
    const { records, table, clock } = await store();
    const day = 24 * 3600 * 1000;
    const send = async (op_id: string) =>
      records.record(uuid, { ...power, op_id }, { state: 'sent', what: 'x', generation: 3 }, undefined);
    const verdict = async () => verifyLedger(table, uuid, clock.now());
    // The first command is told of again when the second is over: it is kept longer than that.
    const first = await send('a');
    await send('b');
    clock.advance(10 * day);
    await records.record(uuid, { ...power, op_id: 'a' }, { state: 'done' }, first);
    clock.advance(85 * day);
    await send('c');
    const left = await verdict();
    expect([left.rows.map(({ seq }) => seq), left.broken]).toEqual([[1, 3, 4], undefined]);
    clock.advance(6 * day);
    expect((await verdict()).rows.map(({ seq }) => seq)).toEqual([4]);
    expect((await verdict()).broken).toBeUndefined();
    await send('d');
    await table.write([{ delete: companions.command.key(uuid, 'c') }]);
    expect((await verdict()).broken).toEqual({ row: 1, why: 'a row before it is missing.' });
    await table.write([{ delete: companions.command.key(uuid, 'd') }]);
    expect((await verdict()).broken).toMatchObject({ row: 1, why: expect.stringContaining('5 rows were written') });
    clock.advance(91 * day);
    expect(await verdict()).toEqual({ rows: [] });
  });
});
