/**
 * The statements of each record until it is known which of them are in the script: in a temporary SQLite database, which
 * lives in memory as long as it is small and else in a file without a name, which is gone with the process (ADR 23).
 */
import { DatabaseSync } from 'node:sqlite';

import type { Place } from './export-keys.ts';

/** In the order in which a script has them. */
const stages = ['first', 'body', 'last'] as const;

export type Staged = { readonly [S in (typeof stages)[number]]: readonly string[] };

export const createSpool = () => {
  const db = new DatabaseSync('');
  db.exec(`CREATE TABLE records (n INTEGER PRIMARY KEY, place, ${stages.join(', ')}); BEGIN`);
  const insert = db.prepare(`INSERT INTO records (place, ${stages.join(', ')}) VALUES (?, ?, ?, ?)`);
  return {
    add: (place: Place, staged: Staged): void => {
      insert.run(place, ...stages.map((stage) => staged[stage].join('\n')));
    },
    /** What came, stage by stage and within it as it came, of those that are wanted. May be read once. */
    statements: function* (isWanted: (place: Place) => boolean): Generator<string> {
      for (const stage of stages) {
        const found = db.prepare(`SELECT place, ${stage} AS text FROM records WHERE ${stage} <> '' ORDER BY n`);
        for (const { place, text } of found.iterate()) if (isWanted(place as Place)) yield text as string;
      }
      db.close();
    },
  };
};
