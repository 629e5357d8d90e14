/**
 * Sizes of the deployed bundles and what their start costs: `node bench/bundles.ts`. Builds each function with the
 * options of the CDK app and imports it in fresh processes; init is the import of the bundle, median of 9, in ms.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';

import { hashSync } from 'bcryptjs';
import { build } from 'esbuild';

import { bundling } from '../infra/bundling.ts';
import { functions } from '../infra/manifest.ts';

const root = new URL('..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'ingot-bundles-'));

/** Whatever a handler reads at its start; no call is made. */
const environment = {
  ...process.env,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'x',
  AWS_SECRET_ACCESS_KEY: 'x',
  TABLE_NAME: 'ingot',
  BUCKET_NAME: 'ingot',
  BUCKET_KMS_KEY_ID: 'key',
  KMS_KEY_ID: 'key',
  WORKFLOW_ARNS: '{}',
  FUNCTION_BMC_PROXY: 'bmc-proxy',
  INGOT_HTPASSWD: `bench:${hashSync('bench', 4)}`,
};

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const bundle = async (name: string): Promise<string> => {
  const outfile = join(folder, name, 'index.mjs');
  await build({
    entryPoints: [join(root, 'functions', name, 'handler.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: bundling.target,
    minify: bundling.minify,
    mainFields: bundling.mainFields,
    external: bundling.external,
    banner: { js: bundling.banner },
    logLevel: 'error',
  });
  return outfile;
};

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
  const file = await bundle(name);
  rows[name] = {
    kb: Math.round(statSync(file).size / 1024),
    gzip_kb: Math.round(gzipSync(readFileSync(file)).length / 1024),
    init_ms: Math.round(initMilliseconds(file)),
  };
}
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ bench: 'bundles', node: process.version, functions: rows }));
