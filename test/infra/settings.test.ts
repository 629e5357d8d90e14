/** A setting is one row in the manifest and one line in the `config.ts` that reads it: neither without the other. */
import { globSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { settingVariable } from '../../infra/environment.ts';
import { settings } from '../../infra/manifest.ts';

const root = new URL('../..', import.meta.url).pathname;
const textsOf = (pattern: string) => globSync(pattern, { cwd: root }).map((file) => readFileSync(root + file, 'utf8'));

const namesIn = (texts: string[], name: RegExp) => new Set(texts.flatMap((text) => text.match(name) ?? []));
const read = namesIn(textsOf('functions/*/config.ts'), /\bINGOT_[A-Z0-9_]+\b/g);
const substituted = namesIn(textsOf('workflows/*.asl.json'), /(?<=\$\{)\w+(?=\})/g);

/** Users are handed to the authorizer alone, and only the one-machine runner knows that it listens on a loopback. */
const others = ['INGOT_HTPASSWD', 'INGOT_HTPASSWD_FILE', 'INGOT_LOOPBACK'];

describe('settings', () => {
  it('are all that functions read', () => {
    const variables = Object.keys(settings).map(settingVariable);
    expect([...read].filter((name) => !variables.includes(name)).sort()).toEqual(others);
  });

  it('are all that workflows have for substitution, but for the function that runs the phases', () => {
    expect([...substituted].filter((name) => !Object.hasOwn(settings, name))).toEqual(['workflow']);
  });

  it('are each read by a function or a workflow', () => {
    const unread = Object.keys(settings).filter((name) => !read.has(settingVariable(name)) && !substituted.has(name));
    expect(unread).toEqual([]);
  });
});
