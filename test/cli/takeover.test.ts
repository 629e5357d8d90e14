/** `npx ingot takeover` as an operator starts it: a process before the real API, its output, its exit code. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';

import { noteTakeover } from '../../layers/domain/baremetal/takeover.ts';
import { noNotes } from '../../layers/domain/notes.ts';
import { isoTime } from '../../layers/domain/values.ts';
import { createFront } from '../functions/baremetal-api/front.ts';
import { type Ended, ingot as run, served } from './served.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
const uuid = (one: number) => `11111111-0000-4000-8000-${String(one).padStart(12, '0')}`;

let front: ReturnType<typeof createFront>;
let server: Awaited<ReturnType<typeof served>>;
/** What came with the requests. */
let proofs: (string | undefined)[];
let password: string | undefined;

beforeEach(async () => {
  front = createFront();
  proofs = [];
  password = undefined;
  server = await served(async ({ line, body, headers: { authorization } }) => {
    proofs.push(authorization);
    if (password !== undefined && authorization !== `Basic ${btoa(`admin:${password}`)}`) {
      return { status: 401, body: undefined };
    }
    return front.request(line, body === undefined ? {} : { body });
  });
});
afterEach(() => server.stop());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ingot = async (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> => {
  const where = args.includes('--endpoint') ? [] : ['--endpoint', server.url];
  return run(['takeover', ...args, ...where], env);
};

const moveIn = async (count: number) => {
  const records = Array.from({ length: count }, (_, one) => ({
    kind: 'node',
    record: { uuid: uuid(one), name: `n${one}`, driver: 'fake-hardware', provision_state: 'active' },
  }));
  expect((await front.request('POST /v1/imports', { body: { records } })).status).toBe(200);
};
const note = async (one: number, ...how: ['completed' | 'failed', string?]) =>
  front.force(uuid(one), { reservation: null, ...noteTakeover(noNotes, how[0], isoTime(0), how[1]) });
const rows = (out: string): string[] => out.trimEnd().split('\n');

it('begins with all that are pending, in as many batches as it takes, and tells how far they are', async () => {
  await moveIn(120);
  expect(rows((await ingot(['status'])).out)).toEqual([
    'pending          120',
    'running            0',
    'completed          0',
    'failed             0',
    'unconverted        0',
  ]);
  expect(await ingot(['start', '--limit', '3'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('3 begun') as string,
  });
  expect(await ingot(['start'])).toMatchObject({ code: 0, out: expect.stringContaining('117 begun') as string });
  expect((await ingot(['start'])).out).toContain('0 begun');
  expect((await ingot(['status'])).out).toContain('running          120');
  expect(front.platform.workflows.started).toHaveLength(120);
});

it('ends with 1 when one has failed, and says which and why; that one is begun again when it is asked for', async () => {
  await moveIn(2);
  await note(0, 'completed');
  await note(1, 'failed', 'The BMC refused the password.');
  const { code, out } = await ingot(['status']);
  expect(code).toBe(1);
  expect(rows(out).slice(2)).toEqual([
    'completed          1',
    'failed             1',
    'unconverted        0',
    `n1 (${uuid(1)}), ${isoTime(0)}: The BMC refused the password.`,
  ]);
  expect(await ingot(['start', '--failed'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 begun') as string,
  });
  expect(await ingot(['status'])).toMatchObject({ code: 0 });
});

it('begins with those that are named, and says of the others why not', async () => {
  await moveIn(2);
  const { code, out } = await ingot(['start', 'n1', 'nobody']);
  expect([code, rows(out)]).toEqual([
    1,
    ['nobody: Node nobody could not be found.', '1 begun; `npx ingot takeover status` tells how they go.'],
  ]);
});

it('proves who it is by the environment or a file, and shows the password to nobody', async () => {
  password = 'canary:1';
  const basic = ['status', '--auth', 'basic', '--user', 'admin'];
  expect(await ingot(basic, { INGOT_PASSWORD: password })).toMatchObject({ code: 0 });
  const file = join(folder, 'password');
  writeFileSync(file, `${password}\n`);
  expect(await ingot([...basic, '--password-file', file])).toMatchObject({ code: 0 });
  expect(new Set(proofs)).toEqual(new Set([`Basic ${btoa('admin:canary:1')}`]));
  const refused = await ingot(basic, { INGOT_PASSWORD: 'canary-2' });
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('refused who asks (401)') as string });
  await ingot(['status', '--auth', 'token'], { INGOT_TOKEN: 'canary-3' });
  expect(proofs.at(-1)).toBe('Bearer canary-3');
  expect(JSON.stringify(refused)).not.toContain('canary');
});

it('says in one line what is wrong', async () => {
  const err = async (...args: string[]) => (await ingot(args, { INGOT_PASSWORD: 'b' })).err;
  const basic = ['--auth', 'basic', '--user', 'a'];
  expect(await err('status', '--endpoint', 'http://10.0.0.1', ...basic)).toContain('https URL');
  expect(await err('status', '--endpoint', 'file:///etc')).toContain('http or https URL');
  expect(await err('status', '--endpoint', 'http://127.0.0.1:9')).toContain('does not answer at http://127.0.0.1:9');
  expect(await err('status', ...basic, '--password-file', '/nowhere')).toContain('The file /nowhere can not be read');
  expect(await err('status', 'n1')).toContain('takes no names');
  expect(await err('start', '--limit', '0')).toContain('--limit has to be');
  expect(await err('start', '--limit', '1', '--failed')).toContain('Give names, or --failed, or --limit');
  expect(await err('start', '--where')).toContain("Unknown option '--where'");
});
