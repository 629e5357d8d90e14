/** Unit tests share the modules of the product: who changes a table of it is a `*.alone.test.ts`, which has its own. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('..', import.meta.url).pathname;
const tests = globSync('test/**/*.test.ts', { cwd: root });

const imported =
  /^import \{([^}]*)\} from '(?:\.\.\/)+(?:layers|workflows|functions|infra|local|migrate|simulator)\//gm;
/** Names of the product's that a file writes to: by Object.assign, or by assigning or deleting something in it. */
const changedIn = (source: string): string[] =>
  [...source.matchAll(imported)]
    .flatMap(([, names]) =>
      names!.split(',').map((name) =>
        name
          .trim()
          .split(/\s+as\s+/)
          .at(-1)!,
      ),
    )
    .filter((name) => /^\w+$/.test(name))
    .filter((name) =>
      [
        String.raw`Object\.(?:assign|defineProperty)\(\s*${name}(?:[.[]\S*)?,`,
        String.raw`(?<![\w.])delete \(?${name}[ .[)]`,
        String.raw`^\s*\(?${name}(?: as [^=;]+\))?[.[][^=;({]*(?<![=!<>])=(?![=>])`,
      ].some((pattern) => new RegExp(pattern, 'm').test(source)),
    );

const at = (file: string) => readFileSync(new URL(file, `file://${root}`), 'utf8');
const isAlone = (file: string) => file.endsWith('.alone.test.ts');

it('finds those that do', () => {
  const found = tests.filter(isAlone).filter((file) => changedIn(at(file)).length > 0);
  expect(found).toContain('test/layers/domain/note.alone.test.ts');
  expect(found.length).toBeGreaterThan(3);
});

it('none of the others does', () => {
  const others = tests.filter((file) => !isAlone(file));
  expect(others.flatMap((file) => changedIn(at(file)).map((name) => `${file}: ${name}`))).toEqual([]);
});
