import { expect, it } from 'vitest';

import { grubConfiguration, readArguments } from '../../../layers/domain/boot-image.ts';

it.each(["a'b", 'a"b', 'a\\b', 'a\nb', 'a\u0000b', 'a\u0085b'])('no argument of a kernel is %j', (text) => {
  expect(() => readArguments('kernel_append_params', text)).toThrow(/kernel_append_params must be words/);
});

it('arguments are words, which stand between quotes where a shell could take them for more', () => {
  const words = readArguments('x', ' console=ttyS0,115200n8\ta;b  $(reboot) é ');
  expect(words).toEqual(['console=ttyS0,115200n8', 'a;b', '$(reboot)', 'é']);
  expect(grubConfiguration(words)).toContain("linux /vmlinuz console=ttyS0,115200n8 'a;b' '$(reboot)' 'é'; then");
});
