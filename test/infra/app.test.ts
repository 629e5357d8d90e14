/** The CDK app as `cdk deploy` runs it: bundled for real, without network or Docker, and judged by cdk-nag. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'ingot-synth-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const synthesise = () =>
  spawnSync(process.execPath, [join(root, 'infra/app.ts')], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, CDK_OUTDIR: join(folder, 'out') },
  });

it('synthesises with every finding of cdk-nag mended or acknowledged', () => {
  const { status, stderr } = synthesise();
  expect([status, /^ERROR.*$/m.exec(stderr)?.[0]]).toEqual([0, undefined]);
  expect(existsSync(join(folder, 'out/Ingot.template.json'))).toBe(true);
  expect(readdirSync(join(folder, 'out')).filter((name) => name.startsWith('asset.')).length).toBeGreaterThan(6);
});
