/** The bundles themselves: what Lambda would load, loaded here. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { hashSync } from 'bcryptjs';
import { afterAll, describe, expect, it } from 'vitest';

import { bundle } from '../../infra/bundling.ts';
import { functions } from '../../infra/manifest.ts';
import { environmentWith } from '../fakes/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-bundling-'));
afterAll(() => rmSync(folder, { recursive: true }));

const environment = environmentWith({
  AWS_REGION: 'eu-central-1',
  TABLE_NAME: 'ingot',
  BUCKET_NAME: 'ingot',
  EVENT_BUS_NAME: 'ingot',
  KMS_KEY_ID: 'key',
  WORKFLOW_ARNS: 'arn:ingot-{verify}',
  FUNCTION_BMC_PROXY: 'bmc-proxy',
  INGOT_HTPASSWD: `somebody:${hashSync('secret', 4)}`,
});

const load = `
  const { handler } = await import(process.argv[1]);
  for (const file of process.argv.slice(2)) await import(file);
  console.log(typeof handler);
`;

/** One that stands in the client of each service, and nowhere else. */
const words = {
  S3: 'PutObjectRequest',
  'Step Functions': 'StartExecutionInput',
  KMS: 'IncorrectKeyException',
  Lambda: 'InvocationRequest',
  SSM: 'ParameterNotFound',
};

describe.each(Object.keys(functions))('the bundle of %s', (name) => {
  const own = mkdtempSync(join(folder, `${name}-`));
  const files = bundle(name, own);

  it('has a handler, and everything that it may load later is there', () => {
    const paths = ['index.mjs', ...files.map(({ file }) => file)].map((file) => join(own, file));
    const args = ['--input-type=module', '--eval', load, ...paths];
    expect(execFileSync(process.execPath, args, { env: environment, encoding: 'utf8' }).trim()).toBe('function');
  });

  it('has no file that nothing loads', () => {
    const written = readdirSync(own).filter((file) => file.endsWith('.mjs'));
    expect(written.sort()).toEqual(files.map(({ file }) => file).sort());
  });

  it('starts without the clients that few requests need', () => {
    const start = files.filter((one) => one.at_start).map(({ file }) => readFileSync(join(own, file), 'utf8'));
    expect(start).not.toEqual([]);
    expect(Object.values(words).filter((word) => start.some((text) => text.includes(word)))).toEqual([]);
  });

  it('never imports node:http, which would bring fetch and WebSocket into each cold start', () => {
    const importers = files.filter(({ file }) => readFileSync(join(own, file), 'utf8').includes('from"node:http"'));
    expect(importers).toEqual([]);
  });
});

it('finds the word of each client in the bundle of who calls it', () => {
  const own = mkdtempSync(join(folder, 'words-'));
  const texts = ['baremetal-api', 'authorizer'].flatMap((name) =>
    bundle(name, own).map(({ file }) => readFileSync(join(own, file), 'utf8')),
  );
  expect(Object.values(words).filter((word) => !texts.some((text) => text.includes(word)))).toEqual([]);
});

it('starts no API with what makes its OpenAPI document, which is there for who asks', () => {
  const own = mkdtempSync(join(folder, 'documents-'));
  const makes = (file: string) => readFileSync(join(own, file), 'utf8').includes('securitySchemes');
  const loaded = ['baremetal-api', 'compute-api', 'image-api', 'network-api'].map((name) =>
    bundle(name, own).filter(({ file }) => makes(file)),
  );
  expect(loaded.map((files) => files.map(({ at_start: atStart }) => atStart))).toEqual([
    [false],
    [false],
    [false],
    [false],
  ]);
});

it('starts the authorizer without any client of AWS', () => {
  const own = mkdtempSync(join(folder, 'authorizer-'));
  const start = bundle('authorizer', own).filter((one) => one.at_start);
  expect(start.filter(({ file }) => readFileSync(join(own, file), 'utf8').includes('SignatureV4'))).toEqual([]);
});
