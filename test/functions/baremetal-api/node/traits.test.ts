import { beforeEach, describe, expect, it } from 'vitest';

import { createFrontWithNodes, type Front } from './stored.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const at = (uuid: string, trait = '') => `/v1/nodes/${uuid}/traits${trait && `/${trait}`}`;
const list = async (uuid: string) => ((await front.request(`GET ${at(uuid)}`)).body as { traits: string[] }).traits;

describe('traits', () => {
  it('are replaced, added and removed one by one, and removed all', async () => {
    const { uuid } = await front.store();
    const set = await front.request(`PUT ${at(uuid)}`, { body: { traits: ['HW_B', 'CUSTOM_A', 'HW_B'] } });
    expect(set.status).toBe(204);
    expect(await list(uuid)).toEqual(['CUSTOM_A', 'HW_B']);
    const add = await front.request(`PUT ${at(uuid, 'CUSTOM_C')}`, { headers: { 'Content-Type': 'application/json' } });
    expect(add).toMatchObject({ status: 204, headers: { Location: `http://metal.test${at(uuid, 'CUSTOM_C')}` } });
    expect(await list(uuid)).toEqual(['CUSTOM_A', 'CUSTOM_C', 'HW_B']);
    expect((await front.request(`DELETE ${at(uuid, 'CUSTOM_A')}`)).status).toBe(204);
    expect((await front.request(`DELETE ${at(uuid, 'CUSTOM_A')}`)).status).toBe(404);
    expect(await list(uuid)).toEqual(['CUSTOM_C', 'HW_B']);
    expect((await front.request(`DELETE ${at(uuid)}`)).status).toBe(204);
    expect(await list(uuid)).toEqual([]);
  });

  it.each(['lower', 'CUSTOM_', 'CUSTOM_a', 'UNKNOWN_X', 'CUSTOM-X', `CUSTOM_${'A'.repeat(250)}`])(
    '%s is not one',
    async (trait) => {
      const { uuid } = await front.store();
      expect((await front.request(`PUT ${at(uuid, trait)}`)).status).toBe(400);
      expect((await front.request(`PUT ${at(uuid)}`, { body: { traits: ['HW_A', trait] } })).status).toBe(400);
      expect(await list(uuid)).toEqual([]);
    },
  );

  it('are at most 50', async () => {
    const { uuid } = await front.store();
    const traits = Array.from({ length: 50 }, (_, n) => `CUSTOM_${n}`);
    expect((await front.request(`PUT ${at(uuid)}`, { body: { traits } })).status).toBe(204);
    expect((await front.request(`PUT ${at(uuid, 'CUSTOM_0')}`)).status).toBe(204);
    expect((await front.request(`PUT ${at(uuid, 'CUSTOM_50')}`)).status).toBe(400);
    expect(await list(uuid)).toHaveLength(50);
  });

  it('do not exist below 1.37, take no body one by one, and are 409 while the node is locked', async () => {
    const { uuid } = await front.store();
    expect((await front.request(`GET ${at(uuid)}`, { version: '1.36' })).status).toBe(406);
    for (const line of [
      `PUT ${at(uuid)}`,
      `DELETE ${at(uuid)}`,
      `PUT ${at(uuid, 'HW_A')}`,
      `DELETE ${at(uuid, 'HW_A')}`,
    ]) {
      expect([line, (await front.request(line, { version: '1.36' })).status]).toEqual([line, 405]);
    }
    expect((await front.request(`PUT ${at(uuid, 'HW_A')}`, { body: { x: 1 } })).status).toBe(400);
    const locked = await front.store({ reservation: 'r' });
    expect((await front.request(`PUT ${at(locked.uuid, 'HW_A')}`)).status).toBe(409);
    expect((await front.request(`DELETE ${at(locked.uuid)}`)).status).toBe(409);
  });
});
