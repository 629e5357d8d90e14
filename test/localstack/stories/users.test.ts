/** Users who are added by `npx ingot users`, without a deployment. */
import { expect, inject, it } from 'vitest';

import { ingot } from '../../cli/served.ts';
import { proofOf } from '../clients.ts';
import { clientEnvironment } from '../processes.ts';

const { aws, endpoints } = inject('deployment');

const users = async (...args: string[]) =>
  ingot(['users', ...args], { ...clientEnvironment(aws), INGOT_PASSWORD: 'pä:ss of ann' });

const statusOf = async (password: string): Promise<number> => {
  const headers = proofOf('ann@example', password);
  return (await fetch(`${endpoints['Endpoint']}/v1/nodes`, { headers })).status;
};

it('are let in at once, with their own password', async () => {
  expect(await statusOf('pä:ss of ann')).toBe(401);
  expect(await users('add', 'ann@example', '--roles', 'reader')).toMatchObject({ code: 0, err: '' });
  expect(await users('list')).toMatchObject({ code: 0, out: 'ann@example  *  reader\n' });
  expect([await statusOf('wrong'), await statusOf('pä:ss of ann')]).toEqual([401, 200]);
  expect(await users('remove', 'ann@example')).toMatchObject({ code: 0 });
  expect(await users('list')).toMatchObject({ code: 0, out: '' });
});
