import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { checkQuota, limitsOf, quotas } from '../../../../layers/domain/compute/quota.ts';
import { isFault } from '../../../../layers/domain/fault.ts';

describe('limits', () => {
  it('are the usual ones but for those that were set', () => {
    expect(limitsOf({ instances: 3 })).toMatchObject({ instances: 3, key_pairs: 100, cores: -1 });
    expect(Object.keys(limitsOf())).toEqual(Object.keys(quotas));
  });

  it('are refused to be exceeded in the words of Nova', () => {
    const limits = limitsOf({ cores: 8 });
    expect(() => checkQuota({ instances: 1 }, { instances: 10 }, limits)).toThrow(
      'Quota exceeded for instances: Requested 1, but already used 10 of 10 instances',
    );
    expect(() => checkQuota({ instances: 2, cores: 8, ram: 1e9 }, { instances: 9, cores: 1 }, limits)).toThrow(
      'Quota exceeded for instances, cores: Requested 2, 8, but already used 9, 1 of 10, 8 instances, cores',
    );
  });

  it('let through exactly what fits, and everything where there is none', () => {
    const amount = fc.integer({ min: 0, max: 50 });
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: -1, max: 50 }), (wanted, used, limit) => {
        let code = 0;
        try {
          checkQuota({ instances: wanted }, { instances: used }, limitsOf({ instances: limit }));
        } catch (error) {
          code = isFault(error) ? error.code : 1;
        }
        expect(code).toBe(limit === -1 || wanted + used <= limit ? 0 : 403);
      }),
    );
  });
});
