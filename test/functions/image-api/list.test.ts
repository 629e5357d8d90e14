/** Pages of images, in the order of creation and in others. */
import { beforeAll, describe, expect, it } from 'vitest';

import { createFront, root } from './front.ts';

describe('pages', () => {
  const { request, make, platform } = createFront();
  const all: string[] = [];
  beforeAll(async () => {
    for (let at = 0; at < 30; at += 1) {
      all.push(await make({ name: `n${String(at % 7)}`, visibility: at % 3 === 0 ? 'community' : 'shared' }));
      platform.clock.advance(1000);
    }
    await request('POST /v2/images', { body: { name: 'public', visibility: 'public', owner: 'blue' }, subject: root });
  });

  const walk = async (first: string): Promise<string[]> => {
    const found: string[] = [];
    for (let path: string | undefined = first; path;) {
      const { body } = await request(`GET ${path}`);
      found.push(...(body.images as { id: string }[]).map(({ id }) => id));
      path = body.next as string | undefined;
    }
    return found;
  };

  it.each(['', '&sort=name:asc', '&sort_key=name&sort_key=created_at&sort_dir=desc&sort_dir=asc', '&sort=updated_at'])(
    'come to all of them once%s',
    async (order) => {
      const found = await walk(`/v2/images?limit=4${order}`);
      expect([found.length, new Set(found).size, all.every((id) => found.includes(id))]).toEqual([31, 31, true]);
      expect(await walk(`/v2/images?limit=1000${order}`)).toEqual(found);
    },
  );

  it('have the newest first, 25 of them unless somebody asks for more', async () => {
    const { images } = (await request('GET /v2/images')).body as { images: { id: string }[] };
    expect(images.map(({ id }) => id).slice(1)).toEqual(all.toReversed().slice(0, 24));
  });

  it('turn around by sort_dir', async () => {
    expect((await walk('/v2/images?limit=7&sort_dir=asc')).slice(0, 30)).toEqual(all);
  });

  it('go on after an image that filters no longer keep', async () => {
    const [last] = all.toReversed();
    const { images } = (await request(`GET /v2/images?marker=${last}&name=n0`)).body as { images: { name: string }[] };
    expect(images.map(({ name }) => name)).toEqual(['n0', 'n0', 'n0', 'n0', 'n0']);
  });
});

it('a project reads no more than it can see, however many images others have', async () => {
  const { request, make, platform } = createFront();
  for (let at = 0; at < 50; at += 1) {
    await request('POST /v2/images', { body: { name: 'other', owner: 'blue', visibility: 'private' }, subject: root });
  }
  await make();
  let read = 0;
  const { getMany } = platform.table;
  platform.table.getMany = async (keys, options) => {
    read += keys.length;
    return getMany(keys, options);
  };
  expect((await request('GET /v2/images')).body.images).toHaveLength(1);
  expect(read).toBe(1);
});
