/** What actions of inspection rules say of a field follows from its row. */
import { expect, it } from 'vitest';

import { node } from '../../../../layers/domain/node.ts';
import { json } from '../../../../layers/domain/values.ts';
import { effects } from './inspected.ts';

Object.assign(node, { sample: { access: 'read', schema: json, default: {}, masked: ['url'], doc: '' } });

it('a text has no secrets of a field whose row names them, whatever they are called', () => {
  const stored: object = { sample: { url: 'hunter2', plain: 1 } };
  const action = { op: 'log', args: { msg: '{node.sample.url} {node[sample][url]} {node.sample} {node}' } };
  const made = effects([action], stored);
  expect(made.log[0]).toContain("****** ****** {'url': '******', 'plain': 1}");
  expect(JSON.stringify(made)).not.toContain('hunter2');
});
