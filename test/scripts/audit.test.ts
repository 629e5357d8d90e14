/** The audit of dependencies. That the locked ones pass it is `npm run check`. */
import { describe, expect, it } from 'vitest';

import { audit, type Locked, type Manifest } from '../../scripts/audit/rules.ts';

const integrity = `sha512-${'A'.repeat(86)}==`;
const fine: Locked = { version: '1.0.0', integrity, license: 'MIT' };
const of = (locked: Locked, path = 'node_modules/lamp', manifest: Manifest = {}) =>
  audit(manifest, { '': {}, [path]: locked });

describe('a package', () => {
  it('that is whole, from the registry, and free to use passes', () => {
    expect(of(fine)).toEqual([]);
    expect(of({ ...fine, resolved: 'https://registry.npmjs.org/lamp/-/lamp-1.0.0.tgz' })).toEqual([]);
  });

  const without = ({ integrity: _integrity, ...rest }: Locked): Locked => rest;

  it.each<[string, Locked, string]>([
    ['without a hash', without(fine), 'has no SHA-512'],
    ['with a hash of the past', { ...fine, integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'has no SHA-512'],
    ['from elsewhere', { ...fine, resolved: 'git+ssh://git@github.com/a/lamp.git#1' }, 'comes from git+ssh://'],
    [
      'from a host that looks alike',
      { ...fine, resolved: 'https://registry.npmjs.org.evil.example/lamp.tgz' },
      'comes from',
    ],
    ['that is a link', { ...fine, link: true }, 'is a link to a folder'],
    ['with a script', { ...fine, hasInstallScript: true }, 'runs a script'],
    ['without a licence', (({ license: _license, ...rest }) => rest)(fine), 'has the licence none'],
    ['that is not free', { ...fine, license: 'GPL-3.0-or-later' }, 'GPL-3.0-or-later'],
    ['of which a part is not', { ...fine, license: '(MIT AND GPL-2.0-only)' }, 'GPL-2.0-only'],
  ])('%s is told of', (_what, locked, words) => {
    expect(of(locked)).toEqual([expect.stringMatching(`^node_modules/lamp 1.0.0: .*`)]);
    expect(of(locked)[0]).toContain(words);
  });

  it('may be free in one of several ways, and come inside another one, whose hash is over it', () => {
    expect(of({ ...fine, license: '(GPL-3.0-or-later OR MIT)' })).toEqual([]);
    expect(of({ ...without(fine), inBundle: true })).toEqual([]);
  });

  it('may have a script that somebody has looked at', () => {
    const manifest = { allowScripts: { '@a/lamp': false } };
    const path = 'node_modules/b/node_modules/@a/lamp';
    expect(of({ ...fine, hasInstallScript: true }, path, manifest)).toEqual([]);
    expect(of({ ...fine, hasInstallScript: true }, path)).toHaveLength(1);
  });

  it('of a version that was stolen is told of, wherever it stands', () => {
    expect(of({ ...fine, version: '5.6.1' }, 'node_modules/lamp/node_modules/chalk')).toEqual([
      expect.stringContaining('take another version'),
    ]);
    expect(of({ ...fine, version: '5.6.2' }, 'node_modules/chalk')).toEqual([]);
  });
});

it('a range in package.json is told of: what is installed shall be what was looked at', () => {
  const wanted = {
    dependencies: { lamp: '^1.0.0' },
    devDependencies: { desk: '1.2.3' },
    optionalDependencies: { cup: '*' },
  };
  expect(audit(wanted, {})).toEqual([
    'package.json: lamp is wanted as ^1.0.0, not as one version.',
    'package.json: cup is wanted as *, not as one version.',
  ]);
});
