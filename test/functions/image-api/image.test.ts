/** How many images a project may have. The rest of what is done with images: glance.test.ts. */
import { describe, expect, it } from 'vitest';

import { bob, createFront, root } from './front.ts';

const body = { name: 'debian' };

describe('a project', () => {
  const crowded = async () => {
    const front = createFront({ INGOT_IMAGES_PER_PROJECT: '2' });
    const ids = [await front.make(), await front.make()];
    return { ...front, ids };
  };

  it('has so many images at most, whatever is in them, until it deletes one', async () => {
    const { request, ids } = await crowded();
    const refused = await request('POST /v2/images', { body });
    expect(refused.status).toBe(413);
    expect(refused.text).toContain('Project red has 2 images, and may have 2.');
    expect((await request(`DELETE /v2/images/${ids[0]}`)).status).toBe(204);
    expect((await request('POST /v2/images', { body })).status).toBe(201);
  });

  it('is not in the way of others, and administrators are of none', async () => {
    const { request } = await crowded();
    expect((await request('POST /v2/images', { body, subject: bob })).status).toBe(201);
    expect((await request('POST /v2/images', { body: { ...body, owner: 'red' }, subject: root })).status).toBe(201);
  });

  it('has any number where the setting is 0', async () => {
    const front = createFront({ INGOT_IMAGES_PER_PROJECT: '0' });
    for (let made = 0; made < 5; made += 1) await front.make();
  });
});
