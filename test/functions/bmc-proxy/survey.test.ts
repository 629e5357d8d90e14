import { describe, expect, it } from 'vitest';

import { surveyPower } from '../../../functions/bmc-proxy/survey.ts';
import type { Reply, Request } from '../../../layers/bmc/operations.ts';
import { enrol, uuid } from './fixture.ts';

const other = '22222222-2222-4222-8222-222222222222';

describe('a survey', () => {
  it('tells of each machine whether it is on, and of each that it could not ask why', async () => {
    const { raw, bmc, ledger } = await enrol();
    bmc.resources['/redfish/v1/Systems/1']!['PowerState'] = 'On';
    expect(await raw({ survey: 'power', nodes: [uuid, other] })).toEqual({
      seen: {
        [uuid]: { power: 'power on' },
        [other]: { fault: { name: 'NotFound', message: expect.stringContaining(other) as string } },
      },
    });
    expect(await ledger()).toEqual([]);
    expect(bmc.sessions.size).toBe(0);
  });

  it('says null of a machine that is neither on nor off', async () => {
    const { raw, bmc } = await enrol();
    bmc.resources['/redfish/v1/Systems/1']!['PowerState'] = 'Paused';
    expect(await raw({ survey: 'power', nodes: [uuid] })).toEqual({ seen: { [uuid]: { power: null } } });
  });

  it('takes a BMC that hangs for one that does not answer', async () => {
    const { raw, bmc } = await enrol({ environment: { INGOT_BMC_READ_TIMEOUT_MS: '100' } });
    bmc.handlers.push(() => 'hang');
    expect(await raw({ survey: 'power', nodes: [uuid] })).toEqual({
      seen: { [uuid]: { fault: { name: 'BmcTimeout', message: expect.any(String) as string } } },
    });
  });

  it('keeps passwords out of what it tells', async () => {
    const { raw, bmc } = await enrol({ password: 'MARKER-password' });
    const answer = { status: 400, body: { error: { message: 'not with MARKER-password' } } };
    bmc.answer('GET /redfish/v1/Systems/1', answer, answer, answer);
    const told = JSON.stringify(await raw({ survey: 'power', nodes: [uuid] }));
    expect(told).toContain('fault');
    expect(told).not.toContain('MARKER');
  });

  it.each([{ survey: 'power' }, { survey: 'other', nodes: [] }, { survey: 'power', nodes: [''] }])(
    'is refused if it does not fit: %j',
    async (event) => {
      const { raw } = await enrol();
      await expect(raw(event)).rejects.toMatchObject({ name: 'InvalidCommand' });
    },
  );
});

const on = { status: 'done', observed: { power: 'power on' }, quirks: [] } as unknown as Reply;
const many = Array.from({ length: 60 }, (_, at) => `node-${at}`);

describe('a survey of many', () => {
  it('waits for one that hangs while all others are asked', async () => {
    const asked: string[] = [];
    const last = Promise.withResolvers<Reply>();
    const ask = async ({ node }: Request): Promise<Reply> => {
      asked.push(node);
      if (asked.length === many.length) last.resolve(on);
      return node === 'node-0' ? last.promise : on;
    };
    const invocation = { request_id: 'r', remaining_ms: () => 120_000 };
    const { seen } = await surveyPower(ask, { survey: 'power', nodes: many }, invocation, 7_000);
    expect(Object.keys(seen).toSorted()).toEqual(many.toSorted());
  });

  it('begins with nobody for whom there is no time left, and says nothing of him', async () => {
    let left = 120_000;
    const ask = async (): Promise<Reply> => {
      left -= 1_000;
      return on;
    };
    const invocation = { request_id: 'r', remaining_ms: () => left };
    const { seen } = await surveyPower(ask, { survey: 'power', nodes: many }, invocation, 100_000 - 60_000);
    const count = Object.keys(seen).length;
    expect(count).toBeGreaterThan(20);
    expect(count).toBeLessThan(50);
    expect(
      await surveyPower(ask, { survey: 'power', nodes: many }, { ...invocation, remaining_ms: () => 66_000 }, 7_000),
    ).toEqual({ seen: {} });
  });
});
