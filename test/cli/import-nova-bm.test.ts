/** `npx ingot import nova-bm` as an operator starts it: a process, a file, a report, an exit code. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { createFront } from '../functions/baremetal-api/front.ts';
import { expected, fixture, fixtures, type Planned } from '../migrate/nova-bm/planned.ts';
import { ingot, program, served } from './served.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
const report = join(folder, 'report.json');
const dump = `${fixtures}nova_bm_juno.postgresql.sql`;
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => rmSync(report, { force: true }));

const move = async (args: readonly string[], env: Record<string, string> = {}) =>
  ingot(['import', 'nova-bm', ...args], env, folder);
const look = async (...args: string[]) => move(['--dry-run', '--arch', 'x86_64', '--report', report, ...args]);
const read = () => JSON.parse(readFileSync(report, 'utf8')) as Planned & Record<string, unknown>;

const masked = ({ driver_info, ...node }: Record<string, unknown>) => {
  const info = driver_info as Record<string, unknown>;
  return { ...node, driver_info: 'ipmi_password' in info ? { ...info, ipmi_password: '******' } : info };
};

describe('a look', () => {
  it('tells by its report what would be moved, without a password, and by 1 that rows are rejected', async () => {
    const { code, out, err } = await look('--source', dump);
    expect([code, err]).toEqual([1, '']);
    expect(read()).toEqual({
      input: dump,
      dry_run: true,
      options: { node_arch: 'x86_64', power_manager: 'nova.virt.baremetal.ipmi.IPMI', driver: 'ipmi' },
      ...expected,
      nodes: expected.nodes.map(masked),
    });
    expect(out).toContain(
      'bm_nodes 5: rejected, in-progress-deployment: task_state is building; drain before migrating\n',
    );
    expect(out).toContain('nodes: 16 read, 10 would be imported, 5 rejected, 1 skipped\n');
    expect(out + readFileSync(report, 'utf8')).not.toContain('s3cret');
    // It tells where machines are.
    expect(statSync(report).mode & 0o777).toBe(0o600);
  });

  it('ends with 0 if rejected rows are allowed', async () => {
    expect((await look('--source', dump, '--allow-rejected')).code).toBe(0);
  });

  it('refuses an old schema, and reports that nothing was moved', async () => {
    const { code, err } = await look('--source', `${fixtures}nova_bm_legacy_v5.sqlite.sql`, '--allow-rejected');
    const { reason, detail } = JSON.parse(fixture('expected_legacy_v5.json')) as Record<string, string>;
    expect([code, err]).toEqual([2, `ingot: ${detail}\n`]);
    expect(read()).toMatchObject({ nodes_imported: 0, ports_imported: 0, reason, detail });
  });

  it('ends without a word when nobody reads on, as behind `| head`, and its report is whole', async () => {
    const args = ['import', 'nova-bm', '--dry-run', '--arch', 'x86_64', '--report', report, '--source', dump];
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, said]).toEqual([141, '']);
    expect(read().nodes).toHaveLength(expected.nodes.length);
  });

  it('shows no more than text of what a source holds', async () => {
    const path = join(folder, 'hostile.sql');
    writeFileSync(path, fixture('nova_bm_juno.sqlite.sql').replace("'node-sixteen'", "'\u001b[2J\u009bred\u202e'"));
    const { out } = await look('--source', path);
    expect(out).toContain('uuid is not a UUID: \\u001b[2J\\u009bred\\u202e\n');
  });
});

describe('a wrong command', () => {
  it.each([
    [['--arch', 'x86_64', '--dry-run'], '--source says what is moved'],
    [['--source', dump, '--dry-run'], '--arch says which cpu_arch'],
    [['--source', dump, '--arch', 'x'], 'stop every nova-compute with the baremetal driver'],
    [['--source', dump, '--arch', 'x', '--source-is-stopped'], '--endpoint says where'],
    [['--source', 'missing', '--arch', 'x', '--dry-run'], 'The file missing can not be read: ENOENT.'],
    [['--source', dump, '--arch', 'x', '--dry-run', '--nova-config', 'missing'], 'The file missing can not be read.'],
    [['--source', dump, '--arch', 'x', '--dry-run', '--report', '/missing/x'], 'can not be written: ENOENT.'],
    [['--source', dump, '--password', 'c4nary'], "Unknown option '--password'"],
    [
      [
        '--source',
        dump,
        '--arch',
        'x',
        '--source-is-stopped',
        '--endpoint',
        'http://metal.example',
        '--auth',
        'token',
        '--token-file',
        dump,
      ],
      'has to be asked at an https URL',
    ],
  ])('%j is told in one line', async (args, reason) => {
    const { code, out, err } = await move(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^ingot: [^\n]*\n$/);
    expect(err).toContain(reason);
    expect(err).not.toContain('c4nary');
  });
});

describe('a move', () => {
  let server: Awaited<ReturnType<typeof served>>;
  let endpoint: string;
  const proofs = new Set<string | undefined>();

  beforeAll(async () => {
    const front = createFront();
    server = await served(async ({ line, body, headers }) => {
      proofs.add(headers['x-auth-token']);
      return front.request(line, { body });
    });
    endpoint = server.url;
  });
  afterAll(() => server.stop());

  const args = () => [
    '--source',
    dump,
    '--arch',
    'x86_64',
    '--driver',
    'redfish',
    '--source-is-stopped',
    '--endpoint',
    endpoint,
    '--report',
    report,
  ];
  const proof = ['--auth', 'token'];

  it('writes what is not there yet, as who the token says, and nothing the second time', async () => {
    const env = { INGOT_TOKEN: 'c4nary-token' };
    const once = await move([...args(), ...proof], env);
    expect([once.code, once.err]).toEqual([1, '']);
    expect(once.out).toContain('nodes: 16 read, 10 imported, 5 rejected, 1 skipped\n');
    expect(read().summary).toEqual(expected.summary);
    const text = readFileSync(report, 'utf8');
    const twice = await move([...args(), ...proof, '--allow-rejected'], env);
    expect([twice.code, twice.err]).toEqual([0, '']);
    expect(twice.out).toContain('Nothing was changed: 19 records are here already.\n');
    expect(read().summary).toMatchObject({ nodes_imported: 0, ports_imported: 0, nodes_skipped: 11 });
    expect([...proofs]).toEqual(['c4nary-token']);
    for (const told of [once.out, twice.out, text]) expect(told).not.toMatch(/c4nary|s3cret/);
  });

  it('leaves no report that looks whole if it ends in the middle', async () => {
    const gone = await move([...args(), '--endpoint', `${endpoint}/elsewhere`]);
    expect(gone.code).toBe(2);
    expect(gone.err).toContain('The Bare Metal API answered an import with 404');
    expect(existsSync(report)).toBe(false);
  });
});
