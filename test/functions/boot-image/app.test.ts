import { createCipheriv, createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, it } from 'vitest';

import { create } from '../../../functions/boot-image/app.ts';
import { noNetworks, parseNetworks } from '../../../layers/bmc/networks.ts';
import type { BootImageRequest } from '../../../layers/domain/boot-image.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { readIso } from '../../../simulator/iso.ts';
import { createServers, type Served } from './servers.ts';

const mib = 2 ** 20;
const noise = (seed: string, bytes: number) =>
  createCipheriv('aes-128-ctr', createHash('md5').update(seed).digest(), Buffer.alloc(16)).update(Buffer.alloc(bytes));

const kernel = 'http://images.test/ipa.kernel';
const ramdisk = 'http://images.test/ipa.initramfs?signature=x';
const bootloader = 'http://images.test/esp.img';
const source = (name: string, url: string) => ({ name: `driver_info.${name}`, url, content: null });

const wanted: BootImageRequest = {
  parts: {
    bootloader: source('bootloader', bootloader),
    kernel: source('deploy_kernel', kernel),
    ramdisk: source('deploy_ramdisk', ramdisk),
  },
  words: ['nofb', 'boot_method=vmedia', 'ipa-api-url=https://metal.test'],
  boot: 'run-1',
  build: true,
  seconds: 600,
};

const setUp = (more: Partial<Record<'kernel' | 'ramdisk' | 'bootloader', Partial<Served>>> = {}) => {
  const platform = createMemoryPlatform();
  const servers = createServers({
    [bootloader]: { body: noise('esp', 700_000), etag: '"e"', ...more.bootloader },
    [kernel]: { body: noise('kernel', 9 * mib + 5), etag: '"k"', ...more.kernel },
    [ramdisk]: { body: noise('ramdisk', 40 * mib + 77), etag: '"r"', ...more.ramdisk },
  });
  const app = create({ ...platform, open: servers.open }, { networks: noNetworks });
  let left = 120_000;
  const ask = async (change: Partial<BootImageRequest> = {}) =>
    app({ ...wanted, ...change }, { request_id: 'r', remaining_ms: () => left });
  /** Time for so many pieces only. */
  const hurry = (pieces: number) => {
    const { put } = platform.objects;
    let count = 0;
    left = 120_000;
    platform.objects.put = async (...args) => {
      count += 1;
      if (count === pieces) left = 0;
      return put(...args);
    };
  };
  const image = async (link: string) => (await platform.objects.request('GET', link)).body!;
  return { ...servers, platform, ask, hurry, image, keys: () => platform.objects.keys() };
};

/** What its file system has in it. */
const contentOf = (image: Uint8Array) => {
  const { label, files } = readIso(image);
  const same = (path: string, body: Buffer) => files.get(path)!.equals(body);
  return { label, files, same };
};

describe('a boot image', () => {
  it('has the parts in it as they were, and a boot loader that starts the kernel with its arguments', async () => {
    const { ask, image, served, keys } = setUp();
    const reply = await ask();
    if (reply.status !== 'ready') throw new Error('It is not ready.');
    const { label, files, same } = contentOf(await image(reply.image));
    expect(label).toBe('VMEDIA_BOOT_ISO');
    expect(same('boot/grub/efiboot.img', served[bootloader]!.body)).toBe(true);
    expect(same('vmlinuz', served[kernel]!.body)).toBe(true);
    expect(same('initrd', served[ramdisk]!.body)).toBe(true);
    expect(files.get('EFI/BOOT/grub.cfg')!.toString()).toContain(
      'linux /vmlinuz nofb boot_method=vmedia ipa-api-url=https://metal.test; then',
    );
    expect(keys()).toEqual([reply.key]);
    expect(reply.key).toMatch(/^boot-images\/[0-9a-f]{64}\.iso$/);
  });

  it('is not built unless that is asked for', async () => {
    const { ask, keys, asked } = setUp();
    expect(await ask({ build: false })).toMatchObject({ status: 'absent' });
    expect([keys(), asked.length]).toEqual([[], 3]);
  });

  it('is built once for all that have the same parts and arguments', async () => {
    const { ask, asked, platform } = setUp();
    const first = await ask();
    asked.splice(0);
    const puts: string[] = [];
    platform.objects.put = async (key) => void puts.push(key);
    expect(await ask({ boot: 'run-2', build: false })).toMatchObject({ status: 'ready', key: first.key });
    expect([puts, asked.map(([, from]) => from)]).toEqual([[], [0, 0, 0]]);
  });

  it.each([
    ['other arguments', { words: ['quiet'] }, {}],
    ['another content at the same URL', {}, { etag: '"other"' }],
    ['a content of another size', {}, { body: noise('kernel', 1000) }],
  ])('is another one with %s', async (_what, change, served) => {
    const subject = setUp();
    const { key } = await subject.ask();
    Object.assign(subject.served[kernel]!, served);
    expect((await subject.ask(change)).key).not.toBe(key);
  });

  it('is for one boot only of what no server says anything about, and for all of what the Image API knows', async () => {
    const { ask, served } = setUp();
    delete served[kernel]!.etag;
    const of = async (boot: string, content: string | null) =>
      (await ask({ boot, build: false, parts: { ...wanted.parts, kernel: { ...wanted.parts.kernel, content } } })).key;
    expect(await of('run-1', null)).toBe(await of('run-1', null));
    expect(await of('run-1', null)).not.toBe(await of('run-2', null));
    expect(await of('run-1', 'abc')).toBe(await of('run-2', 'abc'));
  });

  it.each([[undefined], [true as const]])(
    'goes on where a call ended, also with servers without ranges: %s',
    async (whole) => {
      const { ask, hurry, image, served, asked, platform } = setUp(whole ? { ramdisk: { whole } } : {});
      const { put } = platform.objects;
      hurry(2);
      expect(await ask()).toMatchObject({ status: 'building', done: 2, of: 4 });
      platform.objects.put = put;
      hurry(1);
      expect(await ask()).toMatchObject({ status: 'building', done: 3, of: 4 });
      platform.objects.put = put;
      hurry(99);
      asked.splice(0);
      const reply = await ask();
      if (reply.status !== 'ready') throw new Error('It is not ready.');
      expect(contentOf(await image(reply.image)).same('initrd', served[ramdisk]!.body)).toBe(true);
      // Three looks, and one request for the rest of the one part that was not done.
      expect(asked.map(([url]) => url)).toEqual([bootloader, kernel, ramdisk, ramdisk]);
    },
  );

  it('follows where a server sends it', async () => {
    const { ask, served } = setUp();
    served['http://mirror.test/k'] = served[kernel]!;
    served[kernel] = { body: Buffer.from('moved'), status: 302, location: 'http://mirror.test/k' };
    expect(await ask()).toMatchObject({ status: 'ready' });
  });

  it('is removed in the week after the one in which it was built, by who builds the next', async () => {
    const { ask, platform, keys } = setUp();
    const { key } = await ask();
    await platform.clock.sleep(8 * 24 * 3600 * 1000 + 1);
    const next = await ask();
    expect(next.key).not.toBe(key);
    expect(keys()).toEqual([next.key]);
  });

  it.each([
    ['is not there', { status: 404 }, 'Invalid', 'driver_info.deploy_kernel: its server answered with status 404.'],
    ['is refused', { status: 403 }, 'Invalid', 'status 403'],
    ['is on a server that is ill', { status: 502 }, 'Unavailable', 'status 502'],
    ['has no size', { unsized: true as const, whole: true as const }, 'Invalid', 'does not say how large it is'],
    ['is larger than any', { says: 2 ** 31 }, 'Invalid', 'are possible'],
    ['is empty', { body: Buffer.alloc(0), whole: true as const }, 'Invalid', 'or it is empty'],
    ['breaks off', { breaks: 100_000 }, 'Unavailable', 'the connection to its server broke'],
    ['sends elsewhere for ever', { status: 302, location: kernel }, 'Invalid', 'sends on more than 5 times'],
    ['sends to a file', { status: 302, location: 'file:///etc/passwd' }, 'Invalid', 'no http or https URL'],
  ])('says of a part that %s what is wrong with it', async (_what, served, name, words) => {
    const { ask, keys } = setUp({ kernel: served });
    await expect(ask()).rejects.toMatchObject({ name, message: expect.stringContaining(words) as string });
    expect(keys()).toEqual([]);
  });

  it('is never made of two contents of one part', async () => {
    const { ask, served, hurry, keys } = setUp();
    hurry(1);
    const { key } = await ask();
    served[ramdisk]!.etag = '"new"';
    hurry(99);
    const next = await ask();
    expect(next).toMatchObject({ status: 'ready' });
    expect(next.key).not.toBe(key);
    expect(keys()).toContain(next.key);
    expect(keys()).not.toContain(key);
  });
});

describe('what boot images are made of', () => {
  it('is not waited for longer than the call may take, however slowly it comes', async () => {
    const server = createServer((_asked, answer) => void answer.writeHead(200, { 'content-length': '100' }).write('a'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const slow = source('kernel', `http://127.0.0.1:${port}/kernel`);
    const app = create(createMemoryPlatform(), { networks: parseNetworks('boot_image_networks', '127.0.0.0/8') });
    const asked = { ...wanted, parts: { bootloader: slow, kernel: slow, ramdisk: slow } };
    try {
      await expect(app(asked, { request_id: 'r', remaining_ms: () => 10_000 })).rejects.toMatchObject({
        name: 'Unavailable',
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  const overTheNetwork = async (url: string) => {
    const app = create(createMemoryPlatform(), { networks: noNetworks });
    const parts = { ...wanted.parts, bootloader: source('bootloader', url) };
    return app(
      { ...wanted, parts: { ...parts, kernel: parts.bootloader, ramdisk: parts.bootloader } },
      {
        request_id: 'r',
        remaining_ms: () => 120_000,
      },
    );
  };

  it.each([
    'http://127.0.0.1:1/x',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/x',
    'http://10.0.0.1/x',
    'http://localhost:1/x',
  ])('is not fetched from %s unless its network is named', async (url) => {
    await expect(overTheNetwork(url)).rejects.toMatchObject({
      name: 'TargetForbidden',
      message: expect.stringContaining('boot_image_networks') as string,
    });
  });
});
