import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  changeAndCut,
  cutText,
  hideInUrls,
  maxText,
  plainText,
  withoutEnds,
  withoutTail,
} from '../../../layers/domain/foreign-text.ts';

describe('a cut text', () => {
  it('is as long as it may be, says that it was cut, and how long it was', () => {
    const shown = cutText('x'.repeat(500_000));
    expect(shown).toHaveLength(maxText);
    expect(shown).toMatch(/^x+ \[\.\.\.\] \(cut, it had 500000 characters\)$/);
  });

  it('stays as it is when it is short enough', () => {
    expect(cutText('x'.repeat(maxText))).toBe('x'.repeat(maxText));
    expect(cutText('')).toBe('');
  });

  it('has no half of a character at its end, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 60 }), fc.integer({ min: 50, max: 60 }), (text, most) => {
        const shown = cutText(text, most);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown.length).toBeLessThanOrEqual(most);
      }),
    );
    expect(cutText('💥'.repeat(100), 101).isWellFormed()).toBe(true);
    expect(cutText('💥'.repeat(100), 102).isWellFormed()).toBe(true);
  });

  it('shows nothing of what is hidden, wherever it is cut', () => {
    const hide = (text: string) => text.replaceAll('SECRET-4711', '******');
    for (let before = 65_520; before < 65_540; before += 1) {
      const text = `${'http://x?'.padEnd(before, 'y')}SECRET-4711`.padEnd(200_000, ' z');
      const shown = changeAndCut(text, (head) => hideInUrls(hide(head), ''));
      expect(shown).not.toContain('SECRET');
      expect(shown).toContain('(cut, it had 200000 characters)');
    }
  });
});

describe('URLs', () => {
  const kept = 'https://h.example:8080/a/b.iso';
  it.each([
    ['of a query', `${kept}?signature=abc`, `${kept}?******`],
    ['of a fragment', `${kept}#abc`, `${kept}?******`],
    ['of user and password', kept.replace('//', '//user:pass@'), kept.replace('//', '//******@')],
    [
      'of a password with an @ and an apostrophe',
      kept.replace('//', "//u:it's@night@"),
      kept.replace('//', '//******@'),
    ],
    ['of any scheme', 'nfs://user:pass@h/x?y', 'nfs://******@h/x?******'],
    ['of both', 'HTTP://user:pass@h/x?y=z, and', 'HTTP://******@h/x?****** and'],
    ['of nothing', `<${kept}>`, `<${kept}>`],
    ['of what is before a space only', 'http://h/x mail@h?', 'http://h/x mail@h?'],
    ['one by one', '\'http://u:p@a/\'http://b?q "http://c"', '\'http://******@a/\'http://b?****** "http://c"'],
  ])('are freed %s', (_what, text, shown) => {
    expect(hideInUrls(text, '******')).toBe(shown);
    expect(hideInUrls(text, '')).toBe(shown.replaceAll('******@', '').replaceAll('?******', ''));
  });
});

/** Seconds of this thread's processor; the load of the machine does not count. */
const cpuSeconds = (work: () => void): number => {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e6;
};

describe('four megabytes of the worst', () => {
  const size = 4 * 1024 * 1024;
  const fill = (piece: string) => piece.repeat(size / piece.length);
  it.each(['http://', 'http:// ', "http://'", 'http://@', 'http://a@b?', '://', '?', '@', 'x', '"', "http://x'@"])(
    'made of %j are read as fast as others',
    (piece) => {
      const text = fill(piece);
      expect(cpuSeconds(() => hideInUrls(text, '******'))).toBeLessThan(30);
      expect(cpuSeconds(() => cutText(changeAndCut(text, (head) => hideInUrls(head, ''))))).toBeLessThan(30);
    },
  );

  it('that end in something else are trimmed as fast', () => {
    const text = `${fill('/')}x`;
    expect(cpuSeconds(() => withoutEnds(text, '/'))).toBeLessThan(30);
    expect(withoutTail(text, '/')).toBe(text);
    expect(withoutEnds(text, '/')).toBe('x');
    expect(withoutTail('a//', '/')).toBe('a');
    expect(withoutEnds('"', '"')).toBe('');
  });
});

describe('plainText', () => {
  it.each([
    ['https://u:p@host/a.iso?sig=1 failed', 'https://host/a.iso failed'],
    ['URL "http://10.0.0.1:80/x?token=abc#y": 404', 'URL "http://10.0.0.1:80/x": 404'],
    ['nothing to hide? no', 'nothing to hide? no'],
    ['(https://a.test/?x=1)', '(https://a.test/'],
    ['two http://a/?1 and http://b/?2', 'two http://a/ and http://b/'],
  ])('%s', (text, plain) => {
    expect(plainText(text)).toBe(plain);
  });
});
