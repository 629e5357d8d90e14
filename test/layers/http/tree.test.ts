import { describe, expect, it } from 'vitest';

import { createTree, paramsOf } from '../../../layers/http/tree.ts';

const rows = [
  { at: 'GET /' },
  { at: 'GET /lamps' },
  { at: 'POST /lamps' },
  { at: 'GET /lamps/{lamp}' },
  { at: 'GET /lamps/new' },
  { at: 'GET /lamps/{lamp}/bulbs/{bulb}' },
  { at: 'GET /lamps/new/form' },
  { at: 'ANY /files/{name}/{path+}' },
];
const find = createTree(rows);

/** The row of GET, or of any method, and its parameters. */
const at = (path: string) => {
  const found = find(path.split('/').slice(1));
  const leaf = found?.leaves.get('GET') ?? found?.leaves.get('ANY');
  return leaf && [leaf.row.at, paramsOf(leaf.names, found!.values)];
};

describe('a path', () => {
  it.each([
    ['/lamps', 'GET /lamps', {}],
    ['/lamps/7', 'GET /lamps/{lamp}', { lamp: '7' }],
    ['/lamps/new', 'GET /lamps/new', {}],
    ['/lamps/7/bulbs/b', 'GET /lamps/{lamp}/bulbs/{bulb}', { lamp: '7', bulb: 'b' }],
    ['/lamps/new/bulbs/b', 'GET /lamps/{lamp}/bulbs/{bulb}', { lamp: 'new', bulb: 'b' }],
    ['/files/f/a', 'ANY /files/{name}/{path+}', { name: 'f', path: 'a' }],
    ['/files/f/a//b/', 'ANY /files/{name}/{path+}', { name: 'f', path: 'a//b/' }],
  ])('%s leads to %s', (path, row, params) => {
    expect(at(path)).toEqual([row, params]);
  });

  it.each(['/lamp', '/lamps/', '/lamps/7/bulbs', '/lamps//bulbs/b', '/files', '/files/f', '/lamps/new/form/x'])(
    '%s leads nowhere',
    (path) => {
      expect(at(path)).toBeUndefined();
    },
  );

  it('has the methods of its rows', () => {
    expect([...find(['lamps'])!.leaves.keys()]).toEqual(['GET', 'POST']);
    expect(find([])!.leaves.get('GET')!.row.at).toBe('GET /');
  });
});

it('two rows at one method and path are a mistake', () => {
  expect(() => createTree([{ at: 'GET /a/{b}' }, { at: 'GET /a/{c}' }])).toThrow('Two routes for GET /a/{c}.');
});
