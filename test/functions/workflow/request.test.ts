import { describe, expect, it } from 'vitest';

import * as sync from '../../../functions/sync/app.ts';
import { create } from '../../../functions/workflow/app.ts';
import { Config } from '../../../functions/workflow/config.ts';
import { bmcFault } from '../../../layers/bmc/faults.ts';
import { nameOf } from '../../../layers/platform/memory/ids.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord, createRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { createFakeProxy, pending } from '../../fakes/proxy.ts';
import { environmentWith } from '../../fakes/settings.ts';
import { aNode, uuid } from '../../workflows/nodes.ts';

const withNode = async (more: Partial<StoredNode> = {}) => {
  const proxy = createFakeProxy();
  const platform = createMemoryPlatform({ handlers: { 'bmc-proxy': proxy.handler } });
  await createRecord(platform, kinds.node, aNode({ provision_state: 'active', ...more }));
  const app = create(platform, Config.parse(environmentWith()));
  const ask = async (request: string, params: object = {}, budget_ms = 20_000) => {
    const asked_by = { user: 'ada', project: null };
    return app({ request, node: uuid, params, asked_by, budget_ms }, { request_id: '1', remaining_ms: () => 120_000 });
  };
  const read = async () => (await readRecord(platform.table, kinds.node, uuid))!;
  const left = () => platform.table.items().filter(({ sk }) => sk === 'management_request');
  const told = async () =>
    (await platform.table.query({ partition: `node#${uuid}`, begins: 'event#' })).map(({ message }) => message);
  return { platform, proxy, ask, read, left, told, app };
};

const device = { device: 'pxe', persistent: false };

describe('a request that changes the machine', () => {
  it('holds the lock while the machine is asked, and lets it go with a line for each in the history', async () => {
    const { ask, read, left, told, proxy } = await withNode();
    const during: (string | null)[] = [];
    proxy.answer('boot.ensure', async () => {
      during.push((await read()).reservation);
      return undefined;
    });
    expect(await ask('set_boot_device', device)).toEqual({ is: 'answer', answer: null });
    expect(during).toEqual([expect.stringMatching(nameOf(uuid))]);
    expect(await read()).toMatchObject({ reservation: null, generation: 1, last_error: null });
    expect(left()).toEqual([]);
    expect(await told()).toEqual(['Asked for boot device pxe, once.', 'The machine has done what it was asked.']);
    expect(proxy.requests[0]).toMatchObject({ op_id: `${during[0]}/set_boot_device/boot.ensure`, generation: 1 });
  });

  it('gives the proxy whole milliseconds, also of what is left of an odd number', async () => {
    const { ask, proxy } = await withNode();
    await ask('set_boot_device', device, 20_001);
    expect(proxy.requests.map(({ deadline_ms }) => Number.isInteger(deadline_ms))).toEqual([true]);
  });

  it('is refused while somebody has the lock, and asks nothing', async () => {
    const { ask, read, proxy } = await withNode({ reservation: 'r' });
    expect(await ask('inject_nmi')).toMatchObject({ is: 'refusal', name: 'NodeLocked', code: 409 });
    expect(await read()).toMatchObject({ reservation: 'r' });
    expect(proxy.requests).toEqual([]);
  });

  it.each([
    ['BmcRejected', 400],
    ['BmcUnreachable', 503],
    ['StaleGeneration', 409],
  ] as const)('passes %s on as %i, and lets the lock go', async (name, code) => {
    const { ask, read, left, proxy, told } = await withNode();
    proxy.answer('nmi.inject', bmcFault(name, 'No.'));
    expect(await ask('inject_nmi')).toEqual({ is: 'refusal', name, code, message: 'No.' });
    expect(await read()).toMatchObject({ reservation: null, last_error: null });
    expect(left()).toEqual([]);
    expect(await told()).toContain('It failed: No.');
  });

  it('lets the lock go of what nobody foresaw, too', async () => {
    const { ask, read, proxy } = await withNode();
    proxy.answer('nmi.inject', new Error('a bug'));
    await expect(ask('inject_nmi')).rejects.toThrow('a bug');
    expect(await read()).toMatchObject({ reservation: null });
  });

  it('asks a machine that is at it again, with the same name, until it has done it', async () => {
    const { ask, proxy } = await withNode();
    proxy.answer('boot.ensure', pending(), pending());
    expect(await ask('set_boot_device', device)).toMatchObject({ is: 'answer' });
    expect(new Set(proxy.requests.map(({ op_id }) => op_id)).size).toBe(1);
    expect(proxy.requests).toHaveLength(3);
  });

  it('gives up when the client can wait no longer, and says what to do', async () => {
    const { ask, read, proxy } = await withNode();
    proxy.answer('boot.ensure', ...Array.from({ length: 50 }, () => pending('It shows None.')));
    const message = 'The machine was asked and is still at it: It shows None. Look, or ask again, later.';
    expect(await ask('set_boot_device', device, 5000)).toEqual({ is: 'refusal', name: 'Pending', code: 503, message });
    expect(await read()).toMatchObject({ reservation: null });
  });

  it('never takes a lock away that is somebody else’s by now', async () => {
    const { ask, platform, read, proxy } = await withNode();
    proxy.answer('nmi.inject', async () => {
      await changeRecord(platform, kinds.node, uuid, () => ({ set: { reservation: 'other' } }));
      return undefined;
    });
    await ask('inject_nmi');
    expect(await read()).toMatchObject({ reservation: 'other' });
  });
});

describe('a request that reads', () => {
  it('takes no lock; as in Ironic some are refused while somebody has it', async () => {
    const { ask, read } = await withNode();
    expect(await ask('get_boot_device')).toMatchObject({ is: 'answer' });
    expect(await read()).toMatchObject({ generation: 0, revision: 1 });
    const locked = await withNode({ reservation: 'r' });
    expect(await locked.ask('get_boot_device')).toMatchObject({ code: 409 });
    expect(await locked.ask('list_media')).toMatchObject({ is: 'answer' });
  });

  it.each([
    ['Pxe', 'Once', { boot_device: 'pxe', persistent: false }],
    ['Hdd', 'Continuous', { boot_device: 'disk', persistent: true }],
    ['UsbCd', 'Once', { boot_device: 'cdrom', persistent: false }],
    ['Pxe', 'Disabled', { boot_device: null, persistent: null }],
    ['SDCard', 'Once', { boot_device: null, persistent: false }],
    [null, null, { boot_device: null, persistent: null }],
  ])('tells the boot override %s %s in Ironic’s words', async (target, enabled, answer) => {
    const { ask, proxy } = await withNode();
    Object.assign(proxy.machine(uuid).boot, { target, enabled });
    expect(await ask('get_boot_device')).toEqual({ is: 'answer', answer });
  });

  it('says of a node that is gone that it is', async () => {
    const { platform } = await withNode();
    const app = create(platform, Config.parse(environmentWith()));
    const call = { node: 'x', params: {}, asked_by: { user: null, project: null }, budget_ms: 1000 };
    const about = { request_id: '1', remaining_ms: () => 1000 };
    expect(await app({ ...call, request: 'list_media' }, about)).toMatchObject({ code: 404 });
    expect(await app({ ...call, request: 'inject_nmi' }, about)).toMatchObject({ code: 404 });
    expect(await app({ ...call, request: 'inject_nmi', params: { x: 1 } }, about)).toMatchObject({ code: 400 });
  });
});

describe('a request that died with the lock', () => {
  it('is freed by sync when nobody waits for it any more, and not before', async () => {
    const { ask, platform, read, proxy, left } = await withNode();
    proxy.answer('nmi.inject', async () => new Promise(() => {}));
    void ask('inject_nmi');
    await expect.poll(async () => (await read()).reservation).toMatch(nameOf(uuid));
    const look = sync.create(platform);
    expect(await look({})).toEqual({ looked: 1, started: 0, failed: 0, stuck: 0 });
    platform.clock.advance(150_001);
    expect(await look({})).toEqual({ looked: 1, started: 0, failed: 1, stuck: 0 });
    expect(await read()).toMatchObject({ reservation: null, provision_state: 'active' });
    expect((await read()).last_error).toBe(
      'Management request failed in the middle of it: Whoever worked on it was cut off, so nobody knows whether the machine has done it. Then ask for it again.',
    );
    expect(left()).toEqual([]);
  });
});

describe('what is no request', () => {
  it.each([
    ['asks for what nobody can', { request: 'levitate' }, 'no such request'],
    ['says no budget', { budget_ms: undefined }, 'budget_ms'],
    ['names no request at all', { request: null }, 'request'],
  ])('is called that, and not a phase that nobody knows: one that %s', async (_what, more, named) => {
    const { app, proxy } = await withNode();
    const asked = {
      request: 'inject_nmi',
      node: uuid,
      params: {},
      asked_by: { user: null, project: null },
      budget_ms: 1,
    };
    await expect(app({ ...asked, ...more }, { request_id: '1', remaining_ms: () => 120_000 })).rejects.toMatchObject({
      name: 'RequestMalformed',
      message: expect.stringMatching(
        new RegExp(`^The API sent what is no request to hardware: [^]*${named}`),
      ) as string,
    });
    expect(proxy.requests).toEqual([]);
  });

  it('without any tag is no phase either', async () => {
    const { app } = await withNode();
    for (const event of [null, 'x', {}, { node: uuid }, { workflow: 7 }]) {
      await expect(app(event, { request_id: '1', remaining_ms: () => 1 })).rejects.toMatchObject({
        name: 'PhaseUnknown',
      });
    }
  });
});
