/** Many allocations at the same time: no node is given twice, and none that fits is left while somebody wants it. */
import { describe, expect, it } from 'vitest';

import { createSearches } from './searches.ts';

type Shown = { state: string; node_uuid: string | null; uuid: string };

/** Searches that lost all nodes that fit to others are made again, as the ASL does it. */
const settle = async ({ phase, request }: ReturnType<typeof createSearches>): Promise<Shown[]> => {
  const invocation = { request_id: 'w', remaining_ms: () => 120_000 };
  for (let round = 0; ; round += 1) {
    const { allocations } = (await request('GET /v1/allocations?state=allocating')).body as { allocations: Shown[] };
    if (allocations.length === 0) break;
    expect(round).toBeLessThan(8);
    await Promise.all(
      allocations.map(async ({ uuid }) =>
        phase({ workflow: 'allocate', phase: 'PickNode', allocation: uuid }, invocation).catch((error: unknown) =>
          expect(error).toMatchObject({ name: 'Conflict' }),
        ),
      ),
    );
  }
  return (await request('GET /v1/allocations')).body.allocations as Shown[];
};

describe.each([
  [200, 50],
  [50, 200],
  [40, 40],
])('%i allocations for %i nodes', (wishes, nodes) => {
  it('give each node to one allocation at most, and none of them in vain', async () => {
    const searches = createSearches();
    const { free, wish, read, platform } = searches;
    const fleet = await Promise.all(Array.from({ length: nodes }, async () => free()));
    await Promise.all(Array.from({ length: wishes }, async () => wish()));
    const found = await settle(searches);
    const active = found.filter(({ state }) => state === 'active');
    expect(active).toHaveLength(Math.min(wishes, nodes));
    expect(new Set(active.map(({ node_uuid: node }) => node)).size).toBe(active.length);
    expect(found.filter(({ state }) => state === 'error')).toHaveLength(Math.max(0, wishes - nodes));
    const stored = await Promise.all(fleet.map(async ({ uuid }) => read(uuid)));
    const byNode = new Map(active.map(({ node_uuid: node, uuid }) => [node, uuid]));
    for (const node of stored) {
      const allocation = byNode.get(node.uuid) ?? null;
      expect([node.allocation_uuid, node.instance_uuid]).toEqual([allocation, allocation]);
    }
    expect(platform.table.items().filter(({ pk }) => pk.startsWith('unique#instance_uuid#'))).toHaveLength(
      active.length,
    );
  });
});

describe('races', () => {
  it('for one name are won by one', async () => {
    const { wish } = createSearches();
    const answers = await Promise.all(Array.from({ length: 200 }, async () => wish({ name: 'web' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(199);
  });

  it('for one node in use are won by one', async () => {
    const { store, wish, read } = createSearches();
    const { uuid } = await store({ provision_state: 'active', resource_class: 'baremetal' });
    const answers = await Promise.all(Array.from({ length: 50 }, async () => wish({ node: uuid })));
    const [won] = answers.filter(({ status }) => status === 201);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    expect(await read(uuid)).toMatchObject({ allocation_uuid: won!.body.uuid });
  });

  it('of two executions of one allocation take one node', async () => {
    const { free, wish, show, phase, read } = createSearches();
    const fleet = [await free(), await free()];
    const { uuid } = (await wish()).body;
    const call = { workflow: 'allocate', phase: 'PickNode', allocation: uuid };
    const invocation = { request_id: 'w', remaining_ms: () => 120_000 };
    const ends = await Promise.allSettled([phase(call, invocation), phase(call, invocation)]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await show(uuid)).toMatchObject({ state: 'active' });
    const taken = await Promise.all(fleet.map(async (node) => (await read(node.uuid)).allocation_uuid));
    expect(taken.filter((one) => one !== null)).toEqual([uuid]);
  });
});

describe('a node that is locked', () => {
  it('is left to who holds it while another fits', async () => {
    const { free, allocate } = createSearches();
    for (let n = 0; n < 20; n += 1) await free({ reservation: `r-${n}` });
    const { uuid } = await free();
    expect(await allocate()).toMatchObject({ state: 'active', node_uuid: uuid });
  });

  it('is waited for if it is the only one that fits', async () => {
    const { free, wish, search, show, force, phase } = createSearches();
    const { uuid: node } = await free({ reservation: 'r-1' });
    const { uuid } = (await wish()).body;
    await expect(search()).rejects.toMatchObject({ name: 'NodeLocked' });
    expect(await show(uuid)).toMatchObject({ state: 'allocating' });
    await force(node, { reservation: null });
    await phase(
      { workflow: 'allocate', phase: 'PickNode', allocation: uuid },
      { request_id: '', remaining_ms: () => 1 },
    );
    expect(await show(uuid)).toMatchObject({ state: 'active', node_uuid: node });
  });
});
