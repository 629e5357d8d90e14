import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createRedactor, redactJson } from '../../../layers/redfish-client/redact.ts';

describe('a redactor', () => {
  it('blanks a secret in plain, URL, JSON and base64 form', () => {
    const secret = 'p"ss wörd/4711';
    const redact = createRedactor([secret]);
    for (const form of [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret),
      btoa(unescape(encodeURIComponent(secret))),
    ]) {
      const shown = redact(`before ${form} after`);
      expect(shown).toContain('******');
      expect(shown).not.toContain('4711');
    }
  });

  it('blanks the query of every URL, where signatures are', () => {
    expect(createRedactor([])('no media at https://s3.example/b/boot.iso?X-Amz-Signature=abc, sorry')).toBe(
      'no media at https://s3.example/b/boot.iso?****** sorry',
    );
  });

  it('leaves no secret of any kind in any JSON value', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4 }), fc.jsonValue(), (secret, other) => {
        const shown = redactJson(createRedactor([secret]), {
          other: 1,
          list: [secret, `x${secret}y`],
          deep: { secret },
        });
        const texts = [(shown as { list: string[] }).list, (shown as { deep: { secret: string } }).deep.secret].flat();
        expect(texts.every((text) => !text.includes(secret) || '******'.includes(secret))).toBe(true);
        expect(redactJson(createRedactor([]), other) !== undefined).toBe(true);
      }),
    );
  });
});
