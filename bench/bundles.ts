/**
 * Sizes of the deployed bundles and what their start costs: `node bench/bundles.ts`. Builds each function as
 * the CDK app does and loads it in fresh processes; init is the import of the bundle, median of 9, in ms. Sizes are of
 * all the scripts, and of those that are loaded at the start.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { hashSync } from 'bcryptjs';

import { bundle } from '../infra/bundling.ts';
import { functions } from '../infra/manifest.ts';
import { resolveSettings, variablesOf } from '../infra/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-bundles-'));

/** Whatever a handler reads at its start; no call is made. */
const environment = {
  ...process.env,
  ...variablesOf(resolveSettings(() => undefined)),
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'x',
  AWS_SECRET_ACCESS_KEY: 'x',
  TABLE_NAME: 'ingot',
  BUCKET_NAME: 'ingot',
  BUCKET_KMS_KEY_ID: 'key',
  KMS_KEY_ID: 'key',
  WORKFLOW_ARNS: 'arn:ingot-{verify}',
  FUNCTION_BMC_PROXY: 'bmc-proxy',
  INGOT_HTPASSWD: `bench:${hashSync('bench', 4)}`,
};

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const initMilliseconds = (file: string): number => {
  const probe = join(folder, 'probe.mjs');
  writeFileSync(
    probe,
    'const start = performance.now(); await import(process.argv[2]); console.log(performance.now() - start); process.exit(0);',
  );
  const once = () =>
    Number(
      execFileSync(process.execPath, [probe, file], {
        env: environment,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
  return median(Array.from({ length: 9 }, once));
};

const rows: Record<string, object> = {};
for (const name of Object.keys(functions)) {
  const own = join(folder, name);
  mkdirSync(own);
  const files = bundle(name, own);
  const zipped = files.map(({ file }) => gzipSync(readFileSync(join(own, file))).length);
  rows[name] = {
    kb: Math.round(sum(files.map(({ bytes }) => bytes)) / 1024),
    start_kb: Math.round(sum(files.filter((one) => one.at_start).map(({ bytes }) => bytes)) / 1024),
    gzip_kb: Math.round(sum(zipped) / 1024),
    init_ms: Math.round(initMilliseconds(join(own, 'index.mjs'))),
  };
}
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ bench: 'bundles', node: process.version, functions: rows }));
