/**
 * A table that the first version of Ingot filled (test/fixtures/first-version), in the hands of this one: what is asked
 * of it is answered as that version did.
 */
import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { compareText } from '../../layers/platform/evaluate.ts';
import type { MemoryTable } from '../../layers/platform/memory/table.ts';
import { createMemoryPlatform } from '../../layers/platform/memory/platform.ts';
import type { Item, Key, Table } from '../../layers/platform/table.ts';
import { upgradeTable } from '../../layers/store/upgrade.ts';
import { paths } from '../fixtures/first-version/paths.ts';
import { createFront } from '../functions/baremetal-api/front.ts';
import { entriesOf, entriesThatAreDue } from '../layers/store/due-entries.ts';
import type { TableUnderTest } from './table.ts';

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../fixtures/first-version/${name}.json`, import.meta.url), 'utf8'));
export const firstItems = read('items') as readonly Item[];
const answers = read('answers') as Readonly<Record<string, unknown>>;

const firstNode = '/v1/nodes/00000000-0000-4000-8000-000000000002';

/** All items of a table, by pages of a few. */
export const everyItem = async (table: Table): Promise<Item[]> => {
  const found: Item[] = [];
  let after: Key | undefined;
  do {
    const part = await table.scan({ after, limit: 100 });
    found.push(...part.items);
    after = part.next;
  } while (after);
  return found;
};

/** A table all of whose writes fail from the n-th on, as if the process had died there. */
const dyingAfter = (table: Table, writes: number): Table => {
  let left = writes;
  const write: Table['write'] = async (all) => {
    left -= 1;
    if (left < 0) throw new Error('killed');
    await table.write(all);
  };
  return { ...table, write };
};

/** `open` makes a table that holds these items as the first version left them. */
export const describeUpgrade = (name: string, open: (items: readonly Item[]) => Promise<TableUnderTest>): void => {
  const { clock } = createMemoryPlatform();
  const started: TableUnderTest[] = [];
  const start = async () => {
    const opened = await open(firstItems);
    started.push(opened);
    const platform = { ...createMemoryPlatform(), table: opened.table as MemoryTable };
    return { table: opened.table, front: createFront({}, platform) };
  };
  afterAll(async () => {
    for (const { close } of started) await close?.();
  });

  describe(`${name}: a table of the first version`, () => {
    let front: ReturnType<typeof createFront>;
    let table: Table;
    beforeAll(async () => {
      ({ front, table } = await start());
    });

    it('refuses lists until it is upgraded, and answers what needs none', async () => {
      const list = await front.request('GET /v1/nodes');
      expect([list.status, list.error]).toEqual([503, expect.stringContaining('try again in a few minutes')]);
      for (const path of ['/v1/nodes/plain', firstNode, '/v1/portgroups/bond']) {
        expect((await front.request(`GET ${path}`)).body).toEqual(answers[path]);
      }
    });

    it('lets records be changed, made and removed that nobody upgraded yet, and finds them afterwards', async () => {
      const other = await start();
      const body = [{ op: 'replace', path: '/resource_class', value: 'platinum' }];
      expect((await other.front.request(`PATCH ${firstNode}`, { body })).status).toBe(200);
      const uuid = '00000000-0000-4000-8000-000000000031';
      const made = await other.front.enrol({ uuid, name: 'made-meanwhile' });
      expect((await other.front.request('DELETE /v1/nodes/enrolled')).status).toBe(204);
      await upgradeTable({ table: other.table, clock }, { grace: 0 });
      const listed = async (query: string) =>
        (await other.front.request(`GET /v1/nodes?${query}`)).body.nodes.map(({ name }: { name: string }) => name);
      expect(await listed('resource_class=platinum')).toEqual(['plain']);
      expect(await listed('resource_class=gold')).toEqual(['second']);
      expect(await listed('provision_state=enroll')).toEqual([made['name']]);
      const all = await everyItem(other.table);
      expect(entriesOf(all)).toEqual(entriesThatAreDue(all));
    });

    it('goes on where a process died, at any write', async () => {
      const other = await start();
      let deaths = 0;
      for (let writes = 1; ; writes += 3) {
        const dying = dyingAfter(other.table, writes);
        const done = await upgradeTable({ table: dying, clock }, { grace: 0, page: 40 }).catch(() => undefined);
        if (done) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThan(3);
      const all = await everyItem(other.table);
      expect(entriesOf(all)).toEqual(entriesThatAreDue(all));
      expect((await other.front.request('GET /v1/nodes?detail=True')).body).toEqual(answers['/v1/nodes?detail=True']);
    });

    it('is upgraded by two at a time, beside whoever changes its records', async () => {
      const other = await start();
      const changes = Array.from({ length: 8 }, async (_, n) =>
        other.front.request(`PATCH ${firstNode}`, { body: [{ op: 'add', path: `/extra/n${n}`, value: n }] }),
      );
      const one = async () => upgradeTable({ table: other.table, clock }, { grace: 0, page: 40 });
      await Promise.all([one(), one(), ...changes]);
      while (!(await one()));
      const { extra } = (await other.front.request(`GET ${firstNode}`)).body;
      expect(Object.keys(extra)).toHaveLength(8);
      const all = await everyItem(other.table);
      expect(entriesOf(all)).toEqual(entriesThatAreDue(all));
    });

    it('has every record in its new form once, with each of its entries', async () => {
      expect(await upgradeTable({ table, clock }, { grace: 0 })).toBe(true);
      const all = await everyItem(table);
      expect(entriesOf(all)).toEqual(entriesThatAreDue(all));
      expect(all.filter((item) => 'list' in item || 'by_provision_state' in item)).toEqual([]);
      const others = ({ pk, schema }: Item) => !pk.startsWith('index#') && pk !== 'upgrade' && schema === undefined;
      // A scan has them in an order of its own.
      const sorted = (items: readonly Item[]) =>
        items.toSorted((a, b) => compareText(a.pk, b.pk) || compareText(a.sk, b.sk));
      expect(sorted(all.filter(others))).toEqual(sorted(firstItems.filter((item) => !('list' in item))));
    });

    it.each(paths.map(([path, subject]) => ({ path, subject })))(
      'answers $path as that version did',
      async ({ path, subject }) => {
        const { body } = await front.request(`GET ${path}`, subject ? { subject } : {});
        expect(body).toEqual(answers[`${subject ? `${subject['project']} ` : ''}${path}`]);
      },
    );
  });
};
