/** What comes with a node and is no record: history, inventory, configdrive; and what only is asked. */
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';

import { createFront } from '../front.ts';

const node = '11111111-0000-4000-8000-000000000001';
const times = { created_at: '2024-06-01T08:00:01+00:00', updated_at: null };
const aNode = (more: object = {}) => ({
  kind: 'node',
  record: {
    uuid: node,
    name: 'web-1',
    driver: 'redfish',
    driver_info: { redfish_password: 'canary-1' },
    provision_state: 'active',
    instance_uuid: '99999999-0000-4000-8000-000000000001',
    ...times,
    ...more,
  },
});
const anEntry = (more: object = {}) => ({
  kind: 'history',
  record: {
    node_uuid: node,
    uuid: 'aaaaaaaa-0000-4000-8000-000000000001',
    created_at: '2024-06-02T10:00:00+00:00',
    severity: 'ERROR',
    event_type: 'deploying',
    event: 'Timeout reached',
    user: 'fred',
    ...more,
  },
});
const anInventory = (more: object = {}) => ({
  kind: 'inventory',
  record: {
    node_uuid: node,
    inventory: { cpu: { count: 8, frequency: 2400.5 } },
    plugin_data: { root_disk: null },
    ...more,
  },
});

let front: ReturnType<typeof createFront>;
const outcomes = async (records: readonly object[], more: object = {}): Promise<Record<string, unknown>[]> => {
  const { status, body, error } = await front.request('POST /v1/imports', { body: { records, ...more } });
  expect([status, error]).toEqual([200, '']);
  return body.results;
};
const words = async (...records: readonly object[]) => (await outcomes(records)).map(({ outcome }) => outcome);
const show = async (path: string) => front.request(`GET /v1/${path}`);

beforeEach(() => {
  front = createFront();
});

describe('an entry of a history', () => {
  /** Without what the import itself tells: the times of tests are no times. */
  const read = async () => {
    const { body } = await show(`nodes/${node}/history?detail=true`);
    return (body.history as Record<string, unknown>[]).filter((one) => one['event_type'] !== 'import');
  };

  it('is kept with its time, in the order of it, and comes twice as once', async () => {
    const later = anEntry({ uuid: 'aaaaaaaa-0000-4000-8000-000000000002', created_at: '2024-06-03T10:00:00+00:00' });
    expect(await words(later, anEntry(), aNode())).toEqual(['created', 'created', 'created']);
    expect(await words(anEntry(), later)).toEqual(['unchanged', 'unchanged']);
    const [first, second] = await read();
    expect(first).toMatchObject({
      created_at: '2024-06-02T10:00:00+00:00',
      severity: 'ERROR',
      event_type: 'deploying',
      event: 'Timeout reached',
      user: 'fred',
      project: null,
      state: null,
      duration_seconds: null,
    });
    expect(second).toMatchObject({ created_at: '2024-06-03T10:00:00+00:00' });
    expect((await show(`nodes/${node}/history/${String(first!['uuid'])}`)).body).toMatchObject({
      event: 'Timeout reached',
    });
  });

  it('is not written over, and has to have a node', async () => {
    expect(await words(anEntry())).toEqual(['refused']);
    await words(aNode(), anEntry());
    expect(await outcomes([anEntry({ event: 'other' })])).toMatchObject([
      { outcome: 'conflict', reason: expect.stringContaining('is here with another content') as string },
    ]);
    expect((await read())[0]).toMatchObject({ event: 'Timeout reached' });
  });
});

describe('an inventory', () => {
  it('is what the node shows, and is not written over', async () => {
    expect(await words(anInventory())).toEqual(['refused']);
    expect(await words(aNode(), anInventory())).toEqual(['created', 'created']);
    expect((await show(`nodes/${node}/inventory`)).body).toEqual({
      inventory: { cpu: { count: 8, frequency: 2400.5 } },
      plugin_data: { root_disk: null },
    });
    expect(await words(anInventory(), anInventory({ inventory: {} }))).toEqual(['unchanged', 'conflict']);
  });
});

describe('a configdrive', () => {
  const configdrive = gzipSync('an image').toString('base64');
  const withDrive = (drive: unknown) => aNode({ instance_info: { configdrive: drive, root_gb: '40' } });

  it('is stored as an object, shown as ******, and comes twice as once', async () => {
    expect(await words(withDrive(configdrive))).toEqual(['created']);
    expect((await show(`nodes/${node}`)).body.instance_info).toEqual({ configdrive: '******', root_gb: '40' });
    const item = await front.platform.table.get({ pk: `node#${node}`, sk: 'instance_info' });
    const reference = (item!['values'] as Record<string, string>)['configdrive']!;
    const stored = await front.platform.objects.get(reference.replace(/^object:/, ''));
    expect(Buffer.from(stored!).toString()).toBe(configdrive);
    expect(await words(withDrive(configdrive))).toEqual(['unchanged']);
    expect(await words(withDrive(gzipSync('another').toString('base64')))).toEqual(['conflict']);
  });

  it('is not read again, and no credential sealed, for a node that is here', async () => {
    await words(withDrive(configdrive));
    const did: string[] = [];
    const { sealer, objects } = front.platform;
    const { seal } = sealer;
    Object.assign(sealer, { seal: async (...all: Parameters<typeof seal>) => (did.push('seal'), seal(...all)) });
    const { put } = objects;
    Object.assign(objects, { put: async (...all: Parameters<typeof put>) => (did.push('put'), put(...all)) });
    // To read it would be to refuse it.
    expect(await words(withDrive(configdrive), withDrive('AAAA'))).toEqual(['unchanged', 'conflict']);
    expect(did).toEqual([]);
  });

  it('that is a URL stays one', async () => {
    await words(withDrive('https://files.test/drive'));
    expect(await words(withDrive('https://files.test/drive'), withDrive('https://files.test/other'))).toEqual([
      'unchanged',
      'conflict',
    ]);
  });
});

describe('what is only asked', () => {
  it('is told as it would become, and nothing is written', async () => {
    const dry = { dry_run: true };
    expect((await outcomes([aNode(), anEntry(), anInventory()], dry)).map(({ outcome }) => outcome)).toEqual([
      'created',
      'created',
      'created',
    ]);
    expect((await show('nodes')).body.nodes).toEqual([]);
    await words(aNode());
    const other = aNode({ uuid: node.replace(/1$/, '2') });
    const bad = aNode({ uuid: node.replace(/1$/, '3'), driver: 'snmp' });
    expect(await outcomes([aNode(), other, bad, aNode({ description: 'x' })], dry)).toMatchObject([
      { outcome: 'unchanged' },
      { outcome: 'conflict', fields: ['name', 'instance_uuid'] },
      { outcome: 'refused', reason: expect.stringContaining('No conductor supports driver "snmp"') as string },
      { outcome: 'conflict', fields: ['description'] },
    ]);
    expect((await show('nodes')).body.nodes).toHaveLength(1);
  });
});
