/** The list "How to add ..." of CONTRIBUTING.md is true: what it names is there, and what can be added is in it. */
import { globSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { type Addition, additions, quoted, root } from './additions.ts';

/** `<resource>` and the like stand for any name. A folder ends with a slash. */
const found = (path: string): string[] => globSync(path.replaceAll(/<\w+>/g, '*').replace(/\/$/, ''), { cwd: root });
const isPath = (name: string) => /\/|\.\w+$/.test(name) && !name.includes(' ');

const filesOf = ({ touch, compiler }: Addition) => [...quoted(touch), ...compiler].filter(isPath);

/** Whether a text has the name as that of a value, a type, a column or a key. */
const declares = (text: string, name: string): boolean =>
  new RegExp(`\\b(?:const|function|type) ${name}\\b|^ +(?:readonly )?${name}\\??[:(]`, 'm').test(text);

describe.each(additions)('$title', (addition) => {
  it('has files that are there, by their whole paths', () => {
    expect(filesOf(addition)).not.toEqual([]);
    expect(filesOf(addition).filter((path) => found(path).length === 0)).toEqual([]);
  });

  it('has names that one of its files declares', () => {
    const files = filesOf(addition).flatMap(found);
    const texts = files.filter((file) => file.endsWith('.ts')).map((file) => readFileSync(root + file, 'utf8'));
    const names = quoted(addition.touch)
      .map((name) => name.replace(/: .*$/, ''))
      .filter((name) => /^\w+$/.test(name));
    expect(names.filter((name) => !texts.some((text) => declares(text, name)))).toEqual([]);
  });

  it('has a test that is there', () => {
    const tests = quoted(addition.test).filter(isPath);
    expect(tests).not.toEqual([]);
    expect(tests.filter((path) => found(path).length === 0)).toEqual([]);
  });
});

describe('the list', () => {
  const titles = additions.map(({ title }) => title).join('\n');

  it('has every kind of addition', () => {
    const kinds = ['field', 'masked field', 'filter', 'index', 'policy rule', 'kind', 'resource', 'node sub-resource'];
    const more = ['route', 'API', 'protocol', 'provision verb', 'provision state', 'key of PUT', 'workflow', 'phase'];
    const hardware = ['owner', 'BMC operation', 'request', 'BMC quirk', 'BMC error', 'hardware type', 'setting'];
    const tenants = [
      'field of servers',
      'phase of a run of servers',
      'action of servers',
      'quota',
      'field of hypervisors',
    ];
    const others = ['private note', 'function', 'grant', 'part of the platform', 'command'];
    const missing = [...kinds, ...more, ...hardware, ...tenants, ...others].filter(
      (kind) => !new RegExp(`^(a|an) (.* )?${kind}\\b`, 'm').test(titles),
    );
    expect(missing).toEqual([]);
  });

  /** Tables that say what is there, and to which nothing is added by itself. */
  const closed = new Map([
    ['interfaceKinds', 'those of Ironic; a new one is a field'],
    ['powerTargets', 'those of Ironic'],
    ['coreSteps', 'the plan of a deploy, which the phases of its workflow carry out'],
  ]);

  it('has every exported table whose keys are the names that other code goes by', () => {
    const product = globSync('{cli,functions,infra,layers,workflows}/**/*.ts', { cwd: root });
    const table = /^export const (\w+)[^;]*?^\} as const satisfies|^export const (\w+)[^=\n]*\[\w+ in /gm;
    const tables = product.flatMap((file) =>
      [...readFileSync(root + file, 'utf8').matchAll(table)].map(([, one, other]) => one ?? other!),
    );
    expect(tables.length).toBeGreaterThan(10);
    const named = new Set(additions.flatMap(({ touch }) => quoted(touch)));
    expect(tables.filter((name) => !named.has(name) && !closed.has(name))).toEqual([]);
  });
});
