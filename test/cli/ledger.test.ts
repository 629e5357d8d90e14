/** `npx ingot ledger verify` as an operator starts it: a process, a state directory, an exit code. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { systemClock } from '../../layers/platform/clock.ts';
import { createMemoryPlatform } from '../../layers/platform/memory/platform.ts';
import type { Table } from '../../layers/platform/table.ts';
import { createBmcRecords } from '../../layers/store/bmc-records.ts';
import { openTable } from '../../local/table/table.ts';
import { createWriter } from '../../local/table/writer.ts';
import { aNode } from '../layers/store/a-node.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import { createRecord } from '../../layers/store/records/change.ts';

const root = new URL('../..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
const uuid = '11111111-1111-4111-8111-111111111111';
let table: Table;

const ingot = async (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [join(root, 'cli/ingot.js'), ...args], { cwd: folder }, (error, out, err) =>
      resolve({ code: (error?.code as number | undefined) ?? 0, out, err }),
    );
  });
const verify = async (...args: string[]) => ingot('ledger', 'verify', ...args, '--state-dir', folder);

beforeAll(async () => {
  const { clock, chance, ids } = createMemoryPlatform();
  const path = join(folder, 'table.db');
  table = openTable({ path, writer: createWriter(path, clock) });
  await createRecord({ table, clock, chance, ids }, kinds.node, aNode({ uuid, name: 'web-1', generation: 3 }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('knows a node by its name, and says when nothing was sent yet', async () => {
  expect(await verify('web-1')).toMatchObject({
    code: 0,
    out: `Node ${uuid}: nothing was sent to its BMC for as long as the ledger is kept, 90 days.\n`,
  });
});

it('tells a whole ledger by 0, and one that lost a row by 1', async () => {
  // The command looks at it today: what was written long ago may be gone.
  const records = createBmcRecords({ table, clock: systemClock });
  const op = { op: 'power.ensure', op_id: 'run-1/PowerOff' };
  const sent = await records.record(uuid, op, { state: 'sent', what: 'ForceOff', generation: 3 }, undefined);
  await records.record(uuid, op, { state: 'done' }, sent);
  const whole = await verify(uuid);
  expect(whole).toMatchObject({ code: 0, err: '' });
  expect(whole.out).toContain('the ledger is whole: 2 rows');
  const key = { pk: `node#${uuid}`, sk: 'command#run-1/PowerOff' };
  const { rows } = (await table.get(key)) as unknown as { rows: object[] };
  await table.write([{ update: key, set: { rows: rows.slice(0, 1) } }]);
  const broken = await verify(uuid);
  expect(broken.code).toBe(1);
  expect(broken.out).toContain('the ledger is broken at row 2 of 1: 2 rows were written');
});

it('says in one line what is wrong with the command', async () => {
  expect(await ingot('ledger', 'verify')).toMatchObject({ code: 2, err: 'ingot: Name one node, by UUID or name.\n' });
  expect((await ingot('ledger', 'verify', 'x', '--where')).err).toContain("Unknown option '--where'");
  expect((await ingot('frobnicate')).err).toContain('There is no command "frobnicate"');
  expect((await ingot('ledger', 'verify', uuid)).err).toContain('.ingot holds no table of Ingot');
  expect((await verify('nobody')).err).toContain('There is no node named nobody');
  expect(await ingot('--help')).toMatchObject({ code: 0, out: expect.stringContaining('ledger verify NODE') });
});
