import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import { buildConfigdrive } from '../../layers/configdrive/index.ts';
import { configdriveKey, configdriveReference } from '../../layers/domain/configdrive.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { decodeConfigdrive } from '../../simulator/agent/configdrive.ts';
import { pending } from '../fakes/proxy.ts';
import { readErrors } from '../fixtures/agent/errors.ts';
import { createAgent } from './agent.ts';
import { imageArgs } from './asked.ts';
import { aNode, uuid } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

const untilAgent = ['Validate', 'NextStep', 'PowerOff', 'AttachBootMedia', 'SetBootDevice', 'PowerOn', 'WaitForAgent'];
const tearDown = ['PowerOffAgent', 'DetachBootMedia', 'SetDiskBoot', 'NextStep', 'BootInstance', 'NextStep'];
const afterImage = ['PrepareInstanceBoot', 'NextStep', ...tearDown];
const round = ['WriteImage', 'NextStep'];

/** A deploy whose machine and agent do what they should, as far as the stage's scripts let them. */
const deploy = async (more: Partial<StoredNode> = {}, script: (stage: Stage) => void = () => {}) => {
  const stage = await createStage({ node: aNode(more) });
  script(stage);
  const agent = createAgent(stage);
  const run = await stage.provision('deploy', 'deploy');
  await stage.settle(600);
  if (await agent.call()) {
    await stage.settle();
    if ((await stage.read()).deploy_step['step'] === 'write_image') await agent.finish();
    await stage.settle(600);
  }
  return { stage, agent, run };
};

const configdrivesIn = ({ world }: Stage) => world.objects.keys().filter((key) => key.startsWith('configdrives/'));

describe('a direct deploy', () => {
  it('tells the boot mode that it has set, and keeps what it has not touched', async () => {
    const capabilities = { ...aNode().instance_info, capabilities: { boot_mode: 'bios' } };
    const { stage } = await deploy({ instance_info: capabilities, boot_mode: 'uefi' });
    expect(await stage.read()).toMatchObject({ provision_state: 'active', boot_mode: 'bios' });
    expect(stage.machine.boot.mode).toBe('bios');
    const { stage: other } = await deploy({ boot_mode: 'uefi' });
    expect((await other.read()).boot_mode).toBe('uefi');
  });

  it('goes from phase to phase until the node is active', async () => {
    const { stage, run } = await deploy();
    expect(await stage.entered('deploy', run)).toEqual(
      [...untilAgent, 'CollectSteps', 'NextStep', ...round, ...round, ...afterImage, 'Finish', 'Done'].flat(),
    );
    expect(await stage.describe('deploy', run)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await stage.read()).toMatchObject({
      provision_state: 'active',
      target_provision_state: null,
      power_state: 'power on',
      reservation: null,
      run: null,
      run_workflow: null,
      last_error: null,
      deploy_step: {},
      phase: null,
      agent_token_sha256: null,
    });
    expect(stage.machine).toMatchObject({
      power: 'power on',
      media: { cd: null, usb: null },
      boot: { target: 'Hdd', enabled: 'Continuous' },
    });
  });

  it('needs at most 60 state transitions', async () => {
    const { stage, run } = await deploy();
    // Step Functions charges for each state entered, the start, and each retry; there are none on this path.
    expect((await stage.entered('deploy', run)).length + 1).toBeLessThanOrEqual(60);
  });

  it('leaves its story on the node', async () => {
    const { stage } = await deploy();
    const phases = (names: string[]) =>
      names.flatMap((name) => [`phase start: ${name} started.`, `phase end: ${name} done.`]);
    const whileWaiting = (name: string) => [
      `phase start: ${name} started.`,
      'transition: deploying -> wait call-back',
      'transition: wait call-back -> deploying',
      `phase end: ${name} done.`,
    ];
    expect(await stage.history()).toEqual([
      'request: Asked for deploy.',
      ...phases(['Validate', 'PowerOff', 'AttachBootMedia', 'SetBootDevice', 'PowerOn']),
      ...whileWaiting('WaitForAgent'),
      ...phases(['CollectSteps']),
      ...whileWaiting('WriteImage'),
      ...phases([...afterImage.filter((state) => state !== 'NextStep'), 'Finish']),
      'transition: deploying -> active',
    ]);
  });

  it('frees the lock while it waits and shows the step', async () => {
    const stage = await createStage({ node: aNode() });
    const run = await stage.provision('deploy', 'deploy');
    await stage.settle();
    expect(await stage.read()).toMatchObject({
      provision_state: 'wait call-back',
      target_provision_state: 'active',
      reservation: null,
      run,
      deploy_step: { interface: 'deploy', step: 'deploy', priority: 100 },
    });
  });

  it('tells the agent what to write, with a link to the configdrive that is made for this once', async () => {
    const key = configdriveKey(uuid, '01J0');
    const instance_info = { ...aNode().instance_info, configdrive: configdriveReference(key) };
    const { stage } = await deploy({ instance_info }, ({ world }) => void world.objects.put(key, Buffer.from('iso')));
    const args = imageArgs(stage)[0]!;
    expect(args.image_info).toEqual({
      id: 'demo.raw',
      urls: ['http://images.test/demo.raw'],
      checksum: 'a'.repeat(64),
      os_hash_algo: 'sha256',
      os_hash_value: 'a'.repeat(64),
      disk_format: 'raw',
      container_format: 'bare',
      stream_raw_images: true,
      node_uuid: uuid,
    });
    expect(Buffer.from((await stage.world.objects.request('GET', args.configdrive)).body!).toString()).toBe('iso');
    const kept = JSON.stringify([stage.world.table.items(), stage.world.log.lines, stage.travelled]);
    expect(kept).not.toContain('signature=');
    expect(configdrivesIn(stage)).toEqual([key]);
  });

  it('gives the agent a form that it can read, also of an image that the first version stored as it is', async () => {
    // 22 to 100 of 100 drives were taken for base64 by the agent.
    const drive = buildConfigdrive({ user_data: 'A=1\n' }, { uuid, name: 'key== me@host' });
    const old = `configdrives/${uuid}/01J0`;
    const instance_info = { ...aNode().instance_info, configdrive: configdriveReference(old) };
    const { stage } = await deploy({ instance_info }, ({ world }) => void world.objects.put(old, drive));
    const { configdrive } = imageArgs(stage)[0]!;
    const { body } = await stage.world.objects.request('GET', configdrive);
    expect(decodeConfigdrive({ bytes: Buffer.from(body!) }, uuid)).toEqual(Buffer.from(drive));
    // The node goes on to refer to the old one, which a rebuild uses again.
    expect(await stage.read()).toMatchObject({ provision_state: 'active', instance_info });
    expect(configdrivesIn(stage)).toEqual([old, `${old}.gz.b64`]);
  });

  it('says so when nothing is stored where the node refers to', async () => {
    const old = `configdrives/${uuid}/01J0`;
    const instance_info = { ...aNode().instance_info, configdrive: configdriveReference(old) };
    const { stage } = await deploy({ instance_info });
    expect((await stage.read()).last_error).toMatch(/WriteImage: .*refers to nothing that is stored: pass the conf/);
  });

  it('goes through heartbeats that come while the image is being written', async () => {
    const stage = await createStage({ node: aNode() });
    const agent = createAgent(stage);
    const run = await stage.provision('deploy', 'deploy');
    await stage.settle();
    await agent.call();
    for (let beat = 0; beat < 3; beat += 1) {
      await stage.settle(100);
      expect(await agent.heartbeat()).toBe(202);
    }
    await stage.settle(100);
    await agent.finish();
    await stage.settle();
    expect((await stage.read()).provision_state).toBe('active');
    const entered = await stage.entered('deploy', run);
    expect(entered.filter((state) => state === 'WriteImage')).toHaveLength(5);
    expect(entered.length).toBeLessThanOrEqual(60);
  });
});

describe('a heartbeat', () => {
  it('that comes twice continues the run once', async () => {
    const stage = await createStage({ node: aNode() });
    const agent = createAgent(stage);
    await stage.provision('deploy', 'deploy');
    await stage.settle();
    await agent.call();
    expect(await Promise.all([agent.heartbeat(), agent.heartbeat()])).toEqual([202, 202]);
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'wait call-back', phase: { name: 'WriteImage' } });
  });

  it('that comes between the look at the command and the wait is not missed', async () => {
    const stage = await createStage({ node: aNode() });
    const agent = createAgent(stage);
    await stage.provision('deploy', 'deploy');
    await stage.settle();
    stage.proxy.answer('agent.execute', async () => {
      await agent.heartbeat();
      return {
        status: 'done',
        observed: { started: true, command: { id: '1', command_name: 'x', command_status: 'RUNNING' } },
        quirks: [],
      };
    });
    await agent.call();
    await stage.settle();
    // The run looked again by itself: the second look started the command of the fake agent.
    expect(imageArgs(stage)).toHaveLength(1);
    await agent.finish();
    await stage.settle();
    expect((await stage.read()).provision_state).toBe('active');
  });

  it('does not continue a node in maintenance, the first one after that does', async () => {
    const stage = await createStage({ node: aNode() });
    const agent = createAgent(stage);
    await stage.provision('deploy', 'deploy');
    await stage.settle();
    await stage.change({ maintenance: true });
    await agent.call();
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'wait call-back', phase: { name: 'WaitForAgent' } });
    await stage.change({ maintenance: false });
    await agent.heartbeat();
    await stage.settle();
    expect((await stage.read()).phase).toMatchObject({ name: 'WriteImage' });
  });
});

describe('the other ways', () => {
  it('fake hardware never leaves the process', async () => {
    const stage = await createStage({ node: aNode({ driver: 'fake-hardware', driver_info: {}, instance_info: {} }) });
    const run = await stage.provision('deploy', 'deploy');
    await stage.settle();
    expect(await stage.entered('deploy', run)).toEqual(['Validate', 'NextStep', 'Finish', 'Done']);
    expect(await stage.read()).toMatchObject({ provision_state: 'active', power_state: null });
    expect(stage.proxy.requests).toEqual([]);
  });

  it('a ramdisk deploy boots an ISO for good, with the configdrive as a USB medium', async () => {
    const instance_info = { boot_iso: 'http://images.test/live.iso', configdrive: 'https://drives.test/one.iso' };
    const stage = await createStage({ node: aNode({ deploy_interface: 'ramdisk', instance_info }) });
    const run = await stage.provision('deploy', 'deploy');
    await stage.settle();
    expect(await stage.entered('deploy', run)).toEqual([
      'Validate',
      'NextStep',
      'PowerOffForIso',
      'AttachBootIso',
      'AttachConfigdrive',
      'SetIsoBoot',
      'NextStep',
      'BootInstance',
      'NextStep',
      'Finish',
      'Done',
    ]);
    expect((await stage.read()).provision_state).toBe('active');
    expect(stage.machine).toMatchObject({
      power: 'power on',
      media: { cd: instance_info.boot_iso, usb: instance_info.configdrive },
      boot: { target: 'Cd', enabled: 'Continuous' },
    });
  });
});

describe('a configdrive that a BMC presents as a USB medium', () => {
  const drive = buildConfigdrive({ user_data: 'A=1\n' }, { uuid, name: 'rack-1' });
  const packed = Buffer.from(gzipSync(drive).toString('base64'));
  const old = `configdrives/${uuid}/01J0`;

  it.each([
    ['as Ironic stores it', configdriveKey(uuid, '01J0'), packed],
    ['as the first version stored it', old, drive],
  ])('is the image itself under a name that tells its kind, once stored %s', async (_form, key, bytes) => {
    const instance_info = { boot_iso: 'http://images.test/live.iso', configdrive: configdriveReference(key) };
    const stage = await createStage({ node: aNode({ deploy_interface: 'ramdisk', instance_info }) });
    await stage.world.objects.put(key, bytes);
    await stage.provision('deploy', 'deploy');
    await stage.settle();
    const link = stage.machine.media['usb']!;
    expect(new URL(link).pathname).toMatch(/\.img$/);
    expect(Buffer.from((await stage.world.objects.request('GET', link)).body!)).toEqual(Buffer.from(drive));
    expect(configdrivesIn(stage)).toEqual([key, `${old}.img`].toSorted());

    await stage.provision('undeploy', 'delete');
    await stage.settle();
    expect(configdrivesIn(stage)).toEqual([]);
  });
});

describe('a deploy that fails', () => {
  const failedIn = async (stage: Stage, run: string) => {
    const node = await stage.read();
    expect(node).toMatchObject({
      provision_state: 'deploy failed',
      target_provision_state: 'active',
      reservation: null,
      run: null,
      deploy_step: {},
    });
    expect(await stage.describe('deploy', run)).toMatchObject({ status: 'FAILED', cause: node.last_error });
    expect((await stage.history()).filter((line) => line.startsWith('error: '))).toEqual([`error: ${node.last_error}`]);
    return node.last_error!;
  };

  it('does so at once for bad credentials, which are tried exactly once', async () => {
    const wrong = bmcFault(
      'BmcAuthFailed',
      'The BMC refused the credentials: check redfish_username and redfish_password.',
    );
    const { stage, run } = await deploy({}, ({ proxy }) => proxy.answer('power.ensure', wrong));
    expect(await failedIn(stage, run)).toBe(
      'Deploy failed in PowerOff: The BMC refused the credentials: check redfish_username and redfish_password. Then set the provision state to active to try again, or to deleted to give the machine back.',
    );
    expect(stage.proxy.requests).toHaveLength(1);
  });

  it('does so when the agent never calls, and switches the machine off', async () => {
    const stage = await createStage({ node: aNode() });
    const run = await stage.provision('deploy', 'deploy');
    await stage.settle(1799);
    expect([(await stage.read()).provision_state, stage.machine.switched]).toEqual(['wait call-back', 1]);
    await stage.settle(2);
    // Once more: the BMC may have passed over what to boot from.
    expect([(await stage.read()).provision_state, stage.machine.switched]).toEqual(['wait call-back', 3]);
    await stage.settle(1801);
    expect(await failedIn(stage, run)).toMatch(
      /^Deploy failed in WaitForAgent: Timeout reached while waiting for callback/,
    );
    expect(stage.machine).toMatchObject({ power: 'power off', media: { cd: null } });
    expect(await stage.read()).toMatchObject({ power_state: 'power off' });
  });

  it('not yet when the agent calls after a second boot', async () => {
    const stage = await createStage({ node: aNode() });
    const agent = createAgent(stage);
    const run = await stage.provision('deploy', 'deploy');
    await stage.settle(1801);
    await agent.call();
    await stage.settle();
    await agent.finish();
    await stage.settle(60);
    expect((await stage.read()).provision_state).toBe('active');
    const entered = await stage.entered('deploy', run);
    expect(entered.slice(0, 13)).toEqual([...untilAgent, 'AgentMissed', ...untilAgent.slice(2)]);
    // Another wish: the ledger must not take it for a repetition of the first.
    expect(stage.proxy.requests.map(({ op_id }) => op_id)).toContain(`${run}/PowerOn/ramdisk2/boot2/power.ensure`);
  });

  it('says what the agent says, without what its URLs carry', async () => {
    const stage = await createStage({ node: aNode() });
    const agent = createAgent(stage);
    const run = await stage.provision('deploy', 'deploy');
    await stage.settle();
    await agent.call();
    await stage.settle();
    await agent.finish('FAILED', {
      command_error: {
        type: 'ImageChecksumError',
        message: 'Image failed to verify.',
        details: 'https://bob:pw@images.test/demo.raw?signature=42 has another sha256.',
      },
    });
    await stage.settle();
    const error = await failedIn(stage, run);
    expect(error).toContain(
      "The agent's step deploy.write_image failed: Image failed to verify. https://images.test/demo.raw has another sha256.",
    );
    expect(stage.machine.power).toBe('power off');
  });

  it('does so when the machine does not do in time what it was asked', async () => {
    const never = Array.from({ length: 500 }, () => pending('PowerState is still On.'));
    const stage = await createStage({ node: aNode() });
    stage.proxy.answer('power.ensure', ...never);
    const run = await stage.provision('deploy', 'deploy');
    await stage.settle(3600);
    expect(await failedIn(stage, run)).toMatch(
      /^Deploy failed in PowerOff: .* within 900 seconds .*: PowerState is still On\. /,
    );
  });

  it('keeps the configdrive and what to deploy for the next try', async () => {
    const key = configdriveKey(uuid, '01J0');
    const instance_info = { ...aNode().instance_info, configdrive: configdriveReference(key) };
    const wrong = bmcFault('BmcRejected', 'The BMC refused the image.');
    const { stage } = await deploy({ instance_info }, ({ proxy, world }) => {
      void world.objects.put(key, Buffer.from('iso'));
      proxy.answer('vmedia.insert', wrong);
    });
    expect(await stage.read()).toMatchObject({ provision_state: 'deploy failed', instance_info });
    expect(configdrivesIn(stage)).toEqual([key]);
  });

  it('is not hidden by a machine that cannot be switched off, which is said too', async () => {
    const { stage, run } = await deploy({}, ({ proxy }) => {
      proxy.answer('vmedia.insert', bmcFault('BmcRejected', 'The BMC refused the image.'));
      proxy.answer('power.ensure', () => undefined, bmcFault('BmcUnreachable', 'No answer.'));
    });
    expect(await failedIn(stage, run)).toContain(
      'AttachBootMedia: The BMC refused the image. Afterwards the machine could not be switched off: No answer. Then set',
    );
    // Nobody is there to be asked for more.
    expect(stage.proxy.requests.map(({ op }) => op).at(-1)).toBe('power.ensure');
  });

  it('has the words of an agent that cannot install the boot loader', async () => {
    const stage = await createStage({ node: aNode() });
    const agent = createAgent(stage);
    const run = await stage.provision('deploy', 'deploy');
    await stage.settle();
    await agent.call();
    await stage.settle();
    const recorded = readErrors().find(({ details }) => details.startsWith('Install of the boot loader'));
    stage.proxy.answer('agent.call', () => undefined, {
      status: 'done',
      quirks: [],
      observed: {
        command: { id: '1', command_name: 'install_bootloader', command_status: 'FAILED', command_error: recorded },
      },
    });
    await agent.finish();
    await stage.settle();
    expect(await failedIn(stage, run)).toContain(
      'PrepareInstanceBoot: The agent could not install the boot loader: Command execution failed: Install of the boot loader failed: /dev/sda has no EFI system partition. Is the image one that boots in mode uefi?',
    );
  });
});

describe('a deploy meets', () => {
  it('a BMC that is busy, then fine: it is asked again, and the history tells', async () => {
    const busy = bmcFault('BmcBusy', 'The BMC is starting, not https://bob:pw@images.test/ipa.iso?signature=42');
    const { stage } = await deploy({}, ({ proxy }) => proxy.answer('vmedia.insert', busy, busy));
    expect((await stage.read()).provision_state).toBe('active');
    const attempts = (await stage.history()).filter((line) => line.startsWith('attempt: '));
    const said = 'attempt: AttachBootMedia is tried again: The BMC is starting, not https://images.test/ipa.iso';
    expect(attempts).toEqual(Array(2).fill(said));
  });

  it('a machine that takes its time: every try asks for the same effect', async () => {
    const { stage } = await deploy({}, ({ proxy }) => proxy.answer('power.ensure', pending(), pending()));
    expect((await stage.read()).provision_state).toBe('active');
    const ids = stage.proxy.requests.filter(({ op }) => op === 'power.ensure').map(({ op_id }) => op_id);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(new Set(ids).size).toBe(4);
  });

  it('a delete while it waits: the old run ends quietly, whenever it wakes', async () => {
    const stage = await createStage({ node: aNode() });
    const run = await stage.provision('deploy', 'deploy');
    await stage.settle(900);
    await stage.provision('undeploy', 'delete');
    await stage.settle(901);
    expect((await stage.entered('deploy', run)).slice(-3)).toEqual(['AgentMissed', 'PowerOff', 'Superseded']);
    expect(await stage.read()).toMatchObject({ provision_state: 'clean wait', last_error: null });
  });

  it('a reboot while it waits: the agent of the new boot gets a new token and the deploy goes on', async () => {
    const stage = await createStage({ node: aNode() });
    const agent = createAgent(stage);
    await stage.provision('deploy', 'deploy');
    await stage.settle();
    await agent.call();
    await stage.settle();
    const power = await stage.power('rebooting');
    // The lock is held by the power run; the deploy waits its turn.
    await agent.heartbeat();
    await stage.settle(60);
    expect(await stage.entered('power', power)).toEqual([
      'ChangePower',
      'PowerOff',
      'ThenOn',
      'RenewConfigdrive',
      'PowerOn',
      'Finish',
      'Done',
    ]);
    expect((await stage.read()).reservation).not.toBe(power);
    expect(await agent.call()).toBe(true);
    await stage.settle(60);
    await agent.finish();
    await stage.settle();
    expect((await stage.read()).provision_state).toBe('active');
  });
});
