import { describe, expect, it } from 'vitest';

import { buildIso } from '../../../layers/configdrive/iso.ts';
import { createApi, createLab, iso } from '../lab.ts';

const words = [
  'ipa-api-url=http://api.test/',
  `ipa-agent-token=${'M'.repeat(43)}`,
  'ipa-inspection-callback-url=http://api.test/v1/continue_inspection?node_uuid=1&key=a=b',
  'alone',
].join('\n');

const medium = (label = 'ir-vfd-dev', text = words) =>
  buildIso({ label, files: [{ path: 'parameters.txt', data: Buffer.from(text) }] });

/** A machine that has started its ramdisk, whose kernel was given `kernel`, with `stick` in its second drive. */
const start = async (kernel: object, stick: Uint8Array = medium()) => {
  const api = createApi('******');
  api.answers['/ramdisk.iso'] = () => new Response(iso(`INGOT-AGENT ${JSON.stringify(kernel)}`));
  api.answers['/stick.img'] = () => new Response(Buffer.from(stick));
  const lab = createLab(api.network);
  await lab.insert('http://images.test/ramdisk.iso');
  await lab.insert('http://images.test/stick.img?signature=x', 'USBStick');
  await lab.reset('On');
  await lab.advance(200);
  return { ...lab, api };
};

it('reads token and addresses from the medium, which need not be in the kernel then', async () => {
  const { machine, api } = await start({ boot_method: 'vmedia' });
  expect(machine.agent).toMatchObject({ state: 'serving', token: 'M'.repeat(43), api_url: 'http://api.test' });
  expect(api.to('/v1/continue_inspection')).toHaveLength(1);
  expect(api.to('/v1/heartbeat/node-1')[0]!.body).toMatchObject({ agent_token: 'M'.repeat(43) });
});

it('believes the medium more than the kernel', async () => {
  const { machine } = await start({ boot_method: 'vmedia', api_url: 'http://elsewhere.test' });
  expect(machine.agent!.api_url).toBe('http://api.test');
});

it('finds the medium whatever the case of its label', async () => {
  const { machine } = await start({ boot_method: 'vmedia' }, medium('IR-VFD-DEV'));
  expect(machine.agent!.state).toBe('serving');
});

it.each([
  ['looks for no medium without boot_method=vmedia', { api_url: 'http://api.test' }, medium()],
  ['takes no other medium for it', { api_url: 'http://api.test', boot_method: 'vmedia' }, medium('config-2')],
  ['takes no file for it that it cannot read', { api_url: 'http://api.test', boot_method: 'vmedia' }, Buffer.from('x')],
])('%s, and shuts itself off when it is told ******', async (_what, kernel, stick) => {
  const { machine } = await start(kernel, stick);
  expect(machine.agent).toMatchObject({ state: 'locked', token: null });
});

it('waits for a server that is away for a moment, as a drive does', async () => {
  const api = createApi('******');
  api.answers['/ramdisk.iso'] = () => new Response(iso('INGOT-AGENT {"boot_method": "vmedia"}'));
  api.answers['/stick.img'] = (count) => {
    if (count < 4) throw new TypeError('refused');
    return new Response(Buffer.from(medium()));
  };
  const lab = createLab(api.network);
  await lab.insert('http://images.test/ramdisk.iso');
  await lab.insert('http://images.test/stick.img', 'USBStick');
  await lab.reset('On');
  await lab.advance(200);
  expect(lab.machine.agent).toMatchObject({ state: 'serving', token: 'M'.repeat(43) });
});

it('ends at its start if nobody says where the API is', async () => {
  const { machine } = await start({ boot_method: 'vmedia' }, medium('ir-vfd-dev', 'ipa-agent-token=x'));
  expect(machine.agent!.state).toBe('dead');
});

const network = (type: string, mac: string) => ({
  links: [{ id: 'nic', ethernet_mac_address: mac }],
  networks: [{ id: 'net', link: 'nic', type, ip_address: type === 'ipv4' ? '10.9.0.5' : null }],
  services: [],
});

/** A configuration drive, as boot images of Ironic have what is on it. */
const drive = (data: object) =>
  buildIso({
    label: 'config-2',
    files: [
      { path: 'openstack/latest/network_data.json', data: Buffer.from(JSON.stringify(data)) },
      {
        path: 'etc/ironic-python-agent.d/ingot.conf',
        data: Buffer.from(`[DEFAULT]\napi_url = http://api.test\nagent_token = ${'M'.repeat(43)}\n`),
      },
    ],
  });

describe('in a network without DHCP', () => {
  const startWithout = async (data: (mac: string) => object) => {
    const api = createApi('******');
    api.answers['/ramdisk.iso'] = () => new Response(iso('INGOT-AGENT {"boot_method": "vmedia"}'));
    api.answers['/stick.img'] = () => new Response(Buffer.from(drive(data(lab.machine.mac))));
    const lab = createLab(api.network);
    lab.world.faults.add(null, { name: 'no_dhcp' });
    await lab.insert('http://images.test/ramdisk.iso');
    await lab.insert('http://images.test/stick.img', 'USBStick');
    await lab.reset('On');
    await lab.advance(200);
    return lab.machine.agent!;
  };

  it('an agent calls whose machine has an address by its configuration drive', async () => {
    const agent = await startWithout((mac) => network('ipv4', mac.toUpperCase()));
    expect(agent).toMatchObject({ state: 'serving', token: 'M'.repeat(43), api_url: 'http://api.test' });
  });

  it.each([
    ['has DHCP in it', (mac: string) => network('ipv4_dhcp', mac)],
    ['is about another card', () => network('ipv4', '52:54:00:ff:ff:ff')],
    ['is empty', () => ({})],
  ])('no agent calls whose network_data %s', async (_what, data) => {
    expect((await startWithout(data)).state).toBe('dead');
  });
});
