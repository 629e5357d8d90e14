/** Plans carried out against the real API: written once, told the next time, and never written over. */
import { beforeEach, describe, expect, it } from 'vitest';

import { Unavailable } from '../../../layers/domain/fault.ts';
import { type Entry, planNovaBm } from '../../../migrate/nova-bm/plan.ts';
import { createReport } from '../../../migrate/nova-bm/report.ts';
import { tables } from '../../../migrate/nova-bm/tables.ts';
import { writePlan } from '../../../migrate/nova-bm/write.ts';
import type { Service } from '../../../migrate/service.ts';
import { openSource } from '../../../migrate/sources/open.ts';
import { createTarget } from '../../../migrate/target.ts';
import { createFront } from '../../functions/baremetal-api/front.ts';
import { expected, fixtures, type Planned } from './planned.ts';

let front: ReturnType<typeof createFront>;
/** What was sent, and how the API is reached. */
let requests: number;
let service: Service;
let slept: number[];

beforeEach(() => {
  front = createFront();
  requests = 0;
  slept = [];
  service = async (method, path, { body } = {}) => {
    requests += 1;
    return front.request(`${method} ${path}`, { body });
  };
});

const target = (dry_run = false) => {
  const all = createTarget(
    async (...asked) => service(...asked),
    async (ms) => slept.push(ms),
  );
  return dry_run ? { ...all, write: all.foresee } : all;
};

/** Moves the sample; its text is that of the report. */
const move = async (dry_run = false): Promise<{ report: Planned; text: string }> => {
  const source = await openSource(`${fixtures}nova_bm_juno.mysql.sql`, {}, tables);
  let text = '';
  const report = createReport({ input: 'sample' }, (piece) => {
    text += piece;
  });
  const plan: AsyncIterable<Entry> = planNovaBm(source, { driver: 'redfish', node_arch: 'x86_64' });
  for await (const entry of writePlan(plan, target(dry_run))) report.add(entry);
  report.end();
  await source.close();
  return { report: JSON.parse(text) as Planned, text };
};

const show = async (path: string) => (await front.request(`GET /v1/${path}`)).body;
const first = '00000001-bae0-4000-8000-000000000001';

describe('the sample of a nova_bm', () => {
  it('is there afterwards, with its states and instances, and fenced where it has one', async () => {
    const { report } = await move();
    expect(report.summary).toEqual(expected.summary);
    expect(await show(`nodes/${first}`)).toMatchObject({
      driver: 'redfish',
      driver_info: { redfish_address: '192.0.2.11', redfish_username: 'admin', redfish_password: '******' },
      provision_state: 'active',
      power_state: 'power on',
      instance_uuid: '00000001-1257-4a00-9000-000000000001',
      instance_info: { display_name: 'web-01', root_gb: '40', swap_mb: '1' },
      extra: { nova_bm: { id: 1, service_host: 'bm-host-2', task_state: 'active' } },
      created_at: '2014-06-01T08:00:01+00:00',
    });
    const { error } = await front.request(`PUT /v1/nodes/${first}/states/power`, { body: { target: 'power off' } });
    expect(error).toContain('takeover_pending');
    expect((await show('nodes')).nodes).toHaveLength(10);
    const { ports } = await show('ports/detail');
    expect(ports.map(({ uuid }: { uuid: string }) => uuid).sort()).toEqual(
      expected.ports.map(({ uuid }) => uuid as string).sort(),
    );
  });

  it('can be looked at first: what would be imported, what is here, and what is in the way', async () => {
    expect((await move(true)).report.summary).toEqual(expected.summary);
    expect((await show('nodes')).nodes).toEqual([]);
    await move();
    await front.request(`PATCH /v1/nodes/${first}`, { body: [{ op: 'add', path: '/extra/mine', value: 'x' }] });
    const { report } = await move(true);
    expect(report.summary).toMatchObject({ nodes_imported: 0, nodes_skipped: 10, nodes_rejected: 6 });
    expect(report.rejected.find(({ id }) => id === 1)).toMatchObject({ reason: 'conflict' });
  });

  it('is fenced where the report says that a takeover is pending, and nowhere else', async () => {
    const { report } = await move();
    const refusals = await Promise.all(
      report.nodes.map(async ({ uuid }) =>
        front.request(`PUT /v1/nodes/${String(uuid)}/states/power`, { body: { target: 'power off' } }),
      ),
    );
    const fenced = refusals.map(({ error }) => error.includes('takeover_pending'));
    expect(fenced).toEqual(report.nodes.map(({ takeover_pending: pending }) => pending));
    // Among them those whose instance has failed.
    expect(fenced.filter(Boolean)).toHaveLength(4);
  });

  it('changes nothing the second time, and says so', async () => {
    await move();
    const before = await show('nodes?fields=uuid,updated_at');
    const { report } = await move();
    expect(report.summary).toMatchObject({
      nodes_read: 16,
      nodes_imported: 0,
      nodes_skipped: 11,
      nodes_rejected: 5,
      ports_imported: 0,
      interfaces_skipped: 10,
    });
    expect(report.nodes).toEqual([]);
    expect(report.skipped).toContainEqual({ table: 'bm_nodes', id: 1, reason: 'identical', uuid: first });
    expect(await show('nodes?fields=uuid,updated_at')).toEqual(before);
  });

  it('is told where there is another record, which stays, and what belongs to it is not moved', async () => {
    const other = { uuid: first, driver: 'fake-hardware', provision_state: 'available', extra: { mine: true } };
    await front.request('POST /v1/imports', { body: { records: [{ kind: 'node', record: other }] } });
    const { report } = await move();
    expect(report.rejected.filter(({ reason }) => reason === 'conflict')).toMatchObject([{ table: 'bm_nodes', id: 1 }]);
    expect(report.rejected).toContainEqual({
      table: 'bm_interfaces',
      id: 1,
      reason: 'parent-not-imported',
      detail: 'bm_nodes id 1 was not imported',
    });
    expect(report.summary).toMatchObject({ nodes_imported: 9, ports_imported: 7 });
    expect(await show(`nodes/${first}`)).toMatchObject({ extra: { mine: true }, driver: 'fake-hardware' });
  });

  it('has no password in its report', async () => {
    const { text } = await move();
    expect(text).toContain('"redfish_password":"******"');
    expect(text).not.toContain('s3cret');
  });
});

describe('an API that does not answer at once', () => {
  it('is asked again, also when the answer was lost', async () => {
    const real = service;
    service = async (...asked) => {
      const reply = await real(...asked);
      if (requests === 1) throw Unavailable('lost');
      return requests === 2 ? { status: 503, body: undefined } : reply;
    };
    const { report } = await move();
    // The first of them had written all.
    expect(report.summary).toMatchObject({ nodes_imported: 0, nodes_skipped: 11, ports_imported: 9 });
    expect(slept).toEqual([1000, 2000]);
  });

  it('ends it after two minutes, and the next run goes on', async () => {
    const real = service;
    service = async () => ({ status: 503, body: { error_message: { faultstring: 'in maintenance' } } });
    await expect(move()).rejects.toThrow('answered an import with 503: in maintenance');
    expect(slept.reduce((sum, ms) => sum + ms)).toBe(120_000);
    service = real;
    expect((await move()).report.summary).toMatchObject({ nodes_imported: 10, ports_imported: 9 });
  });

  it('ends it at once if there is no such operation', async () => {
    service = async () => ({ status: 404, body: { error_message: '{"faultstring": "no such route"}' } });
    await expect(move()).rejects.toThrow('answered an import with 404: no such route');
    expect(slept).toEqual([]);
  });

  it.each([400, 413])('rejects the one record that no request holds (%i), and the others go on', async (status) => {
    const real = service;
    service = async (method, path, asking) => {
      const records = (asking?.body as { records: { record: { uuid: string } }[] } | undefined)?.records ?? [];
      if (records.every(({ record }) => record.uuid !== first)) return real(method, path, asking);
      return { status, body: { error_message: '{"faultstring": "it is too much"}' } };
    };
    const { report } = await move();
    const detail = `no request takes this record, which was answered with ${status}: it is too much`;
    expect(report.rejected).toContainEqual({ table: 'bm_nodes', id: 1, reason: 'refused', detail });
    expect(report.rejected.filter(({ reason }) => reason === 'parent-not-imported')).not.toEqual([]);
    expect(report.summary).toMatchObject({ nodes_imported: 9, ports_imported: 7 });
  });
});

describe('a run that ends anywhere', () => {
  it('is finished by the next one', async () => {
    const source = await openSource(`${fixtures}nova_bm_juno.mysql.sql`, {}, tables);
    for await (const entry of writePlan(planNovaBm(source, { driver: 'redfish', node_arch: 'x86_64' }), target())) {
      if (entry.is === 'node') break;
    }
    await source.close();
    const { report } = await move();
    expect(report.summary).toMatchObject({ nodes_imported: 0, nodes_skipped: 11, ports_imported: 9 });
  });
});
