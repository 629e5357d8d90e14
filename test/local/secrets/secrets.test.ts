import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { createSecrets } from '../../../local/secrets/secrets.ts';
import { describeSecrets } from '../../conformance/secrets.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));
const context = { node: 'n', name: 'redfish_password' };

describeSecrets('secrets with a key file', async () => createSecrets(join(folder, 'keys', 'conformance')));

describe('the key file', () => {
  it('is made once, for its owner alone, and opens what was sealed before a restart', async () => {
    const path = join(folder, 'new', 'secrets.key');
    const sealed = await createSecrets(path).seal('calvin', context);
    const key = readFileSync(path, 'utf8');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(await createSecrets(path).open(sealed, context)).toBe('calvin');
    expect(readFileSync(path, 'utf8')).toBe(key);
  });

  it('of another installation opens nothing', async () => {
    const sealed = await createSecrets(join(folder, 'one')).seal('calvin', context);
    await expect(createSecrets(join(folder, 'two')).open(sealed, context)).rejects.toThrow(
      /Set redfish_password again/,
    );
  });

  it.each(['', 'too short', `${Buffer.alloc(32).toString('base64').slice(0, -2)}!!`])(
    'is refused when damaged, in a sentence that says what to do',
    (content) => {
      const path = join(folder, 'damaged');
      writeFileSync(path, content);
      expect(() => createSecrets(path)).toThrow(expect.objectContaining({ name: 'Damaged' }));
      expect(() => createSecrets(path)).toThrow(`The key file ${path} is damaged: put back a copy.`);
    },
  );

  it('that is a folder cannot be used, and that is said', () => {
    expect(() => createSecrets(folder)).toThrow(`The key file ${folder} cannot be used`);
  });
});
