import { globSync, readFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isSecretName, mask, maskField, maskSecrets } from '../../../layers/domain/masking.ts';
import { node } from '../../../layers/domain/node.ts';
import {
  drop,
  forget,
  keep,
  lifetimes,
  note,
  noteOf,
  notes,
  notesUntil,
  type Ending,
  type Lifetime,
  type Note,
  type NoteName,
} from '../../../layers/domain/notes.ts';
import { everyNote, noteNames, strangeNotes } from '../../fakes/notes.ts';

const root = new URL('../../../', import.meta.url);
const rows: Readonly<Record<NoteName, Note>> = notes;
const endings = Object.keys(lifetimes).filter((name): name is Ending => name !== 'node');

describe('the table of notes', () => {
  it.each(noteNames)('takes an example of %s', (name) => {
    expect(rows[name].schema.safeParse(everyNote[name]).error).toBeUndefined();
  });

  it('has a lifetime for each note, and a use for each lifetime', () => {
    const used = new Set<Lifetime>(noteNames.map((name) => rows[name].lifetime));
    expect(Object.keys(lifetimes).filter((name) => !used.has(name as Lifetime))).toEqual([]);
  });

  it("ends shorter lifetimes with longer ones: the instance is the longest, and leaves what is the node's", () => {
    const left = noteNames.filter((name) => !notesUntil('instance').includes(name));
    expect(left.map((name) => rows[name].lifetime)).toEqual(
      left.map((name) => ({ agent_medium: 'medium', guest_metadata_stale: 'document' })[name as string] ?? 'node'),
    );
    for (const ending of endings.filter((name) => name !== 'medium' && name !== 'document')) {
      expect(notesUntil('instance')).toEqual(expect.arrayContaining(notesUntil(ending)));
    }
  });

  it('forgets for each ending its notes and no others, known or not', () => {
    for (const ending of endings) {
      const before = { driver_internal_info: { ...strangeNotes, ...everyNote } };
      const after = forget(before, ending).driver_internal_info;
      const gone = Object.keys(before.driver_internal_info).filter((name) => !(name in after));
      expect([ending, gone]).toEqual([ending, notesUntil(ending)]);
    }
  });
});

it('takes names and values of the table only, as the compiler sees to', () => {
  const node = { driver_internal_info: {} };
  // @ts-expect-error -- no such note
  keep(node, { agent_uri: 'https://10.0.0.9:9999' });
  // @ts-expect-error -- a text
  keep(node, { agent_url: 1 });
  // @ts-expect-error -- a name that is chosen needs its own type of value, too
  noteOf(noteNames[0] === 'agent_url' ? 'agent_url' : 'agent_version', 1);
  // @ts-expect-error -- no such note
  note(node, 'agent_uri');
  // @ts-expect-error -- nothing ends it
  forget(node, 'node');
  const url: string | undefined = note(node, 'agent_url');
  expect(url).toBeUndefined();
});

describe('a stored record with notes that this version does not know', () => {
  const anything = fc.dictionary(fc.string(), fc.jsonValue());

  it('keeps them whatever is noted, dropped and forgotten', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom(...endings), fc.subarray([...noteNames]), (stored, ending, names) => {
        const strange = Object.fromEntries(Object.entries(stored).filter(([name]) => !Object.hasOwn(notes, name)));
        const node = { driver_internal_info: { ...everyNote, ...strange } };
        const after = forget(keep(drop(node, ...names), { agent_url: 'https://b' }), ending).driver_internal_info;
        expect(after).toMatchObject(strange);
      }),
    );
  });

  it('reads none of them as one of its own', () => {
    expect(note({ driver_internal_info: strangeNotes }, 'agent_url')).toBeUndefined();
  });
});

describe('what is shown of notes', () => {
  const shown = (info: object) => maskField(node.driver_internal_info.masked, info);

  it('has the mask in place of all that is called a secret, by the table and by the name', () => {
    expect(noteNames.filter((name) => rows[name].masked)).toEqual(noteNames.filter(isSecretName));
    expect(shown({ ...strangeNotes, ...everyNote })).toEqual({
      ...everyNote,
      agent_secret_token: mask,
      agent_secret_token_pregenerated: mask,
      agent_token_by_lookup: mask,
      of_another_version: { password: mask, plain: 1 },
    });
  });

  it('never has a secret, however deep it is, and whether the note is known or not', () => {
    const secret = fc.constantFrom('password', 'ipmi_password', 'TOKEN', 'agent_secret_token', 'priv_key');
    const masked = fc.constantFrom(...noteNames.filter((name) => rows[name].masked));
    const tree = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(secret, fc.constant('MARKED')),
        fc.dictionary(fc.stringMatching(/^[a-f]{1,4}$/), tie('node')),
      ),
    })).node;
    const record = fc
      .tuple(
        fc.dictionary(fc.constantFrom<string>(...noteNames, 'of_another_version'), tree),
        fc.dictionary(fc.oneof(masked, secret), fc.constant('MARKED')),
      )
      .map(([plain, secrets]) => ({ ...plain, ...secrets }));
    fc.assert(
      fc.property(record, (info) => {
        expect(JSON.stringify(shown(info))).not.toContain('MARKED');
        expect(shown(info)).toEqual(maskSecrets(info));
      }),
    );
  });
});

describe('the product', () => {
  const withoutComments = (source: string) => source.replace(/\/\*[^]*?\*\/|(?<!:)\/\/.*/g, '');
  const sources = globSync('{layers,workflows,functions,infra,local,simulator}/**/*.ts', { cwd: root.pathname }).map(
    (file) => ({ file, text: withoutComments(readFileSync(new URL(file, root), 'utf8')) }),
  );
  const all = sources.map(({ text }) => text).join('\n');

  /** The names that a column of the table of step kinds has (`names` in the plan). */
  const namesOf = (column: string) =>
    [...all.matchAll(new RegExp(`\\b${column}: '(\\w+)'`, 'g'))].map(([, name]) => name as NoteName);

  /** `note(node, 'agent_url')` and `note(node, names[kind].steps)`. */
  const read = [...all.matchAll(/\bnote\(\s*[^,()]+,\s*(?:'(\w+)'|names\[kind\]\.(\w+))/g)].flatMap(
    ([, name, column]) => (name === undefined ? namesOf(column!) : [name as NoteName]),
  );

  it('reads each note somewhere, but for those that are there to be looked at', () => {
    const isRead = (name: NoteName) => read.includes(name);
    expect(noteNames.filter((name) => !isRead(name))).toEqual(noteNames.filter((name) => rows[name].unread));
  });

  it('reaches notes by the table only', () => {
    const spells = sources.filter(({ text }) => text.includes('driver_internal_info')).map(({ file }) => file);
    // Beside the table: the field, who may see it, what shows it beside the API's views, which read the field's row, and who
    // is shown it by the API.
    expect(spells.toSorted()).toEqual([
      'functions/ramdisk-api/lookup.ts',
      'layers/baremetal-client/nodes.ts',
      'layers/baremetal-client/shown.ts',
      'layers/domain/baremetal/policy.ts',
      'layers/domain/node.ts',
      'layers/domain/notes.ts',
    ]);
  });
});
