/** Whoever follows a reference in a comment, or a link in a page, arrives somewhere. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

import { anchorsOf, contentsOf, decisionsIn, linksIn, read, referencesIn, root, texts } from './references.ts';

const shelf = 'docs/reference';
const books = new Map(texts.filter((file) => dirname(file) === shelf).map((file) => [basename(file, '.md'), file]));
const contents = new Map([...books].map(([name, file]) => [name, contentsOf(read(file))]));
const names = [...books.keys()].filter((name) => name !== 'README');
const pages = texts.filter((file) => file.endsWith('.md'));
/** This test quotes references that lead nowhere. */
const followed = texts.filter((file) => !file.startsWith('test/docs/'));

const leadsNowhere = (text: string): string[] =>
  referencesIn(text, names).flatMap(({ book, section, row }) => {
    if (section === '') return [];
    const rows = contents.get(book)?.get(section);
    const name = `${book}.md ${section}${row === undefined ? '' : ` row ${row}`}`;
    return !rows || (row !== undefined && !rows.has(row)) ? [name] : [];
  });

/** By file, those that have any. */
const inFiles = (files: readonly string[], wrong: (text: string, file: string) => string[]): string[] =>
  files.flatMap((file) => wrong(read(file), file).map((what) => `${file}: ${what}`));

describe('a reference', () => {
  it('is read in every form that comments have', () => {
    const sections = (text: string) =>
      referencesIn(text, ['a-b', 'DESIGN']).map(({ book, section, row }) =>
        [book, section, ...(row === undefined ? [] : [`row ${row}`])].join(' '),
      );
    expect(sections('(a-b.md 5.2)')).toEqual(['a-b 5.2']);
    expect(sections('a-b.md 4 and 7: x, a-b.md 9.')).toEqual(['a-b 4', 'a-b 7', 'a-b 9']);
    expect(sections('(a-b.md 1.2, 2.2 to 2.4, 3-5)')).toEqual(
      ['1.2', '2.2', '2.3', '2.4', '3', '4', '5'].map((section) => `a-b ${section}`),
    );
    expect(sections('(a-b.md 4.1, 5 rows 5-7, 9 and 24)')).toEqual([
      'a-b 4.1',
      'a-b 5',
      ...[5, 6, 7, 9, 24].map((row) => `a-b 5 row ${row}`),
    ]);
    expect(sections('(a-b.md 2.1, since 1.37)')).toEqual(['a-b 2.1']);
    expect(sections('`docs/reference/a-b.md` section 6; DESIGN 7, ADR 9')).toEqual(['a-b 6', 'DESIGN 7']);
    expect(sections('[a-b.md](reference/a-b.md#6-x) 6, and all of a-b.md')).toEqual(['a-b 6', 'a-b ']);
    expect(sections(' * what it is\n * (a-b.md\n * 10).')).toEqual(['a-b 10']);
    expect(sections('  // as in a-b.md 3,\n  // 4.1\n')).toEqual(['a-b 3', 'a-b 4.1']);
    expect(sections('a-b.md 3, 100,000 nodes')).toEqual(['a-b 3', 'a-b 100', 'a-b 000']);
    expect(decisionsIn('ADRs 3 and 12, ADR 9; docs/adr/0011-x.md')).toEqual(['3', '12', '9', '11']);
  });

  it('to a section or row that is not there is found out', () => {
    expect(leadsNowhere('redfish.md 4.1, 5 rows 8 and 99; ironic-api.md 2.77, DESIGN.md 3.4')).toEqual([
      'redfish.md 5 row 99',
      'ironic-api.md 2.77',
    ]);
  });

  it('of a comment leads to a section that is there', () => {
    expect(followed.flatMap((file) => referencesIn(read(file), names)).length).toBeGreaterThan(200);
    expect(inFiles(followed, leadsNowhere)).toEqual([]);
  });

  it('within a book leads to a section of that book, or of one that it names', () => {
    const own = (text: string, file: string): string[] => {
      const known = contents.get(basename(file, '.md'))!;
      const unnamed = text.replaceAll(/[\w-]+\.md`? sections? [\d., and]+/g, '');
      return [...unnamed.matchAll(/\b[Ss]ections? (\d+(?:\.\d+)*)(?: and (\d+(?:\.\d+)*))?/g)]
        .flatMap(([, ...found]) => found.filter((section) => section !== undefined))
        .filter((section) => !known.has(section));
    };
    expect(inFiles([...books.values()], own)).toEqual([]);
  });

  it('to a decision leads to one that is there', () => {
    const decisions = texts
      .filter((file) => dirname(file) === 'docs/adr')
      .map((file) => String(Number(basename(file).split('-')[0])));
    expect(inFiles(followed, (text) => decisionsIn(text).filter((one) => !decisions.includes(one)))).toEqual([]);
    const crossed = (text: string) =>
      [...text.matchAll(/\[ADR (\d+)\]\([^)]*\/(\d+)-[^)]*\)/g)]
        .filter(([, said, linked]) => Number(said) !== Number(linked))
        .map(([link]) => link);
    expect(inFiles(pages, crossed)).toEqual([]);
  });
});

describe('a page', () => {
  const places = ['', 'docs/', `${shelf}/`, 'docs/guides/', 'docs/adr/'];
  it('that a text names is there', () => {
    const missing = (text: string, file: string): string[] =>
      [...text.matchAll(/(?<![\w/.-])((?:[\w.-]+\/)*[\w-]+\.md)\b/g)]
        .map(([, name]) => name!)
        .filter((name) => ![...places, `${dirname(file)}/`].some((place) => texts.includes(normalize(place + name))));
    expect(inFiles(followed, missing)).toEqual([]);
  });

  it('has links that are alive, to files and to headings', () => {
    const dead = (text: string, file: string): string[] =>
      linksIn(text).filter((link) => {
        if (/^(https?|mailto):/.test(link)) return false;
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? file : normalize(join(dirname(file), path));
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && !anchorsOf(read(target)).has(anchor);
      });
    expect(pages.flatMap((file) => linksIn(read(file))).length).toBeGreaterThan(50);
    expect(inFiles(pages, dead)).toEqual([]);
  });

  it('of the shelf stands in its index', () => {
    const listed = linksIn(read(`${shelf}/README.md`)).filter((link) => !link.includes('/'));
    expect(listed.toSorted()).toEqual(names.map((name) => `${name}.md`).toSorted());
  });
});

describe('a file', () => {
  it('sends nobody out of the repository, unless it is a test that reads data there', () => {
    const sent = (text: string) => (text.includes('../shared') ? ['../shared'] : []);
    const product = texts.filter((file) => !file.startsWith('test/'));
    expect(inFiles(product, sent)).toEqual([]);
  });

  it('cites no number of a requirement, for no book has them', () => {
    const cited = (text: string) => text.match(/\bR[01]\d\d\b/g) ?? [];
    expect(inFiles(followed, cited)).toEqual([]);
  });
});
