/** How the agent of a boot gets its token (ADR 9), over whole workflows. */
import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../../../layers/bmc/faults.ts';
import type { StoredNode } from '../../../../layers/store/nodes.ts';
import { readIso } from '../../../../simulator/iso.ts';
import { readAgentMedium } from '../../../fakes/agent-medium.ts';
import { createAgent, wordsOnMedium } from '../../agent.ts';
import { aNode, uuid } from '../../nodes.ts';
import { createStage, type Stage } from '../../stage.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Up to where the run waits for the agent. */
const booted = async (more: Partial<StoredNode> = {}, script: (stage: Stage) => void = () => {}) => {
  const stage = await createStage({ node: aNode({ provision_state: 'manageable', ...more }) });
  script(stage);
  const run = await stage.provision('clean', 'provide');
  await stage.settle();
  return { stage, run };
};

/** What a stranger who knows the UUID is told. */
const ask = async (stage: Stage) => {
  const { status, body } = await stage.http(`GET /v1/lookup?node_uuid=${uuid}`);
  return status === 200 ? (JSON.parse(body!) as { config: { agent_token: string } }).config.agent_token : status;
};

/** The first insertion is that of the ramdisk. */
const oneDrive = (stage: Stage) =>
  stage.proxy.answer(
    'vmedia.insert',
    () => undefined,
    bmcFault('BmcUnsupported', 'The BMC offers no virtual media of type USBStick.'),
  );

const keys = ({ world }: Stage) => world.objects.keys().filter((key) => key.startsWith('agents/'));

describe('the medium of the agent', () => {
  it('is in the second drive before the machine is switched on, with the token that the node knows', async () => {
    const { stage } = await booted();
    const { status, body } = await stage.world.objects.request('GET', stage.machine.media.usb!);
    const { label, words } = readAgentMedium(body!);
    expect([status, label]).toEqual([200, 'ir-vfd-dev']);
    expect(words).toEqual({
      'ipa-api-url': 'http://metal.test',
      'ipa-agent-token': expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    const node = await stage.read();
    expect(node.agent_token_sha256).toBe(sha256(words['ipa-agent-token']!));
    expect(node.driver_internal_info).toMatchObject({
      agent_secret_token: '******',
      agent_secret_token_pregenerated: true,
    });
    const order = stage.proxy.requests.map(({ op, params }) =>
      [op, (params as { slot?: string }).slot].join(' ').trim(),
    );
    expect(order).toEqual(['power.ensure', 'vmedia.insert cd', 'vmedia.insert usb', 'boot.ensure', 'power.ensure']);
  });

  it('has a name by which BMCs take it for a removable disk', async () => {
    const { stage } = await booted();
    expect(new URL(stage.machine.media.usb!).pathname).toMatch(/\.img$/);
  });

  it('leaves its token nowhere else', async () => {
    const { stage } = await booted();
    const { 'ipa-agent-token': token } = await wordsOnMedium(stage);
    const seen = [stage.travelled, stage.world.table.items(), stage.world.log.lines, stage.proxy.requests];
    expect(JSON.stringify(seen)).not.toContain(token);
    expect(await ask(stage)).toBe('******');
  });

  it('is gone with its object when the work is done, and so is the token', async () => {
    const { stage } = await booted();
    const agent = createAgent(stage);
    await agent.call();
    for (let step = 0; step < 2; step += 1) {
      await stage.settle();
      await agent.finish();
    }
    await stage.settle(600);
    const { provision_state, agent_token_sha256, driver_internal_info } = await stage.read();
    expect([provision_state, agent_token_sha256]).toEqual(['available', null]);
    for (const note of ['agent_medium', 'agent_secret_token', 'agent_secret_token_pregenerated', 'agent_url']) {
      expect(driver_internal_info).not.toHaveProperty(note);
    }
    expect(stage.machine.media).toEqual({ cd: null, usb: null });
    expect(keys(stage)).toEqual([]);
  });

  it('can be read for as long as the run waits for the agent, also if the BMC took its time', async () => {
    const stage = await createStage({
      node: aNode({ provision_state: 'manageable' }),
      env: { INGOT_DEPLOY_CALLBACK_TIMEOUT: '20', INGOT_CLEAN_CALLBACK_TIMEOUT: '20' },
    });
    const ready = stage.time.now() + 10 * 60_000;
    const slow = () =>
      stage.time.now() < ready
        ? ({ status: 'pending', poll_after_s: 5, reason: 'It is in POST.' } as const)
        : undefined;
    stage.proxy.answer('boot.ensure', ...Array.from({ length: 200 }, () => slow));
    await stage.provision('clean', 'provide');
    await stage.settle(10 * 60 + 20);
    expect(await stage.read()).toMatchObject({ provision_state: 'clean wait', power_state: 'power on' });
    expect(await wordsOnMedium(stage)).toHaveProperty('ipa-agent-token');
  });

  it('is made anew when the ramdisk is booted once more, and the one before opens nothing', async () => {
    const { stage } = await booted();
    const { 'ipa-agent-token': first } = await wordsOnMedium(stage);
    await stage.settle(1800 + 60);
    const { 'ipa-agent-token': second } = await wordsOnMedium(stage);
    expect(second).not.toBe(first);
    expect((await stage.read()).agent_token_sha256).toBe(sha256(second!));
    expect(keys(stage)).toHaveLength(1);
  });

  it('is removed when the deploy fails', async () => {
    const stage = await createStage({ node: aNode() });
    await stage.provision('deploy', 'deploy');
    await stage.settle(2 * 1800 + 600);
    expect((await stage.read()).provision_state).toBe('deploy failed');
    expect(stage.machine.media).toEqual({ cd: null, usb: null });
    expect(keys(stage)).toEqual([]);
  });

  it('serves the agent still after somebody pressed reset in between', async () => {
    const { stage } = await booted();
    await stage.power('rebooting');
    await stage.settle(60);
    expect(await createAgent(stage).call()).toBe(true);
  });
});

describe('an agent that has no medium', () => {
  const plain = { driver_info: { ...aNode().driver_info, config_via_removable: false } };

  it.each([
    ['as its operator chose a plain ISO', plain, () => {}, 'driver_info.config_via_removable is false'],
    ['as the BMC has one drive', {}, oneDrive, 'the BMC has no second virtual drive'],
    [
      'as the BMC said so at the verification',
      { driver_internal_info: { removable_media: false } },
      () => {},
      'the BMC has one virtual drive only',
    ],
  ])('asks for its token, once, %s; the history says that this is weaker', async (_why, more, script, reason) => {
    const { stage } = await booted(more, script);
    expect(await stage.history()).toContain(
      `agent: The agent has to ask for its token, because ${reason}: anybody in agent_networks who knows a MAC address could be first.`,
    );
    const token = await ask(stage);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(await ask(stage)).toBe('******');
    expect((await stage.read()).agent_token_sha256).toBe(sha256(String(token)));
    expect(stage.machine.media.usb).toBeNull();
  });

  it('gets none before the machine was switched on by this run', async () => {
    const stage = await createStage({ node: aNode({ provision_state: 'manageable', ...plain }) });
    const told: unknown[] = [];
    for (const op of ['power.ensure', 'boot.ensure', 'vmedia.insert'] as const) {
      stage.proxy.answer(op, async () => {
        told.push(await ask(stage));
        return undefined;
      });
    }
    await stage.provision('clean', 'provide');
    await stage.settle();
    expect(told.length).toBeGreaterThan(2);
    expect(new Set(told)).toEqual(new Set([404]));
    expect(await ask(stage)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is not booted where the operator demands the medium', async () => {
    const { stage } = await booted({ driver_info: { ...plain.driver_info, config_via_removable: true } }, oneDrive);
    const { provision_state, last_error } = await stage.read();
    expect(provision_state).toBe('clean failed');
    expect(last_error).toContain('The BMC offers no virtual media of type USBStick.');
  });
});

describe('the medium of an agent whose site has no DHCP', () => {
  const network_data = {
    links: [{ id: 'nic', type: 'phy', ethernet_mac_address: '52:54:00:00:00:01' }],
    networks: [{ id: 'net', link: 'nic', type: 'ipv4', ip_address: '10.9.0.5', netmask: '255.255.255.0', routes: [] }],
    services: [],
  };
  const files = async (stage: Stage) => {
    const { body } = await stage.world.objects.request('GET', stage.machine.media.usb!);
    return readIso(body!);
  };

  it('is a configuration drive with the network and the configuration of the agent', async () => {
    const { stage } = await booted({ network_data });
    const { label, files: found } = await files(stage);
    expect(label).toBe('config-2');
    expect(JSON.parse(found.get('openstack/latest/network_data.json')!.toString())).toEqual(network_data);
    const { 'ipa-agent-token': token } = await wordsOnMedium(stage);
    expect(found.get('etc/ironic-python-agent.d/ingot.conf')!.toString().split('\n')).toEqual([
      '[DEFAULT]',
      'api_url = http://metal.test',
      `agent_token = ${token}`,
      '',
    ]);
    expect((await stage.read()).agent_token_sha256).toBe(sha256(token!));
  });

  it('tells an agent that inspects where its inventory goes', async () => {
    const stage = await createStage({
      node: aNode({ provision_state: 'manageable', inspect_interface: 'agent', network_data }),
    });
    await stage.provision('inspect', 'inspect');
    await stage.settle();
    const text = (await files(stage)).files.get('etc/ironic-python-agent.d/ingot.conf')!.toString();
    expect(text).toMatch(
      /^inspection_callback_url = http:\/\/metal\.test\/v1\/continue_inspection\?node_uuid=.*&key=\w+$/m,
    );
  });

  it('is not done without: nothing is booted that could never call', async () => {
    const { stage } = await booted({ network_data }, oneDrive);
    const { provision_state, last_error, power_state } = await stage.read();
    expect([provision_state, power_state]).toEqual(['clean failed', 'power off']);
    expect(last_error).toContain('network_data reaches the agent on a second virtual drive only');
  });
});
