import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isFree } from '../../../layers/domain/free-nodes.ts';
import { placementClass } from '../../../layers/domain/resource-class.ts';
import { createSeededChance } from '../../../layers/platform/memory/chance.ts';
import type { Candidate } from '../../../layers/schedule/candidate.ts';
import { judge } from '../../../layers/schedule/filters.ts';
import { findCandidates, tellFindings, type CandidateQuery } from '../../../layers/schedule/search.ts';
import { strategies, type StrategyName } from '../../../layers/schedule/strategies.ts';
import { aCandidate, aFlavor, aWish, uuidOf, wishFor } from './nodes.ts';

/** A fleet that is listed as the Bare Metal API lists it, and what it was asked for. */
const fleetOf = (nodes: readonly Candidate[]) => {
  const asked: CandidateQuery[] = [];
  const list = async (query: CandidateQuery) => {
    asked.push(query);
    const { free, placement_class: wanted, conductor_group: group, descending, marker, limit } = query;
    const found = nodes
      .filter((node) => !free || isFree(node))
      .filter((node) => wanted === undefined || placementClass(node.resource_class ?? '') === wanted)
      .filter((node) => group === undefined || node.conductor_group === group);
    const all = descending ? found.toReversed() : found;
    const from = marker === undefined ? 0 : all.findIndex(({ uuid }) => uuid === marker) + 1;
    return all.slice(from, from + limit);
  };
  return { list, asked };
};

const many = (count: number, more: (n: number) => Partial<Candidate> = () => ({})) =>
  Array.from({ length: count }, (_, n) => aCandidate({ uuid: uuidOf(n), ...more(n) }));

const search = async (nodes: readonly Candidate[], wish = aWish(), strategy: StrategyName = 'spread') => {
  const { list, asked } = fleetOf(nodes);
  return { ...(await findCandidates({ list, chance: createSeededChance() }, wish, strategy)), asked };
};

describe('a search', () => {
  it('asks for what is free, of the class and in the zone', async () => {
    const wish = wishFor({ 'resources:CUSTOM_GOLD': '1' }, { zone: 'nova' });
    const { candidates, asked } = await search(
      many(3, (n) => ({ resource_class: n === 1 ? 'silver' : 'gold' })),
      wish,
    );
    expect(candidates.toSorted()).toEqual([uuidOf(0), uuidOf(2)]);
    expect(asked).toMatchObject([
      { free: true, placement_class: 'CUSTOM_GOLD', conductor_group: '', marker: undefined },
    ]);
  });

  it('ends when enough fit, however many there are', async () => {
    for (const count of [1000, 5000]) {
      const { asked, looked_at: lookedAt, complete } = await search(many(count));
      expect([asked.length, lookedAt, complete]).toEqual([1, 100, false]);
    }
  });

  it('goes on until it has found the only one that fits', async () => {
    const nodes = many(2500, (n) => ({ traits: n === 1250 ? ['CUSTOM_RARE'] : [] }));
    const {
      candidates,
      asked,
      looked_at: lookedAt,
      complete,
    } = await search(nodes, wishFor({ 'trait:CUSTOM_RARE': 'required' }));
    expect([candidates, lookedAt, complete]).toEqual([[uuidOf(1250)], 2500, true]);
    expect(asked.map(({ limit }) => limit)).toEqual([100, 200, 400, 800, 1000, 1000].slice(0, asked.length));
  });

  it('tells which filter refused how many, and which of them first', async () => {
    const nodes = many(30, (n) => ({
      power_state: n < 20 ? 'error' : 'power on',
      traits: n === 29 ? ['CUSTOM_A'] : [],
    }));
    const findings = await search(nodes, wishFor({ 'trait:CUSTOM_A': 'required' }));
    expect(findings.rejected.map(({ filter, count, nodes: named }) => [filter, count, named.length])).toEqual([
      ['ComputeFilter', 20, 10],
      ['TraitsFilter', 9, 9],
    ]);
    expect(findings.rejected[1]!.nodes[0]).toMatchObject({ detail: 'lacks CUSTOM_A' });
    expect(tellFindings(findings)).toBe(
      '30 nodes were looked at: 1 fit, ComputeFilter refused 20, TraitsFilter refused 9.',
    );
  });

  it('stays small, however many are refused and whatever is to be said of them', async () => {
    const properties = { capabilities: { boot_mode: 'x'.repeat(5000) } };
    const findings = await search(
      many(3000, () => ({ properties })),
      wishFor({ 'capabilities:boot_mode': 'uefi' }),
    );
    expect(findings.rejected).toMatchObject([{ count: 3000 }]);
    expect(JSON.stringify({ ...findings, asked: 0 }).length).toBeLessThan(4000);
  });

  it('looks at those in use when none is free, so that it can tell what they are', async () => {
    const nodes = many(500, () => ({ provision_state: 'active', instance_uuid: uuidOf(9) }));
    const findings = await search(nodes);
    expect(findings).toMatchObject({
      candidates: [],
      looked_at: 100,
      rejected: [{ filter: 'ComputeFilter', count: 100 }],
    });
    expect(findings.asked.map(({ free }) => free)).toEqual([true, false]);
    expect(tellFindings(await search([], wishFor({ 'resources:CUSTOM_X': '1' })))).toContain(
      'No node has the resource class',
    );
  });

  it('has locked nodes tried last', async () => {
    const { candidates } = await search(many(20, (n) => ({ reservation: n % 2 ? null : 'run' })));
    const isLocked = candidates.map((uuid) => Number(uuid.slice(-2)) % 2 === 0);
    expect(isLocked).toEqual([...Array.from({ length: 10 }, () => false), ...Array.from({ length: 10 }, () => true)]);
  });

  it('finds exactly those that fit, by any strategy', async () => {
    const node = fc.record({
      resource_class: fc.constantFrom('gold', 'GOLD', 'silver', null),
      traits: fc.subarray(['CUSTOM_A', 'CUSTOM_B']),
      maintenance: fc.boolean(),
      conductor_group: fc.constantFrom('', 'west'),
      power_state: fc.constantFrom('power on' as const, 'error' as const, null),
    });
    const wish = wishFor(
      { 'resources:CUSTOM_GOLD': '1', 'trait:CUSTOM_A': 'required', 'trait:CUSTOM_B': 'forbidden' },
      { zone: 'west' },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(node, { maxLength: 40 }),
        fc.constantFrom<StrategyName>('spread', 'tightest'),
        async (rows, strategy) => {
          const nodes = rows.map((more, n) => aCandidate({ uuid: uuidOf(n), ...more }));
          const fitting = nodes.filter((one) => judge(one, wish) === undefined).map(({ uuid }) => uuid);
          const { candidates } = await search(nodes, wish, strategy);
          expect(candidates.toSorted()).toEqual(fitting.toSorted());
        },
      ),
    );
  });
});

describe('a strategy', () => {
  const sized = many(60, (n) => ({
    properties: { cpus: 8, memory_mb: 16_384 * (1 + (n % 3)), local_gb: 500 + (n % 2) },
  }));
  const memory = (uuid: string) => 16_384 * (1 + (Number(uuid.slice(-4)) % 3));

  it('tightest has the smallest that fits first', async () => {
    const { candidates } = await search(sized, aWish({ flavor: aFlavor({ ram: 20_000 }) }), 'tightest');
    expect(candidates.map(memory)).toEqual([
      ...Array.from({ length: 20 }, () => 32_768),
      ...Array.from({ length: 20 }, () => 49_152),
    ]);
  });

  it('spread has another first each time', async () => {
    const chance = createSeededChance();
    const firsts = Array.from({ length: 50 }, () => strategies.spread.order(sized, chance)[0]!.uuid);
    expect(new Set(firsts).size).toBeGreaterThan(20);
  });

  it.each(Object.entries(strategies))('%s loses none and invents none', (_name, { order }) => {
    const ordered = order(sized, createSeededChance());
    expect(ordered.map(({ uuid }) => uuid).toSorted()).toEqual(sized.map(({ uuid }) => uuid));
  });
});
