/**
 * The boot image of a ramdisk that comes as kernel and ramdisk (ironic-deploy.md 1.1): how it is made of its parts, and
 * what the function that builds it is asked and answers. It holds nothing that only one machine may know: that is on the
 * medium of the agent (ADR 9), so all machines with the same parts and arguments boot the same image (ADR 29).
 */
import * as z from 'zod';

import { Invalid } from './fault.ts';

/** Its label, by which its boot loader and the agent find it, as Ironic calls it. */
export const bootImageLabel = 'VMEDIA_BOOT_ISO';

/** What it is made of, by where each is on it, in this order. */
export const bootParts = { bootloader: 'boot/grub/efiboot.img', kernel: 'vmlinuz', ramdisk: 'initrd' } as const;

export type BootPart = keyof typeof bootParts;

/** Where the boot loader looks for its configuration: beside where firmware looks for the loader. */
export const grubFile = 'EFI/BOOT/grub.cfg';

/** Plain words go through the shell of GRUB as they are, all others between quotes. */
const word = (argument: string): string => (/^[\w./:=,@%+-]+$/.test(argument) ? argument : `'${argument}'`);

/** The arguments of a kernel in a text. Throws Invalid for what GRUB could take for something else. */
export const readArguments = (name: string, text: string): string[] => {
  // oxlint-disable-next-line no-control-regex
  if (/['"\\]|[^\P{Cc}\t]/u.test(text)) {
    throw Invalid(`${name} must be words between spaces, without quotes, backslashes or line breaks.`);
  }
  return text.split(/\s+/).filter(Boolean);
};

/**
 * GRUB's configuration. Loaders differ in which of their commands starts a kernel under UEFI with secure boot; who has
 * both does with `linux` what is right.
 */
export const grubConfiguration = (words: readonly string[]): string => {
  const line = words.map(word).join(' ');
  const { kernel, ramdisk } = bootParts;
  return `set default=0
set timeout=0
search --no-floppy --set=root --label ${bootImageLabel}
menuentry "Ingot" {
  if linux /${kernel} ${line}; then
    initrd /${ramdisk}
  else
    linuxefi /${kernel} ${line}
    initrdefi /${ramdisk}
  fi
}
`;
};

/** One part: where it is fetched from, which may be a secret, and what else tells one content from another. */
const source = z.strictObject({
  /** What messages call it. */
  name: z.string(),
  url: z.string(),
  /**
   * What an image of the Image API is known by, whose links are new ones each time; null: the URL stands for it. Never its
   * digest alone: whoever registers an image says that, and nobody looks whether it is so before machines boot it.
   */
  content: z.string().nullable(),
});

export type Source = z.output<typeof source>;

/** What the function that builds boot images is asked. */
export const bootImageRequest = z.strictObject({
  parts: z.strictObject({ bootloader: source, kernel: source, ramdisk: source }),
  /** Arguments of the kernel, a word each. */
  words: z.array(z.string()),
  /** Told of a part whose server says nothing by which its content could be known again: such an image is for one boot. */
  boot: z.string(),
  /** Whether to work on an image that is not there. */
  build: z.boolean(),
  /** How long the link to it works. */
  seconds: z.int().positive(),
});

export type BootImageRequest = z.output<typeof bootImageRequest>;

/** `key`: the object that is, or will be, the image. `image`: a link to it, which is a secret. */
export type BootImageReply =
  | { readonly status: 'ready'; readonly key: string; readonly image: string }
  | { readonly status: 'absent'; readonly key: string }
  | { readonly status: 'building'; readonly key: string; readonly done: number; readonly of: number };

/** What the keys of all boot images and of their pieces begin with. */
export const bootImagesPrefix = 'boot-images/';

/** The object of an image. BMCs tell by the end of the name what kind of drive it shall be. */
export const bootImageKey = (id: string): string => `${bootImagesPrefix}${id}.iso`;

/** What is stored of an image that is being built. */
export const bootPieceKey = (id: string, number: number): string => `${bootImagesPrefix}${id}/${number}`;
