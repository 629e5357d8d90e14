import { describe, expect, it } from 'vitest';

import { sha256Crypt } from '../../../functions/baremetal-api/sha256-crypt.ts';

const salt = 'abcdefgh01234567';

describe('the password hash of crypt(3) with SHA-256', () => {
  it('is 63 characters with the salt in clear', () => {
    expect(sha256Crypt('Hello world!', 'saltstring')).toBe('$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5');
  });

  // Made with `openssl passwd -5 -salt abcdefgh01234567`.
  it.each([
    ['a', 'UJ04JwyetS2rPU4dYWTOyv2P4DY/lBXcdjKBL1mG5sD'],
    ['x'.repeat(31), 'f/TYPzAWwlTFVBX9XU4No5f3GI6.0rl8EqgO1EtPTc1'],
    ['y'.repeat(32), '83lyLQVGc/Dh13Ysrc4MLMYVIaSh7CG82B3BHngugx1'],
    ['z'.repeat(33), 'yNz/U7DGxpR7Xu/AIJuAYgNWH8UATuWgmfcZ3Re5Ru9'],
    ['q'.repeat(64), 'ImpaO4KwWYHZU5.F98mytpZddKFe0JlzALgE2Jq2sr4'],
    ['pässwörd'.repeat(9), 'aHqc8CCBEZ2ZkLvMKn.PVWap3JvUAcaegAjHRxjTz45'],
  ])('of "%s" is what openssl makes of it', (password, hash) => {
    expect(sha256Crypt(password, salt)).toBe(`$5$${salt}$${hash}`);
  });
});
