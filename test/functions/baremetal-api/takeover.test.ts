/** /v1/takeovers, and what may be asked for before one has succeeded (ADR 22). */
import { beforeEach, describe, expect, it } from 'vitest';

import { routes } from '../../../functions/baremetal-api/routes.ts';
import { noteTakeover } from '../../../layers/domain/baremetal/takeover.ts';
import { noNotes } from '../../../layers/domain/notes.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import { createFront } from './front.ts';

const at = isoTime(0);
const uuid = (one: number) => `11111111-0000-4000-8000-${String(one).padStart(12, '0')}`;
const moved = (one: number) => ({
  kind: 'node',
  record: {
    uuid: uuid(one),
    name: `n${one}`,
    driver: 'fake-hardware',
    provision_state: 'active',
    instance_uuid: uuid(1000 + one),
    maintenance: true,
  },
});

let front: ReturnType<typeof createFront>;
const moveIn = async (count: number) => {
  const records = Array.from({ length: count }, (_, one) => moved(one + 1));
  expect((await front.request('POST /v1/imports', { body: { records } })).status).toBe(200);
};
const takeOver = async (body: object = {}) => front.request('POST /v1/takeovers', { body });
const progress = async () => (await front.request('GET /v1/takeovers')).body;
const started = () => front.platform.workflows.started.filter(({ workflow }) => workflow === 'takeover');

beforeEach(() => {
  front = createFront();
});

describe('asking for takeovers', () => {
  it('begins with those that are pending, and a second request goes on with the others', async () => {
    await moveIn(5);
    const first = await takeOver({ limit: 3 });
    expect([first.status, first.body.started.length, first.body.refused]).toEqual([202, 3, []]);
    expect(await progress()).toEqual({
      counts: { pending: 2, running: 3, completed: 0, failed: 0, unconverted: 0 },
      failed: [],
    });
    const second = await takeOver();
    expect(new Set([...first.body.started, ...second.body.started])).toEqual(new Set([1, 2, 3, 4, 5].map(uuid)));
    expect((await takeOver()).body).toEqual({ started: [], refused: [] });
    expect(started()).toHaveLength(5);
  });

  it('begins with one that is named, and leaves a line of history with who asked', async () => {
    await moveIn(2);
    expect((await takeOver({ nodes: ['n2', uuid(2)] })).body.started).toContain(uuid(2));
    expect(started()).toMatchObject([{ input: { node: uuid(2) } }]);
    const { body } = await front.request('GET /v1/nodes/n2/history?detail=true');
    expect(body.history).toMatchObject([{ event_type: 'import' }, { event: 'Asked for takeover.', user: 'admin' }]);
    expect((await front.request('GET /v1/nodes/n2')).body.driver_internal_info.takeover.state).toBe('running');
  });

  it('says of each that cannot be begun with why', async () => {
    await moveIn(1);
    await front.enrol({ name: 'own' });
    const { body } = await takeOver({ nodes: ['own', 'nobody', 'n1'] });
    expect(body.started).toEqual([uuid(1)]);
    expect(body.refused.toSorted((a: { node: string }, b: { node: string }) => a.node.localeCompare(b.node))).toEqual([
      { node: 'nobody', reason: 'Node nobody could not be found.' },
      { node: 'own', reason: expect.stringContaining('needs no takeover') as string },
    ]);
    expect((await takeOver({ nodes: ['n1'] })).body.refused).toMatchObject([
      { reason: expect.stringContaining('locked') as string },
    ]);
  });

  it('comes back to those that failed when it is told to, and tells why they did', async () => {
    await moveIn(2);
    const failed = noteTakeover(noNotes, 'failed', at, 'The BMC refused the password.');
    await front.force(uuid(2), failed);
    expect(await progress()).toEqual({
      counts: { pending: 1, running: 0, completed: 0, failed: 1, unconverted: 0 },
      failed: [{ node_uuid: uuid(2), name: 'n2', since: at, reason: 'The BMC refused the password.' }],
    });
    expect((await takeOver({ states: ['failed'] })).body.started).toEqual([uuid(2)]);
    expect(await progress()).toMatchObject({ counts: { pending: 1, running: 1 }, failed: [] });
  });

  it('is for administrators; who reads the system sees how far it is', async () => {
    await moveIn(1);
    const as = (roles: string, scope = 'system') => ({ subject: { user: 'u', project: 'p', roles, scope } });
    const ask = async (line: string, who: object) =>
      (await front.request(line, { ...who, ...(line.startsWith('POST') && { body: {} }) })).status;
    expect(await ask('POST /v1/takeovers', as('member'))).toBe(403);
    expect(await ask('POST /v1/takeovers', as('admin', 'project'))).toBe(403);
    expect(await ask('GET /v1/takeovers', as('reader'))).toBe(200);
    expect(await ask('GET /v1/takeovers', as('admin', 'project'))).toBe(403);
    expect(started()).toEqual([]);
  });
});

describe('the fence', () => {
  const rows = routes.filter(({ at: line }) => line.includes('/nodes/{ident}') && !line.startsWith('GET'));
  const bodies: Readonly<Record<string, object>> = {
    'PUT /v1/nodes/{ident}/states/power': { target: 'power off' },
    'PUT /v1/nodes/{ident}/states/provision': { target: 'deleted' },
    'PUT /v1/nodes/{ident}/states/boot_mode': { target: 'bios' },
    'PUT /v1/nodes/{ident}/states/secure_boot': { target: true },
    'PUT /v1/nodes/{ident}/states/console': { enabled: true },
    'PUT /v1/nodes/{ident}/management/boot_device': { boot_device: 'pxe' },
    'PUT /v1/nodes/{ident}/management/indicators/{indicator}': { state: 'on' },
    'POST /v1/nodes/{ident}/vmedia': { device_type: 'cdrom', image_url: 'http://images.test/a.iso' },
    'POST /v1/nodes/{ident}/vifs': { id: 'v1' },
    'PUT /v1/nodes/{ident}/traits': { traits: ['CUSTOM_A'] },
    'PATCH /v1/nodes/{ident}': [{ op: 'add', path: '/driver_info/a', value: 1 }],
  };
  const send = async (line: string) => {
    const params = {
      ident: 'n1',
      trait: 'CUSTOM_A',
      vif: 'v1',
      method: 'first_method',
      component: 'system',
      indicator: 'led',
    };
    const path = line.replace(/\{(\w+)\}/g, (_, name: string) => params[name as 'ident']);
    const body = bodies[line] ?? (line.startsWith('DELETE') ? undefined : {});
    return front.request(path, body === undefined ? {} : { body });
  };

  it('has a word in each row that changes something of a node', () => {
    expect(rows.length).toBeGreaterThan(25);
    expect(rows.filter(({ fenced }) => fenced === undefined).map(({ at: line }) => line)).toEqual([]);
  });

  it.each(rows.filter(({ fenced }) => fenced).map(({ at: line }) => line))(
    'refuses %s until the takeover has succeeded',
    async (line) => {
      await moveIn(1);
      for (const state of ['pending', 'running', 'failed'] as const) {
        await front.force(uuid(1), noteTakeover(noNotes, state, at, 'The password is wrong.'));
        const { status, error } = await send(line);
        const why = state === 'failed' ? 'The password is wrong.' : '';
        expect([status, error]).toEqual([409, expect.stringContaining('takeover_pending')]);
        expect(error).toContain(why);
      }
      expect(front.platform.workflows.started).toEqual([]);
      await front.force(uuid(1), noteTakeover(noNotes, 'completed', at));
      expect((await send(line)).error).not.toContain('takeover_pending');
    },
  );

  it.each(rows.filter(({ fenced }) => !fenced).map(({ at: line }) => line))(
    'lets %s through, which does nothing to a machine',
    async (line) => {
      await moveIn(1);
      const { error } = await send(line);
      expect(error).not.toContain('takeover_pending');
      expect(front.platform.workflows.started).toEqual([]);
      expect(front.proxy.requests).toEqual([]);
    },
  );

  it('is no fence for who reads', async () => {
    await moveIn(1);
    for (const path of ['', '/states', '/validate', '/management/boot_device', '/vifs', '/history', '/bios']) {
      expect((await front.request(`GET /v1/nodes/n1${path}`)).status).toBe(200);
    }
  });
});
