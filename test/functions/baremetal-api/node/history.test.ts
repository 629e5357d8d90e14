/** /v1/nodes/{ident}/history (ironic-api.md 2.1). */
import { beforeEach, describe, expect, it } from 'vitest';

import { eventWrite, type NodeEvent } from '../../../../layers/store/events.ts';
import { companions } from '../../../../layers/store/kinds/companions.ts';
import { kinds } from '../../../../layers/store/kinds/kinds.ts';
import { readRecord } from '../../../../layers/store/records/find.ts';
import { createFront } from '../front.ts';

type Entry = { uuid: string; event: string; severity: string; [field: string]: unknown };

let front: ReturnType<typeof createFront>;
let node: string;

const happen = async (message: string, more: Partial<NodeEvent> = {}) => {
  const { table, ids, clock } = front.platform;
  const event: NodeEvent = { kind: 'phase end', severity: 'INFO', event_type: 'deploying', message, ...more };
  clock.advance(1000);
  const at = new Date(clock.now()).toISOString().replace('Z', '+00:00');
  await table.write([eventWrite((await readRecord(table, kinds.node, node))!, event, at, ids)]);
};
const history = async (query = '', version = 'latest') => {
  const { status, body, error } = await front.request(`GET /v1/nodes/n1/history${query}`, { version });
  return { status, error, next: body.next as string | undefined, entries: (body.history ?? []) as Entry[] };
};
const told = async (query: string) => (await history(query)).entries.map(({ event }) => event);

beforeEach(async () => {
  front = createFront({ INGOT_SITE: 'metal-1' });
  node = (await front.enrol({ name: 'n1' })).uuid;
  // It tells who enrolled it (told.test.ts); these tests begin with an empty one.
  const { table } = front.platform;
  const enrolled = await table.query(companions.event.all(node));
  await table.write(enrolled.map(({ pk, sk }) => ({ delete: { pk, sk } })));
});

it('is there from 1.78', async () => {
  await happen('x');
  const [entry] = (await history()).entries;
  for (const path of ['history', `history/${entry!.uuid}`]) {
    expect((await front.request(`GET /v1/nodes/n1/${path}`, { version: '1.77' })).status).toBe(404);
    expect((await front.request(`GET /v1/nodes/n1/${path}`, { version: '1.78' })).status).toBe(200);
    expect((await front.request(`POST /v1/nodes/n1/${path}`, { body: {} })).status).toBe(405);
  }
});

it('is empty for a node of which it tells nothing', async () => {
  expect(await history()).toMatchObject({ status: 200, entries: [], next: undefined });
});

it('tells briefly in a list, with messages cut to 255 characters, and whole with detail and alone', async () => {
  const message = 'x'.repeat(300);
  await happen(message, { severity: 'ERROR', kind: 'error', user: 'u', project: 'p', duration_seconds: 1.5 });
  const [brief] = (await history()).entries;
  const links = ['/v1/nodes', '/nodes'].map((path, at) => ({
    href: `http://metal.test${path}/${node}/history/${brief!.uuid}`,
    rel: ['self', 'bookmark'][at],
  }));
  const common = { uuid: brief!.uuid, created_at: '2026-01-01T00:00:01.000+00:00', severity: 'ERROR', links };
  expect(brief).toEqual({ ...common, event: 'x'.repeat(255) });
  const whole = {
    ...common,
    event: message,
    event_type: 'deploying',
    conductor: 'metal-1',
    user: 'u',
    project: 'p',
    state: 'enroll',
    target_provision_state: null,
    duration_seconds: 1.5,
  };
  expect((await history('?detail=True')).entries).toEqual([whole]);
  expect((await front.request(`GET /v1/nodes/n1/history/${brief!.uuid.toUpperCase()}`)).body).toEqual(whole);
});

it.each([
  ['project', 113],
  ['state', 115],
  ['target_provision_state', 115],
  ['duration_seconds', 115],
])('shows %s from 1.%i', async (field, since) => {
  await happen('x');
  const at = async (version: number) => Object.keys((await history('?detail=true', `1.${version}`)).entries[0]!);
  expect(await at(since - 1)).not.toContain(field);
  expect(await at(since)).toContain(field);
});

it('tells what was asked for, by whom and with which outcome', async () => {
  const subject = { user: 'u', project: 'p', roles: 'admin', scope: 'system' };
  await front.request('PUT /v1/nodes/n1/maintenance', { body: { reason: 'broken fan' }, subject });
  await front.request('PUT /v1/nodes/n1/states/provision', { body: { target: 'manage' }, subject });
  await front.request('DELETE /v1/nodes/n1/maintenance');
  const { entries } = await history('?detail=true');
  expect(entries).toMatchObject([
    { event: 'Maintenance was set: broken fan.', event_type: 'maintenance', user: 'u', project: 'p', state: 'enroll' },
    { event_type: 'provisioning', user: 'u', project: 'p', state: 'verifying', target_provision_state: 'manageable' },
  ]);
});

describe('comes', () => {
  beforeEach(async () => {
    for (const letter of ['c', 'a', 'd', 'b', 'e']) {
      await happen(letter, { severity: letter < 'c' ? 'ERROR' : 'INFO', ...(letter === 'd' && { user: 'u' }) });
    }
  });

  it('in order of time, or sorted by a field', async () => {
    expect(await told('')).toEqual(['c', 'a', 'd', 'b', 'e']);
    expect(await told('?sort_key=created_at&sort_dir=desc')).toEqual(['e', 'b', 'd', 'a', 'c']);
    expect(await told('?sort_key=event')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await told('?sort_key=severity')).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it.each(['', '&sort_dir=desc', '&sort_key=event&sort_dir=desc'])('page by page%s', async (order) => {
    const seen: string[] = [];
    let query: string | undefined = `?limit=2${order}`;
    while (query !== undefined) {
      const { entries, next } = await history(query);
      seen.push(...entries.map(({ event }) => event));
      query = next?.slice(next.indexOf('?'));
    }
    expect(seen).toEqual(await told(`?limit=5${order}`));
    expect(seen).toHaveLength(5);
  });

  it('without what expired after 90 days', async () => {
    front.platform.clock.advance(90 * 24 * 3600 * 1000 - 2500);
    expect(await told('')).toEqual(['d', 'b', 'e']);
  });
});

it.each([
  ['/v1/nodes/n1/history?marker=11111111-1111-4111-8111-111111111111', 404],
  ['/v1/nodes/n1/history?marker=nope', 404],
  ['/v1/nodes/n1/history?limit=0', 400],
  ['/v1/nodes/n1/history?sort_dir=up', 400],
  ['/v1/nodes/n1/history?sort_key=conductor', 400],
  ['/v1/nodes/n1/history?sort_key=nope', 400],
  ['/v1/nodes/n1/history?detail=maybe', 400],
  ['/v1/nodes/n1/history?fields=event', 400],
  ['/v1/nodes/n1/history/nope', 400],
  ['/v1/nodes/n1/history/11111111-1111-4111-8111-111111111111', 404],
  ['/v1/nodes/nobody/history', 404],
])('answers %s with %i', async (line, status) => {
  expect((await front.request(`GET ${line}`)).status).toBe(status);
});

it('of another node is not found under this one, and goes with its node', async () => {
  await happen('x');
  const [entry] = (await history()).entries;
  const other = await front.enrol();
  expect((await front.request(`GET /v1/nodes/${other.uuid}/history/${entry!.uuid}`)).status).toBe(404);
  await front.request('DELETE /v1/nodes/n1');
  expect(front.platform.table.items().filter(({ pk, sk }) => pk === `node#${node}` && sk.startsWith('event#'))).toEqual(
    [],
  );
});

it('is for the owner, not for the lessee', async () => {
  await front.force(node, { owner: 'p1', lessee: 'p2' });
  const ask = async (project: string) => {
    const subject = { user: 'u', project, roles: 'reader', scope: 'project' };
    return (await front.request('GET /v1/nodes/n1/history', { subject })).status;
  };
  expect([await ask('p1'), await ask('p2'), await ask('p3')]).toEqual([200, 403, 404]);
});
