/** A node and its allocation name each other, or neither does: however one of them comes to an end. */
import { describe, expect, it } from 'vitest';

import { releaseInstance } from '../../../../workflows/undeploy/instance.ts';
import { createSearches } from './searches.ts';
import { kinds } from '../../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../../layers/store/nodes.ts';
import { changeRecord } from '../../../../layers/store/records/change.ts';

const uuid = '11111111-2222-4333-8444-555555555555';

/** An allocation with a node that is in the condition that is wanted. */
const allocated = async (values: Partial<StoredNode> = {}) => {
  const searches = createSearches();
  const { uuid: node } = await searches.free({ name: 'n1', instance_info: { kept: 1 } });
  await searches.allocate({ uuid, name: 'a', traits: [] });
  await searches.force(node, values);
  const isGone = async () => {
    const found = await searches.request(`GET /v1/allocations/${uuid}`);
    const { instance_uuid, allocation_uuid } = (await searches.read(node)) ?? {};
    return [found.status, instance_uuid, allocation_uuid];
  };
  const patch = async (...body: object[]) => searches.request('PATCH /v1/nodes/n1', { body });
  return { ...searches, node, isGone, patch };
};

const linked = [200, uuid, uuid];
const gone = [404, null, null];
const detach = { op: 'remove', path: '/instance_uuid' };

describe('an allocation that is deleted', () => {
  it('frees its node and its name, and takes its traits along', async () => {
    const { request, isGone, read, node, allocate } = await allocated();
    expect((await read(node)).instance_info).toEqual({ kept: 1, traits: [] });
    expect((await request('DELETE /v1/allocations/a')).status).toBe(204);
    expect(await isGone()).toEqual(gone);
    expect((await read(node)).instance_info).toEqual({ kept: 1 });
    expect(await allocate({ uuid, name: 'a' })).toMatchObject({ state: 'active', node_uuid: node });
  });

  it.each([
    ['active', {}, 409],
    ['rescue', {}, 409],
    ['deploying', { target_provision_state: 'active' }, 409],
    ['deploy failed', { target_provision_state: 'active' }, 204],
    ['available', { reservation: 'r-1' }, 409],
    ['active', { maintenance: true }, 204],
    ['deploying', { target_provision_state: 'active', maintenance: true }, 204],
  ] as const)('from a node that is %s %j answers %i', async (provision_state, values, status) => {
    const { request, isGone } = await allocated({ provision_state, ...values });
    const answer = await request('DELETE /v1/allocations/a');
    expect(answer.status).toBe(status);
    expect(await isGone()).toEqual(status === 409 ? linked : gone);
  });

  it('while a node is looked for ends the search quietly', async () => {
    const { free, wish, request, search, read } = createSearches();
    const { uuid: node } = await free();
    await wish({ name: 'a' });
    await request('DELETE /v1/allocations/a');
    await expect(search()).rejects.toMatchObject({ name: 'Superseded' });
    expect(await read(node)).toMatchObject({ instance_uuid: null });
  });

  it('while it gets its node leaves the node free or is refused nothing', async () => {
    const { free, wish, request, search, read, platform } = createSearches();
    const { uuid: node } = await free();
    await wish({ name: 'a' });
    let raced = false;
    platform.table.onWrite = async (writes) => {
      if (raced || writes.length < 3) return;
      raced = true;
      expect((await request('DELETE /v1/allocations/a')).status).toBe(204);
    };
    await expect(search()).rejects.toMatchObject({ name: 'Superseded' });
    expect(raced).toBe(true);
    expect(await read(node)).toMatchObject({ instance_uuid: null, allocation_uuid: null });
  });

  it('by many at once is deleted by one', async () => {
    const { request, isGone } = await allocated();
    const answers = await Promise.all(Array.from({ length: 10 }, async () => request('DELETE /v1/allocations/a')));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(9);
    expect(await isGone()).toEqual(gone);
  });

  it('goes although its node is gone', async () => {
    const { request, platform } = await allocated();
    const key = { pk: `node#${(await request('GET /v1/nodes/n1')).body.uuid}`, sk: 'node' };
    await platform.table.write([{ delete: key }]);
    expect((await request('DELETE /v1/allocations/a')).status).toBe(204);
    expect((await request('GET /v1/allocations/a')).status).toBe(404);
  });
});

describe('an instance_uuid that is removed', () => {
  it('takes the allocation along', async () => {
    const { patch, isGone, read, node } = await allocated();
    const { status, body } = await patch(detach);
    expect([status, body.instance_uuid, body.allocation_uuid]).toEqual([200, null, null]);
    expect(await isGone()).toEqual(gone);
    expect((await read(node)).instance_info).toEqual({ kept: 1 });
  });

  it('together with other changes keeps those', async () => {
    const { patch, isGone, read, node } = await allocated();
    await patch(detach, { op: 'add', path: '/instance_info/image_source', value: 'http://images.test/a' });
    expect(await isGone()).toEqual(gone);
    expect((await read(node)).instance_info).toEqual({ kept: 1, image_source: 'http://images.test/a' });
  });

  it.each([
    [{ provision_state: 'active' }, 409],
    [{ provision_state: 'deploy failed', target_provision_state: 'active' }, 200],
    [{ provision_state: 'active', maintenance: true }, 200],
    [{ provision_state: 'wait call-back', target_provision_state: 'active', maintenance: true }, 200],
  ] as const)('from a node that is %j answers %i', async (values, status) => {
    const { patch, isGone } = await allocated(values);
    expect((await patch(detach)).status).toBe(status);
    expect(await isGone()).toEqual(status === 409 ? linked : gone);
  });

  it('is decided again when the allocation is changed at the same moment', async () => {
    const { patch, isGone, request, platform } = await allocated();
    let raced = false;
    platform.table.onWrite = async () => {
      if (raced) return;
      raced = true;
      const body = [{ op: 'replace', path: '/name', value: 'b' }];
      expect((await request('PATCH /v1/allocations/a', { body })).status).toBe(200);
    };
    expect((await patch(detach)).status).toBe(200);
    expect(await isGone()).toEqual(gone);
    expect(platform.table.items().filter(({ pk }) => pk.includes('allocation'))).toEqual([]);
  });
});

describe('a node', () => {
  it('that is undeployed loses its allocation in the same write', async () => {
    const { isGone, platform, node } = await allocated({ provision_state: 'deleting' });
    const sizes: number[] = [];
    platform.table.onWrite = (writes) => void sizes.push(writes.length);
    await changeRecord(platform, kinds.node, node, (stored) => ({ set: releaseInstance(stored) }));
    expect(sizes).toHaveLength(1);
    expect(await isGone()).toEqual(gone);
    expect(platform.table.items().filter(({ pk }) => pk.includes('allocation'))).toEqual([]);
  });

  it('that is deleted in maintenance takes its allocation along', async () => {
    const { request, platform } = await allocated({ provision_state: 'active', maintenance: true });
    expect((await request('DELETE /v1/nodes/n1')).status).toBe(204);
    expect(platform.table.items().filter(({ pk }) => /allocation|unique/.test(pk))).toEqual([]);
  });

  it('can not be given another instance while it is allocated', async () => {
    const { patch, isGone } = await allocated();
    const value = '99999999-2222-4333-8444-555555555555';
    expect((await patch({ op: 'replace', path: '/instance_uuid', value })).status).toBe(409);
    expect((await patch({ op: 'replace', path: '/allocation_uuid', value })).status).toBe(400);
    expect(await isGone()).toEqual(linked);
  });
});
