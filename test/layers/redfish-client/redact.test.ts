import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createMessageRedactor, createRedactor, redactJson } from '../../../layers/redfish-client/redact.ts';

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

  it('blanks user and password of every URL', () => {
    expect(createRedactor([])('cannot open http://isouser:ISOPASS@10.0.0.1:80/ipa.iso?x')).toBe(
      'cannot open http://******@10.0.0.1:80/ipa.iso?******',
    );
  });

  it.each(['password', 'redfish', 'name'])('leaves our own names alone when the secret is "%s"', (secret) => {
    const redact = createRedactor([secret]);
    expect(redact('Check redfish_username and redfish_password.')).toBe('Check redfish_username and redfish_password.');
    expect(redact(`It is ${secret}, x_${secret} or redfish_${secret}_`)).not.toContain(secret);
  });

  it('blanks a secret that one of our own names is a part of', () => {
    expect(createRedactor(['redfish_password!'])('It is redfish_password!')).toBe('It is ******');
    expect(createRedactor(['redfish_password'])('It is redfish_password')).toBe('It is ******');
  });

  it('cuts messages, and shows no part of a secret that was cut in two', () => {
    const secret = 'MARKER'.repeat(500);
    const redact = createMessageRedactor([secret]);
    for (const before of [65_000, 65_535, 63_000]) {
      const shown = redact(`${'http://x?'.padEnd(before, 'y')}${secret}`.padEnd(100_000, 'z'));
      expect(shown).not.toContain('MARKER');
      expect(shown.length).toBeLessThan(4_097);
    }
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
