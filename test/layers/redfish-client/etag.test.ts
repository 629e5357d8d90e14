import { expect, it } from 'vitest';

import { etagLadder } from '../../../layers/redfish-client/etag.ts';

it.each([
  ['W/"a"', ['W/"a"', '"a"', null]],
  ['""a""', ['""a""', '"a"', null]],
  ['a', ['a', '"a"', null]],
  ['"a"', ['"a"', null]],
  [null, [null]],
])('tries %s as given, then strong, then without', (etag, tries) => {
  expect(etagLadder(etag)).toEqual(tries);
});

it('does not dwell on one of quotation marks: a BMC may put eight megabytes of them into a body', () => {
  const before = process.threadCpuUsage();
  const marks = '"'.repeat(400_000);
  expect(etagLadder(`x${marks}x`)).toEqual([`x${marks}x`, `"x${marks}x"`, null]);
  expect(process.threadCpuUsage(before).user / 1e6).toBeLessThan(30);
});
