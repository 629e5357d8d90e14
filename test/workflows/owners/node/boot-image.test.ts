/** Nodes whose ramdisk comes as kernel and ramdisk, over whole workflows. */
import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../../../layers/bmc/faults.ts';
import type { StoredNode } from '../../../../layers/store/nodes.ts';
import { readIso } from '../../../../simulator/iso.ts';
import { createAgent } from '../../agent.ts';
import { serveImages } from '../../images.ts';
import { aNode } from '../../nodes.ts';
import { createStage, type Stage } from '../../stage.ts';

const info = {
  redfish_address: 'https://10.0.0.1',
  deploy_kernel: 'http://images.test/ipa.kernel',
  deploy_ramdisk: 'http://images.test/ipa.initramfs',
  bootloader: 'http://images.test/esp.img',
};

const serve = ({ servers: { served } }: Stage) => {
  for (const [name, url] of Object.entries(info).slice(1)) served[url] = { body: Buffer.from(name), etag: `"${name}"` };
};

const staged = async (more: Partial<StoredNode> = {}, env: object = {}) => {
  const stage = await createStage({ node: aNode({ provision_state: 'manageable', driver_info: info, ...more }), env });
  serve(stage);
  return stage;
};

const cleaned = async (stage: Stage) => {
  await stage.provision('clean', 'provide');
  await stage.settle(600);
};

const filesInDrive = async ({ machine, world }: Stage) => {
  const { status, body } = await world.objects.request('GET', machine.media.cd!);
  expect(status).toBe(200);
  return readIso(body!).files;
};

/** The arguments of the kernel that is booted. */
const words = async (stage: Stage): Promise<string[]> => {
  const configuration = (await filesInDrive(stage)).get('EFI/BOOT/grub.cfg')!.toString();
  return /linux \/vmlinuz ([^;]*);/.exec(configuration)![1]!.split(' ');
};

describe('a machine with kernel and ramdisk', () => {
  it('boots an image of them, with the address of this API and without anything that is its own', async () => {
    const stage = await staged();
    await cleaned(stage);
    expect(await stage.read()).toMatchObject({ provision_state: 'clean wait', last_error: null });
    const files = await filesInDrive(stage);
    expect(['vmlinuz', 'initrd', 'boot/grub/efiboot.img'].map((path) => files.get(path)!.toString())).toEqual([
      'deploy_kernel',
      'deploy_ramdisk',
      'bootloader',
    ]);
    expect(await words(stage)).toEqual(['nofb', 'vga=normal', 'boot_method=vmedia', 'ipa-api-url=http://metal.test']);
    expect(new URL(stage.machine.media.cd!).pathname).toMatch(/^\/boot-images\/\w+\.iso$/);
    expect(await createAgent(stage).call()).toBe(true);
  });

  it('boots the same image the next time, which is not fetched again', async () => {
    const stage = await staged();
    await cleaned(stage);
    const first = stage.machine.media.cd!.split('?')[0];
    stage.servers.asked.splice(0);
    await stage.settle(1800 + 60);
    expect(stage.machine.media.cd!.split('?')[0]).toBe(first);
    expect(stage.servers.asked).toHaveLength(3);
  });

  it('leaves no link to it anywhere', async () => {
    const stage = await staged();
    await cleaned(stage);
    const seen = [stage.travelled, stage.world.table.items(), stage.world.log.lines, await stage.history()];
    expect(JSON.stringify(seen)).not.toContain('signature=');
  });

  it.each([
    ['replaced', 'console=ttyS0', ['console=ttyS0']],
    ['added to', '%default% console=ttyS0,115200n8', ['nofb', 'vga=normal', 'console=ttyS0,115200n8']],
    ['none', '', []],
  ])('has the arguments of its driver_info: %s', async (_what, kernel_append_params, begin) => {
    const stage = await staged({ driver_info: { ...info, kernel_append_params } });
    await cleaned(stage);
    expect(await words(stage)).toEqual([...begin, 'boot_method=vmedia', 'ipa-api-url=http://metal.test']);
  });

  it('is told all by its kernel where it gets no medium, and then does not look for one', async () => {
    const driver_internal_info = { removable_media: false };
    const stage = await staged({ driver_internal_info });
    await cleaned(stage);
    expect(await words(stage)).toEqual(['nofb', 'vga=normal', 'ipa-api-url=http://metal.test']);
    const inspected = await staged({ driver_internal_info, inspect_interface: 'agent' });
    await inspected.provision('inspect', 'inspect');
    await inspected.settle(60);
    expect(await words(inspected)).toContain('ipa-inspection-callback-url=http://metal.test/v1/continue_inspection');
  });

  it('has them from settings where its driver_info says nothing', async () => {
    const { redfish_address, ...parts } = info;
    const env = Object.fromEntries(
      Object.entries(parts).map(([name, value]) => [`INGOT_${name.toUpperCase()}`, value]),
    );
    const stage = await staged({ driver_info: { redfish_address } }, env);
    await cleaned(stage);
    expect((await filesInDrive(stage)).get('vmlinuz')!.toString()).toBe('deploy_kernel');
  });

  it('boots what is made for rescues to be rescued', async () => {
    const rescue = { rescue_kernel: 'http://images.test/rescue.kernel', rescue_ramdisk: info.deploy_ramdisk };
    const stage = await staged({
      provision_state: 'active',
      rescue_interface: 'agent',
      driver_info: { ...info, deploy_iso: 'http://images.test/deploy.iso', ...rescue },
    });
    stage.servers.served[rescue.rescue_kernel] = { body: Buffer.from('for rescues'), etag: '"1"' };
    await stage.provision('rescue', 'rescue');
    await stage.settle(60);
    expect((await filesInDrive(stage)).get('vmlinuz')!.toString()).toBe('for rescues');
  });

  it('may have them as images of the Image API, which its owner has to see', async () => {
    const stage = await staged();
    const { uploaded } = serveImages(stage);
    const deploy_kernel = await uploaded({}, 'a kernel of red');
    const inner = await fetchable(stage);
    await stage.change({ driver_info: { ...info, deploy_kernel } });
    await cleaned(stage);
    expect((await filesInDrive(stage)).get('vmlinuz')!.toString()).toBe('a kernel of red');
    expect(inner.links.size).toBeGreaterThan(0);
    const other = await staged({ owner: 'blue' });
    const images = serveImages(other);
    await other.change({ driver_info: { ...info, deploy_kernel: await images.uploaded() } });
    await cleaned(other);
    expect((await other.read()).last_error).toContain('could not be found for project blue');
  });

  it('never boots what somebody else says to be the same image: nobody has looked whether it is', async () => {
    const stage = await staged();
    const { located } = serveImages(stage);
    const [theirs, ours] = ['http://evil.test/kernel', 'http://kernels.test/kernel'];
    stage.servers.served[theirs] = { body: Buffer.from('evil') };
    stage.servers.served[ours] = { body: Buffer.from('good') };
    const choose = async (url: string) =>
      stage.change({ driver_info: { ...info, deploy_kernel: await located(url, 'ab'.repeat(32)) } });
    const booted = async () => (await filesInDrive(stage)).get('vmlinuz')!.toString();
    await choose(theirs);
    await cleaned(stage);
    expect(await booted()).toBe('evil');
    await choose(ours);
    await stage.settle(1800 + 60);
    expect(await booted()).toBe('good');
  });

  it('is built for one run while others wait', async () => {
    const stage = await staged();
    const key = await theKey();
    await stage.world.table.write([
      { put: { pk: 'boot-image', sk: key, holder: 'somebody', until: stage.time.now() + 60_000 } },
    ]);
    await stage.provision('clean', 'provide');
    await stage.settle(30);
    expect(stage.machine.media.cd).toBeNull();
    await stage.settle(120);
    expect(stage.machine.media.cd).not.toBeNull();
    expect(await stage.world.table.get({ pk: 'boot-image', sk: key })).toBeUndefined();
  });

  it('fails in the words of the server that has not what it is made of', async () => {
    const stage = await staged();
    stage.servers.served[info.deploy_kernel]!.status = 404;
    await cleaned(stage);
    const { provision_state, last_error } = await stage.read();
    expect(provision_state).toBe('clean failed');
    expect(last_error).toContain('AttachBootMedia: driver_info.deploy_kernel: its server answered with status 404.');
  });

  it('is booted once more without looking for a medium if the BMC turns out to have one drive', async () => {
    const stage = await staged();
    stage.proxy.answer('vmedia.insert', () => undefined, bmcFault('BmcUnsupported', 'No USBStick.'));
    await cleaned(stage);
    await stage.settle(1800 + 60);
    expect(await words(stage)).not.toContain('boot_method=vmedia');
  });
});

/** The name of the image of `info`, which follows from its parts. */
const theKey = async (): Promise<string> => {
  const stage = await staged();
  await cleaned(stage);
  return decodeURIComponent(new URL(stage.machine.media.cd!).pathname.slice(1));
};

/** The servers have what links to objects lead to, too. */
const fetchable = async ({ servers, world }: Stage) => {
  const links = new Set<string>();
  const { link } = world.objects;
  world.objects.link = async (key, seconds) => {
    const url = await link(key, seconds);
    const body = key.startsWith('images/') ? await world.objects.get(key) : undefined;
    if (body) servers.served[url] = { body: Buffer.from(body) };
    if (body) links.add(url);
    return url;
  };
  return { links };
};
