import { describe, expect, it } from 'vitest';

import { buildHead, buildIso } from '../../layers/configdrive/iso.ts';
import {
  bootImageLabel,
  bootParts,
  grubConfiguration,
  grubFile,
  type BootPart,
} from '../../layers/domain/boot-image.ts';
import { buildEsp } from '../../simulator/control/esp.ts';
import { createApi, createLab } from './lab.ts';

const names = Object.keys(bootParts) as BootPart[];
const words = ['nofb', 'ipa-api-url=http://api.test'];

const parts = {
  bootloader: buildEsp(Buffer.from('A boot loader.')),
  kernel: Buffer.from('A kernel.'),
  ramdisk: Buffer.from('INGOT-AGENT {}'),
};

/** As Ingot builds it; `change` makes something else of it. */
const image = (given: Partial<typeof parts> = {}, change: (whole: Buffer) => void = () => {}): Buffer => {
  const content = { ...parts, ...given };
  const large = names.map((name) => ({ path: bootParts[name], size: content[name].length }));
  const files = [{ path: grubFile, data: Buffer.from(grubConfiguration(words)) }];
  const head = buildHead({ label: bootImageLabel, files, large, efi: bootParts.bootloader });
  const whole = Buffer.alloc(head.size);
  whole.set(head.bytes);
  for (const [at, name] of names.entries()) whole.set(content[name], head.starts[at]);
  change(whole);
  return whole;
};

const start = async (medium: Uint8Array, mode = 'UEFI') => {
  const api = createApi('M'.repeat(43));
  api.answers['/boot.iso'] = () => new Response(Buffer.from(medium));
  const lab = createLab(api.network);
  lab.machine.boot.mode = mode;
  await lab.insert('http://images.test/boot.iso');
  await lab.reset('On');
  await lab.advance(200);
  return lab.machine;
};

describe('a machine with a boot image of Ingot in its drive', () => {
  it('starts the kernel with the arguments that its boot loader reads', async () => {
    const { agent } = await start(image());
    expect(agent).toMatchObject({ state: 'serving', api_url: 'http://api.test' });
  });

  it.each([
    ['mode Legacy', image(), 'Legacy', 'there is no boot loader for mode Legacy'],
    ['a damaged catalogue', image({}, (whole) => (whole[20 * 2048 + 4] = 1)), 'UEFI', 'the boot catalogue is damaged'],
    ['a partition that is none', image({ bootloader: Buffer.alloc(4096) }), 'UEFI', 'there is no boot loader for UEFI'],
  ])('does not come up with %s', async (_what, medium, mode, reason) => {
    const machine = await start(medium, mode);
    expect(machine.phase).toBe('halted');
    expect(machine.boots.at(-1)!.reason).toContain(reason);
  });

  it('needs kernel and ramdisk where the boot loader looks for them', async () => {
    const configuration = Buffer.from(grubConfiguration([]).replaceAll('/initrd', '/missing'));
    const large = names.map((name) => ({ path: bootParts[name], size: parts[name].length }));
    const files = [{ path: grubFile, data: configuration }];
    const head = buildHead({ label: bootImageLabel, files, large, efi: bootParts.bootloader });
    const whole = Buffer.alloc(head.size);
    whole.set(head.bytes);
    for (const [at, name] of names.entries()) whole.set(parts[name], head.starts[at]);
    const machine = await start(whole);
    expect(machine.boots.at(-1)!.reason).toBe('the boot loader finds no kernel or no ramdisk');
  });
});

describe('the head of an image', () => {
  it('leaves large files to whoever has them, and refuses those that a directory cannot have', () => {
    const options = { label: 'X', files: [], efi: 'a' };
    const { starts, size } = buildHead({ ...options, large: [{ path: 'a', size: 3 * 2 ** 30 }] });
    expect(size).toBe(starts[0]! + 3 * 2 ** 30);
    expect(() => buildHead({ ...options, large: [{ path: 'a', size: 2 ** 32 }] })).toThrow(/4294967295 are possible/);
  });

  it('is that of other images but for the boot record and the catalogue', () => {
    const file = { path: 'a', data: Buffer.from('x') };
    const plain = buildIso({ label: 'X', files: [file] });
    const { bytes } = buildHead({ label: 'X', files: [file], large: [{ path: 'esp', size: 1 }], efi: 'esp' });
    expect(bytes.length - plain.length).toBe(2 * 2048);
  });
});
