/** Lists keep texts of what did not change; nobody may see an old one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Key } from '../../../../layers/platform/table.ts';
import { openTable } from '../../../../local/table/table.ts';
import { createWriter } from '../../../../local/table/writer.ts';
import { createMemoryPlatform } from '../../../../layers/platform/memory/platform.ts';
import { createFront } from '../front.ts';

type Front = ReturnType<typeof createFront>;

const folder = mkdtempSync(join(tmpdir(), 'ingot-texts-'));
let front: Front;
let infosRead: number;
let close: () => Promise<void>;

/** The API on the table of one machine, which hands out the same items as long as they are not written. */
beforeEach(async () => {
  const platform = createMemoryPlatform();
  const path = join(folder, `${platform.ids.ulid()}-${performance.now()}.db`);
  const writer = createWriter(path, platform.clock);
  const local = openTable({ path, writer, clock: platform.clock });
  const getMany = async (keys: readonly Key[]) => {
    infosRead += keys.filter(({ sk }) => sk === 'instance_info').length;
    return local.getMany(keys);
  };
  front = createFront({}, { ...platform, table: { ...platform.table, ...local, getMany } });
  close = async () => {
    local.close();
    await writer.close();
  };
  for (const name of ['a', 'b', 'c']) await front.enrol({ name, instance_info: { image: name } });
  infosRead = 0;
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

const detail = async (query = '', options: Parameters<Front['request']>[1] = {}) =>
  (await front.request(`GET /v1/nodes/detail${query}`, options)).body.nodes as Record<string, unknown>[];
const patch = async (name: string, path: string, value: unknown) =>
  front.request(`PATCH /v1/nodes/${name}`, { body: [{ op: 'add', path, value }] });

it('reads instance_info of a node again only after it was written', async () => {
  await detail();
  expect(infosRead).toBe(3);
  await detail();
  expect(infosRead).toBe(3);
});

it('shows every change at once, and the others as they were', async () => {
  await detail();
  await patch('a', '/extra/rack', 7);
  await patch('b', '/instance_info/image', 'new');
  expect(await detail()).toMatchObject([
    { name: 'a', extra: { rack: 7 }, instance_info: { image: 'a' } },
    { name: 'b', extra: {}, instance_info: { image: 'new' } },
    { name: 'c', instance_info: { image: 'c' } },
  ]);
  await front.request('DELETE /v1/nodes/b');
  expect((await detail()).map(({ name }) => name)).toEqual(['a', 'c']);
});

it('never mixes up versions, hosts and fields', async () => {
  const show = async (query: string, version: string, host: string) => {
    const { body } = await front.request(`GET /v1/nodes${query}`, { version, headers: { Host: host } });
    return body.nodes[0] as Record<string, unknown>;
  };
  for (let round = 0; round < 2; round += 1) {
    expect(Object.keys(await show('?fields=name', '1.80', 'one.test'))).toEqual(['name', 'links']);
    expect(Object.keys(await show('?fields=driver', '1.80', 'one.test'))).toEqual(['driver', 'links']);
    expect(await show('', '1.4', 'one.test')).not.toHaveProperty('name');
    expect(await show('', '1.5', 'one.test')).toHaveProperty('name', 'a');
    expect(JSON.stringify(await show('', '1.5', 'two.test'))).toContain('http://two.test/v1/nodes/');
  }
});

it('keeps the texts of a few ways to show nodes only, because clients choose them', async () => {
  await detail();
  for (let n = 0; n < 8; n += 1) await front.request('GET /v1/nodes', { headers: { Host: `h${n}.test` } });
  await detail();
  expect(infosRead).toBe(6);
});
