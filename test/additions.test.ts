/**
 * What CONTRIBUTING.md says that the compiler asks for, it asks for, and nothing else: a copy of the house gets one row
 * of each kind, and is compiled once. Each sample has a name of its own, by which its errors are known.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { additions, root } from './additions.ts';

/** `sample`: the name in errors. In `file`, `row` is put behind `after`. */
type Sample = { readonly sample: string; readonly file: string; readonly after: string; readonly row: string };

const samples: Readonly<Record<string, Sample>> = {
  'a provision verb': {
    sample: 'sample_work',
    file: 'layers/domain/baremetal/verbs.ts',
    after: 'const rows = {',
    row: "sample_verb: { event: 'manage', workflow: 'sample_work' },",
  },
  'a provision state': {
    sample: 'sample state',
    file: 'layers/domain/baremetal/transitions.ts',
    after: 'export const transitions = {',
    row: "'sample state': { done: 'manageable' },",
  },
  'a key of PUT states/provision': {
    sample: 'sample_key',
    file: 'layers/domain/baremetal/verbs.ts',
    after: 'export const bodyKeys = [',
    row: "'sample_key',",
  },
  'an owner of runs': {
    sample: 'sample_owner',
    file: 'workflows/index.ts',
    after: 'export const workflows = {',
    row: "sample_run: { ...allocate, owner: 'sample_owner' },",
  },
  'a step that needs no agent': {
    sample: 'bios.sample_step',
    file: 'layers/domain/machine-steps.ts',
    after: 'export const bmcSteps = {',
    row: "'bios.sample_step': { implementation: 'redfish', args: none },",
  },
  'a BMC operation': {
    sample: 'power.sample',
    file: 'layers/bmc/operations.ts',
    after: 'export const operations = {',
    row: "'power.sample': { in: none, out: changed, writes: true },",
  },
  'a private note of a node': {
    sample: 'sample_note',
    file: 'layers/domain/notes.ts',
    after: 'export const notes = {',
    row: "sample_note: { schema: z.string(), lifetime: 'boot', doc: '' },",
  },
  'a grant': {
    sample: 'sample:grant',
    file: 'infra/grants.ts',
    after: 'export const grants = {',
    row: "'sample:grant': { part: 'table', doc: '' },",
  },
  'a part of the platform': {
    sample: 'sample_part',
    file: 'layers/platform/platform.ts',
    after: 'export type Platform = {',
    row: 'readonly sample_part: Table;',
  },
  'a condition of inspection rules': {
    sample: 'sample-condition',
    file: 'layers/domain/inspection-rules/operations.ts',
    after: 'export const conditionOps = {',
    row: "'sample-condition': value,",
  },
  'an action of inspection rules': {
    sample: 'sample-action',
    file: 'layers/domain/inspection-rules/operations.ts',
    after: 'export const actionOps = {',
    row: "'sample-action': set,",
  },
  'a way to authenticate': {
    sample: 'sample_way',
    file: 'functions/authorizer/config.ts',
    after: 'z.enum([',
    row: "'sample_way',",
  },
};

/** What is compiled: the product, and the fakes that stand in for it, with what they use. */
const include = ['cli', 'functions', 'infra', 'layers', 'local', 'migrate', 'simulator', 'workflows', 'test/fakes'];
const copy = mkdtempSync(join(tmpdir(), 'ingot-additions-'));
let lines: string[] = [];

const insert = ({ file, after, row }: Sample): void => {
  const text = readFileSync(join(copy, file), 'utf8');
  expect([file, text.split(after).length]).toEqual([file, 2]);
  writeFileSync(
    join(copy, file),
    text.replace(after, () => `${after}\n${row}`),
  );
};

/** One error a line; what explains it is indented, and joined to it. */
const compile = async (): Promise<string[]> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'],
      { cwd: copy },
      (_error, out) => resolve(out.replaceAll(/\n +/g, ' ').trim().split('\n')),
    );
  });

const isOf = (line: string, { sample }: Sample) => new RegExp(`(?<![\\w.:-])${sample}(?![\\w.:-])`).test(line);
const fileOf = (line: string) => line.replace(/\(.*$/, '');
const askedFor = (sample: Sample) => [...new Set(lines.filter((line) => isOf(line, sample)).map(fileOf))].toSorted();

beforeAll(async () => {
  for (const name of [...include, 'package.json']) cpSync(join(root, name), join(copy, name), { recursive: true });
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as object & {
    compilerOptions: object;
  };
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  Object.values(samples).forEach(insert);
  lines = await compile();
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Two of the samples are of one item. */
const titlesOf = (title: string) =>
  title.includes('inspection rules') ? 'a condition or an action of inspection rules' : title;
const askingFor = additions.filter(({ compiler }) => compiler.length > 0);

it('makes every addition about which the compiler asks', () => {
  expect([...new Set(Object.keys(samples).map(titlesOf))].toSorted()).toEqual(
    askingFor.map(({ title }) => title).toSorted(),
  );
});

it.each(askingFor)('asks for what is missing of $title', ({ title, compiler }) => {
  const asked = Object.entries(samples).flatMap(([name, sample]) => (titlesOf(name) === title ? askedFor(sample) : []));
  expect([...new Set(asked)].toSorted()).toEqual(compiler.toSorted());
});

it('asks for nothing else', () => {
  expect(lines.filter((line) => !Object.values(samples).some((sample) => isOf(line, sample)))).toEqual([]);
});
