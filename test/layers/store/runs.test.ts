import { expect, it } from 'vitest';

import { countedUlid, countedUuid } from '../../../layers/platform/memory/ids.ts';
import { isUuid } from '../../../layers/domain/values.ts';
import { ownerOfRun, runName } from '../../../layers/store/runs.ts';

const uuid = countedUuid(1);

it('is a name that Step Functions takes, for any uuid and birth', () => {
  expect(isUuid(uuid)).toBe(true);
  expect(runName(uuid, countedUlid(1))).toMatch(/^[\w-]{1,80}$/);
});

it('leads back to the owner, also in the form of 0.1', () => {
  expect(ownerOfRun(runName(uuid, countedUlid(1)))).toBe(uuid);
  expect(ownerOfRun(`${uuid}-12`)).toBe(uuid);
});
