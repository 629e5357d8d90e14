/** What a file exports, another one needs: what nobody imports is dead, or is nobody else's business. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, it } from 'vitest';

const root = new URL('..', import.meta.url).pathname;
const product = globSync('{cli,functions,infra,layers,local,migrate,scripts,simulator,workflows}/**/*.ts', {
  cwd: root,
});
const others = globSync('{bench,test}/**/*.{ts,py}', { cwd: root });
const texts = new Map([...product, ...others].map((file) => [file, readFileSync(join(root, file), 'utf8')]));

/** Called by their place: by Lambda, by the workers of the one-machine runner, by whoever checks settings. */
const entries = /^functions\/[^/]+\/(handler|app|config)\.ts$/;
/** For tests, and for whoever simulates everything. */
const memory = 'layers/platform/memory/';

const statement = /(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)'/g;
const whole = /import(?: \* as \w+ from |\()'(\.[^']+)'/g;

/** `file name` of each import of `from`; of a file that is imported whole, each word may be one. */
const importsOf = (from: string): string[] => {
  const text = texts.get(from)!;
  const named = [...text.matchAll(statement)].flatMap(([, names, path]) =>
    names!.split(',').map((name) => [
      path!,
      name
        .trim()
        .replace(/^type /, '')
        .split(' as ')[0]!,
    ]),
  );
  const words = [...new Set(text.match(/\w+/g))];
  const loaded = [...text.matchAll(whole)].flatMap(([, path]) => words.map((word) => [path!, word]));
  return [...named, ...loaded].map(([path, name]) => `${join(dirname(from), path!)} ${name}`);
};

const ours = new Set(product.flatMap(importsOf));
const theirs = new Set(others.flatMap(importsOf));

type Export = { readonly id: string; readonly isType: boolean; readonly usedAtHome: boolean };
const exportsOf = (file: string): Export[] =>
  [...texts.get(file)!.matchAll(/^export (?:async )?(const|function|class|type|interface) (\w+)/gm)].map(
    ([, what, name]) => ({
      id: `${file} ${name}`,
      isType: what === 'type' || what === 'interface',
      usedAtHome: texts.get(file)!.match(new RegExp(`\\b${name}\\b`, 'g'))!.length > 1,
    }),
  );
const exports = product.filter((file) => !entries.test(file)).flatMap(exportsOf);

it('finds exports and imports, and misses what nobody imports', () => {
  expect(exports.length).toBeGreaterThan(1000);
  expect(ours).toContain('layers/domain/fault.ts Fault');
  expect(ours).not.toContain('layers/domain/fault.ts Nothing');
});

it('has no exported value that no other file imports', () => {
  const dead = exports.filter(({ id, isType }) => !isType && !ours.has(id) && !theirs.has(id));
  expect(dead.map(({ id }) => id)).toEqual([]);
});

it('has nothing that only tests use', () => {
  const dead = exports.filter(({ id, usedAtHome }) => !ours.has(id) && !usedAtHome && !id.startsWith(memory));
  expect(dead.map(({ id }) => id)).toEqual([]);
});
