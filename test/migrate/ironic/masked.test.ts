import { expect, it } from 'vitest';

import { readShown } from '../../../migrate/ironic/record.ts';
import { reportedRecord, reportedValue } from '../../../migrate/ironic/masked.ts';
import { node } from '../../../layers/domain/node.ts';

it.each([
  ['nofb password=s3cret quiet', 'nofb password=****** quiet'],
  ['ipa-debug=1 sshkey="a b" rootpwd="s3 cret"', 'ipa-debug=1 sshkey="a b" rootpwd=******'],
  [`{"auth_token": "s3cret", "b": "c"}`, `{"auth_token": ******, "b": "c"}`],
  ['tool --password s3cret --verbose', 'tool --password ****** --verbose'],
  ['error: token: "s3 cret", at line: 7', 'error: token: ******, at line: 7'],
  ['my password is not here', 'my password is not here'],
  ['https://me:s3cret@ipa.example/kernel', 'https://******@ipa.example/kernel'],
  ['at https://ipa.example/kernel?sig=s3cret', 'at https://ipa.example/kernel?******'],
])('shows %j as %j', (text, shown) => {
  expect(reportedValue(true, { kernel_append_params: [text] })).toEqual({ kernel_append_params: [shown] });
  expect(reportedRecord(node, { description: text })).toEqual({ description: shown });
});

it('reads a long text once', () => {
  const text = 'a'.repeat(200_000) + ' '.repeat(200_000);
  expect(reportedValue(undefined, text)).toBe(text);
});

it('takes a whole text from who knows it where an Ironic hides a part of it', () => {
  const shown = { uuid: 'x', driver_info: { kernel_append_params: 'nofb password=****** quiet', a: 1 } };
  const clear = { driver_info: { kernel_append_params: 'nofb password=s3cret quiet', a: 2 } };
  expect(readShown('node', shown, clear)).toMatchObject({
    record: { driver_info: { kernel_append_params: 'nofb password=s3cret quiet', a: 1 } },
    missing: [],
  });
  expect(readShown('node', shown).missing).toEqual([['driver_info', 'kernel_append_params']]);
});
