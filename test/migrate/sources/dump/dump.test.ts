/** Dumps in forms that the samples do not have. What real programs write is in `test/databases`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import type { ReadTables, Row } from '../../../../migrate/sources/columns.ts';
import { openSource } from '../../../../migrate/sources/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tables: ReadTables = { things: { key: 'id', columns: { id: 'number', name: 'text', on_: 'flag' } } };

const read = async (content: string | Buffer, charset?: string): Promise<Row[]> => {
  const path = join(folder, 'dump.sql');
  writeFileSync(path, content);
  const source = await openSource(path, { charset }, tables);
  const found: Row[] = [];
  for await (const batch of source.rows('things')) found.push(...batch);
  await source.close();
  return found;
};

const mysql = (rest: string) =>
  `SET NAMES utf8mb4;\nCREATE TABLE \`things\` (\n \`id\` int(11) NOT NULL, \`name\` varchar(9) DEFAULT 'a,b', \`on_\` tinyint(1), other decimal(10,2), PRIMARY KEY (\`id\`), KEY \`x\` (\`name\`,\`on_\`));\n${rest}`;

describe('a dump', () => {
  it('has its rows in the order of their key, wherever they stand', async () => {
    const rows = await read(
      mysql(
        "INSERT INTO `things` VALUES (10,'b',1,NULL),(9,NULL,0,-1.5);\nINSERT INTO things (on_, id) VALUES (NULL, 2);",
      ),
    );
    expect(rows).toEqual([
      { id: 2, name: null, on_: null },
      { id: 9, name: null, on_: false },
      { id: 10, name: 'b', on_: true },
    ]);
  });

  it('has tables besides, which are passed over, also what is no value in them', async () => {
    const rows = await read(
      mysql(
        "INSERT INTO other VALUES (ST_GeomFromText('x'), 1+1);\nCREATE TRIGGER t BEFORE INSERT ON other BEGIN SET @a = 1; END;\nINSERT INTO `things` VALUES (1,'a',1,0);",
      ),
    );
    expect(rows).toHaveLength(1);
  });

  it('has lines of COPY with their schema, NULLs and escapes', async () => {
    const rows = await read(
      "SET client_encoding = 'UTF8';\n\\restrict abc\nCREATE TABLE public.things (id integer NOT NULL, name character varying(9), on_ boolean, CONSTRAINT a CHECK ((id > 0)));\nCOPY public.things (id, name, on_) FROM stdin;\n2\ta\\tb\\\\N\\n\tt\n1\t\\N\tf\n\\.\n\\unrestrict abc\n",
    );
    expect(rows).toEqual([
      { id: 1, name: null, on_: false },
      { id: 2, name: 'a\tb\\N\n', on_: true },
    ]);
  });

  it('of sqlite3 has functions where a text needs them', async () => {
    const rows = await read(
      "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE things (id INTEGER PRIMARY KEY, name, on_);\nINSERT INTO things VALUES(1,replace(replace('a\\r\\nb','\\r',char(13)),'\\n',char(10)),1);\nINSERT INTO \"things\" VALUES(2,unistr('a\\u0001\\\\b'),0);\nCOMMIT;\n",
    );
    expect(rows.map(({ name }) => name)).toEqual(['a\r\nb', 'a\u0001\\b']);
  });

  it('is in the character set that it names, or that is said', async () => {
    const text = "SET NAMES latin1;\nINSERT INTO things (id, name, on_) VALUES (1, 'büro', 1);";
    expect(await read(Buffer.from(text, 'latin1'))).toMatchObject([{ name: 'büro' }]);
    expect(await read(Buffer.from(text, 'utf8'))).toMatchObject([{ name: 'bÃ¼ro' }]);
    expect(await read(Buffer.from(text, 'utf8'), 'utf-8')).toMatchObject([{ name: 'büro' }]);
    await expect(read(Buffer.from(text, 'latin1'), 'utf-8')).rejects.toThrow('line 1: bytes that are no utf-8');
    await expect(read(text, 'klingon')).rejects.toThrow('The character set klingon is not known');
  });
});

describe('what is no whole dump', () => {
  it.each([
    [
      'nothing that is known',
      'hello',
      'is neither an SQLite database nor a dump as mysqldump, pg_dump, sqlite3 .dump write it',
    ],
    ['an archive', 'PGDMP\x01', 'pg_restore --file=nova_bm.sql'],
    ['cut off in a text', mysql("INSERT INTO things VALUES (1,'a"), 'cut off'],
    ['cut off between words', mysql('INSERT INTO things VALUES (1,'), 'cut off'],
    ['cut off between statements', `-- MySQL dump 10\n${mysql('')}`, 'the end of what mysqldump writes is missing'],
    [
      'rolled back',
      'PRAGMA x;\nBEGIN TRANSACTION;\nROLLBACK; -- due to errors\n',
      'the end of what sqlite3 .dump writes is missing',
    ],
    ['no structure', "SET NAMES utf8;\nINSERT INTO things VALUES (1,'a',1);", 'rows of things before its CREATE TABLE'],
    ['of two databases', mysql(mysql('')), 'a second table things'],
    [
      'twice the same row',
      mysql("INSERT INTO things VALUES (1,'a',1,0),(1,'b',1,0);"),
      'UNIQUE constraint failed: things.id',
    ],
    [
      'rows of another length',
      mysql("INSERT INTO things VALUES (1,'a');"),
      'a row of things with 2 values for 4 columns',
    ],
    ['changes of rows', mysql("DELETE FROM `things` WHERE name = 'a';"), 'a statement that changes rows of things'],
    ['no values', mysql('INSERT INTO things SELECT * FROM other;'), 'an INSERT into things without VALUES'],
    ['sums', mysql("INSERT INTO things VALUES (1+1,'a',1,0);"), 'in a form that no dump program writes'],
  ])('is refused: %s', async (_, content, reason) => {
    await expect(read(content)).rejects.toThrow(reason);
  });

  it('is refused with the line, and without what stands there', async () => {
    const error = await read(mysql("INSERT INTO things VALUES (1,'c4nary',frobnicate('c4nary'),0);")).catch(
      (error: Error) => error.message,
    );
    expect(error).toMatch(/dump\.sql, line 4: the function frobnicate in VALUES, which no dump program writes\.$/);
  });

  it('is refused if it can not be read', async () => {
    await expect(openSource(join(folder, 'missing.sql'), {}, tables)).rejects.toThrow(
      'missing.sql can not be read: ENOENT.',
    );
    await expect(read(Buffer.from([0x1f, 0x8b, 8, 0, 1]))).rejects.toThrow('can not be read to its end');
    await expect(read(`SQLite format 3\0${'x'.repeat(100)}`)).rejects.toThrow('can not be read as an SQLite database');
  });
});
