/** Every route of the APIs for tenants and every persona, through the front door, against the table of operations.ts. */
import { beforeAll, describe, expect, it } from 'vitest';

import { createAsker } from './access.ts';
import { operations } from './operations.ts';
import { lettersOf, personas } from './personas.ts';
import { apiNames } from './world.ts';

let asker: Awaited<ReturnType<typeof createAsker>>;
beforeAll(async () => {
  asker = await createAsker();
});

describe.each(apiNames)('who may do what by the %s API', (api) => {
  const rows = operations[api].flatMap(([what, outcome, routes]) =>
    routes.map((route) => [route, what, outcome] as const),
  );

  it.each(rows)('%s (%s) is %s', async (route, _what, outcome) => {
    const answers = await Promise.all(
      personas.map(async ([name, subject]) => [name, await asker.letter(api, route, subject)]),
    );
    expect(answers).toEqual(lettersOf(outcome).map((letter, column) => [personas[column]![0], letter]));
  });

  it('is written down for every route, once', () => {
    const written = rows.map(([route]) => route);
    expect(asker.keys(api).filter((route) => !written.includes(route))).toEqual([]);
    expect(written.filter((route) => !asker.keys(api).includes(route))).toEqual([]);
    expect(written.filter((route, place) => written.indexOf(route) !== place)).toEqual([]);
  });
});
