import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import type { InspectionRule } from '../../layers/domain/inspection-rule.ts';
import type { Port } from '../../layers/domain/port.ts';
import { readInventory } from '../../layers/store/inventories.ts';
import { newRecord } from '../../layers/store/kinds/form.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { createRecord } from '../../layers/store/records/change.ts';
import { recordsOf } from '../../layers/store/records/find.ts';
import { createAgent, sendInventory, wordsOnMedium } from './agent.ts';
import { aNode, uuid } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

const elsewhere = '11111111-2222-4333-8444-555555555555';
const mac = '52:54:00:00:00:01';
const untilAgent = ['PowerOff', 'AttachBootMedia', 'SetBootDevice', 'PowerOn', 'WaitForAgent'];
const record = ['CreatePorts', 'RecordHardware', 'ApplyRules', 'IsRamdiskRunning'];

const withPort = async (stage: Stage, values: Partial<Port>) => {
  const port = newRecord(stage.world, kinds.port, { node_uuid: uuid, address: mac, ...values });
  await createRecord(stage.world, kinds.port, port);
  return port;
};

const withRule = async (stage: Stage, values: Partial<InspectionRule>) => {
  await createRecord(stage.world, kinds.inspection_rule, newRecord(stage.world, kinds.inspection_rule, values));
};

type Script = (stage: Stage) => void | Promise<void>;

const inspect = async (more: Partial<StoredNode> = {}, script: Script = () => {}) => {
  const stage = await createStage({ node: aNode({ provision_state: 'manageable', ...more }) });
  await script(stage);
  const run = await stage.provision('inspect', 'inspect');
  await stage.settle(600);
  const ports = async () => recordsOf(stage.world.table, kinds.port, uuid);
  return { stage, run, ports };
};

const outOfBand = { inspect_interface: 'redfish' } as const;

describe('an inspection out of band', () => {
  it('asks the BMC and leaves the machine alone', async () => {
    const { stage, run } = await inspect(outOfBand);
    const way = ['Prepare', 'ChooseWay', 'ReadInventory', ...record, 'Finish', 'Done'];
    expect(await stage.entered('inspect', run)).toEqual(way);
    expect(stage.proxy.requests.map(({ op }) => op)).toEqual(['inventory.get']);
    expect(await stage.read()).toMatchObject({
      provision_state: 'manageable',
      target_provision_state: null,
      reservation: null,
      run: null,
      last_error: null,
      boot_mode: 'uefi',
      driver_internal_info: {},
    });
  });

  it('is the same by the name of a Dell', async () => {
    const { stage } = await inspect({ driver: 'idrac', inspect_interface: 'idrac-redfish' });
    expect((await stage.read()).provision_state).toBe('manageable');
    expect(stage.proxy.requests.map(({ op }) => op)).toContain('inventory.get');
  });

  it('records what schedulers read, and keeps the rest of the properties', async () => {
    const { stage } = await inspect({ ...outOfBand, properties: { capabilities: 'boot_mode:bios', cpus: 1 } });
    expect((await stage.read()).properties).toEqual({
      capabilities: 'boot_mode:bios',
      cpus: 32,
      cpu_arch: 'x86_64',
      memory_mb: 65_536,
      local_gb: '446',
    });
  });

  it('tells when it began and ended', async () => {
    const { stage } = await inspect({ ...outOfBand, inspection_finished_at: '2025-01-01T00:00:00.000+00:00' });
    const { inspection_started_at: began, inspection_finished_at: ended } = await stage.read();
    expect(Date.parse(ended!)).toBeGreaterThanOrEqual(Date.parse(began!));
    expect(began).toMatch(/^2\d{3}-/);
  });

  it('gives the BMC more time than the minute that others get', async () => {
    const { stage } = await inspect(outOfBand);
    expect(stage.proxy.requests[0]!.deadline_ms).toBeGreaterThan(100_000);
  });

  it('stores the inventory', async () => {
    const { stage } = await inspect(outOfBand);
    expect(await readInventory(stage.world, uuid)).toEqual({
      inventory: stage.machine.inventory,
      plugin_data: {},
    });
  });

  it('creates a port for each network card that has none', async () => {
    const { ports, stage } = await inspect(outOfBand);
    expect(await ports()).toMatchObject([{ address: mac, pxe_enabled: true, node_uuid: uuid }]);
    expect(await stage.history()).toContain(`phase end: Ports created: ${mac}.`);
  });

  it('creates nothing where there is a port, also of another node, which the history tells', async () => {
    const { ports, stage } = await inspect(outOfBand, async (made) => {
      await createRecord(made.world, kinds.node, aNode({ uuid: elsewhere, position: '01000000000000000000000002' }));
      await withPort(made, { node_uuid: elsewhere });
    });
    expect(await ports()).toEqual([]);
    expect(await stage.history()).toContain(`phase end: No port created where another node has the address: ${mac}.`);
  });

  it('fails with what the BMC says', async () => {
    const { stage } = await inspect(outOfBand, ({ proxy }) => {
      proxy.answer('inventory.get', bmcFault('BmcUnsupported', 'The BMC offers no inventory.'));
    });
    const { provision_state, target_provision_state, last_error, reservation, run } = await stage.read();
    expect({ provision_state, target_provision_state, reservation, run }).toEqual({
      provision_state: 'inspect failed',
      target_provision_state: 'manageable',
      reservation: null,
      run: null,
    });
    expect(last_error).toContain('Inspection failed in ReadInventory: The BMC offers no inventory.');
    expect(stage.machine.switched).toBe(0);
  });

  it('of fake hardware finds nothing and ends well', async () => {
    const { stage, run } = await inspect({ driver: 'fake-hardware', inspect_interface: 'fake' });
    expect(await stage.entered('inspect', run)).toEqual(['Prepare', 'ChooseWay', 'Finish', 'Done']);
    expect(await stage.read()).toMatchObject({ provision_state: 'manageable' });
  });
});

const inventory = {
  interfaces: [
    { name: 'eth0', mac_address: '52:54:00:AA:00:01' },
    { name: 'eth1', mac_address: '52:54:00:aa:00:02' },
    { name: 'ib0', mac_address: 'a0:00:02:20:fe:80:00:00' },
  ],
  disks: [
    { name: '/dev/sdb', size: 8e12 },
    { name: '/dev/sda', size: 240e9 },
  ],
  cpu: { count: 16, architecture: 'aarch64' },
  memory: { physical_mb: 32_768 },
  boot: { current_boot_mode: 'uefi', pxe_interface: '01-52-54-00-aa-00-02' },
  bmc_address: '10.0.0.1',
};

const byAgent = { inspect_interface: 'agent' } as const;
const send = async (stage: Stage, body: object = { inventory }) => sendInventory(stage, body);

describe('an inspection by the agent', () => {
  it('boots the ramdisk, waits for its inventory, and switches the machine off again', async () => {
    const { stage, run } = await inspect(byAgent);
    expect(await stage.read()).toMatchObject({ provision_state: 'inspect wait', reservation: null });
    expect(stage.machine).toMatchObject({ power: 'power on', media: { cd: 'http://images.test/deploy.iso' } });
    const { status, body } = await send(stage);
    expect([status, JSON.parse(body!)]).toEqual([202, { uuid }]);
    await stage.settle(600);
    expect(await stage.entered('inspect', run)).toEqual([
      'Prepare',
      'ChooseWay',
      ...untilAgent,
      'CheckInventory',
      ...record,
      'PowerOffRamdisk',
      'DetachBootMedia',
      'Finish',
      'Done',
    ]);
    expect(stage.machine).toMatchObject({ power: 'power off', media: { cd: null } });
    expect(await stage.read()).toMatchObject({
      provision_state: 'manageable',
      reservation: null,
      run: null,
      power_state: 'power off',
      boot_mode: 'uefi',
      properties: { cpus: 16, cpu_arch: 'aarch64', memory_mb: 32_768, local_gb: '222' },
    });
  });

  it('makes ports of its cards, and only the one that booted over the network may boot', async () => {
    const { stage, ports } = await inspect(byAgent, async (made) => {
      await withPort(made, { address: '52:54:00:aa:00:01' });
    });
    await send(stage);
    await stage.settle(600);
    expect(Object.fromEntries((await ports()).map(({ address, pxe_enabled }) => [address, pxe_enabled]))).toEqual({
      '52:54:00:aa:00:01': false,
      '52:54:00:aa:00:02': true,
    });
  });

  it('gets the address to send it to by its medium, with a key that is not the token', async () => {
    const { stage } = await inspect(byAgent);
    const words = await wordsOnMedium(stage);
    expect(Object.keys(words)).toEqual(['ipa-api-url', 'ipa-agent-token', 'ipa-inspection-callback-url']);
    expect(words['ipa-inspection-callback-url']).toMatch(
      new RegExp(`^http://metal\\.test/v1/continue_inspection\\?node_uuid=${uuid}&key=[0-9a-f]{64}$`),
    );
    expect(words['ipa-inspection-callback-url']).not.toContain(words['ipa-agent-token']);
  });

  describe('of a machine whose ramdisk has nothing to prove itself by', () => {
    const plain = { ...byAgent, driver_info: { ...aNode().driver_info, config_via_removable: false } };

    it('makes ports of those cards only that the BMC knows too, and says which it left', async () => {
      const { stage, ports } = await inspect(plain);
      stage.machine.inventory!.interfaces = [{ name: 'NIC.1', mac_address: '52:54:00:aa:00:02' }];
      expect((await send(stage)).status).toBe(202);
      await stage.settle(600);
      expect((await ports()).map(({ address }) => address)).toEqual(['52:54:00:aa:00:02']);
      expect(await stage.read()).toMatchObject({ provision_state: 'manageable', properties: { cpus: 16 } });
      expect(await stage.history()).toContain(
        'phase end: No port for 52:54:00:aa:00:01: the ramdisk did not prove itself, and the BMC does not know the address.',
      );
    });

    it('makes none where the BMC tells nothing of cards', async () => {
      const { stage, ports } = await inspect(plain, ({ proxy }) => {
        proxy.answer('inventory.get', bmcFault('BmcUnsupported', 'The BMC offers no inventory.'));
      });
      await send(stage);
      await stage.settle(600);
      expect(await ports()).toEqual([]);
      expect((await stage.read()).provision_state).toBe('manageable');
    });
  });

  it('does not go on because of a heartbeat', async () => {
    const { stage } = await inspect(byAgent);
    expect(await createAgent(stage).call()).toBe(true);
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'inspect wait' });
  });

  it('believes the ramdisk that something is wrong', async () => {
    const { stage } = await inspect(byAgent);
    await send(stage, { inventory, error: 'disk sda is dying, see http://u:p@log.test/x?token=1' });
    await stage.settle(600);
    const { provision_state, last_error } = await stage.read();
    expect(provision_state).toBe('inspect failed');
    expect(last_error).toContain('The ramdisk reported: disk sda is dying, see http://log.test/x.');
    expect(stage.machine.power).toBe('power off');
  });

  it('fails without a network card', async () => {
    const { stage } = await inspect(byAgent);
    await send(stage, { inventory: { ...inventory, interfaces: [] } });
    await stage.settle(600);
    expect((await stage.read()).last_error).toContain('no network card');
  });

  it('boots once more when nothing came, and then says what the ramdisk needs', async () => {
    const { stage, run } = await inspect(byAgent);
    await stage.settle(2 * 1800 + 600);
    expect(await stage.entered('inspect', run)).toEqual([
      'Prepare',
      'ChooseWay',
      ...untilAgent,
      'AgentMissed',
      ...untilAgent,
      'AgentMissed',
      'Fail',
      'Failed',
    ]);
    const { provision_state, last_error } = await stage.read();
    expect(provision_state).toBe('inspect failed');
    expect(last_error).toContain('ipa-inspection-callback-url');
    expect(stage.machine).toMatchObject({ power: 'power off', media: { cd: null }, boot: { enabled: 'Disabled' } });
  });

  it('refuses to switch off a machine that must stay on', async () => {
    const { stage } = await inspect({ ...byAgent, disable_power_off: true });
    expect((await stage.read()).last_error).toContain('disable_power_off');
    expect(stage.machine.switched).toBe(0);
  });

  it('lets the inventory not travel through the workflow engine', async () => {
    const { stage } = await inspect(byAgent);
    await send(stage);
    await stage.settle(600);
    expect(JSON.stringify(stage.travelled)).not.toContain('52:54:00');
  });
});

describe('inspection rules', () => {
  it('change the node and its ports, by what was found', async () => {
    const { stage, ports } = await inspect({ ...outOfBand, properties: {} }, async (made) => {
      await withRule(made, {
        conditions: [{ op: 'eq', args: { values: ['{inventory[cpu][architecture]}', 'x86_64'] } }],
        actions: [
          { op: 'set-attribute', args: { path: '/resource_class', value: 'large' } },
          { op: 'set-port-attribute', args: { port_id: mac, path: '/physical_network', value: 'physnet1' } },
          { op: 'log', args: { msg: 'seen', level: 'info' } },
        ],
      });
    });
    const { provision_state, resource_class, last_error } = await stage.read();
    expect({ provision_state, resource_class, last_error }).toEqual({
      provision_state: 'manageable',
      resource_class: 'large',
      last_error: null,
    });
    expect(await ports()).toMatchObject([{ address: mac, physical_network: 'physnet1' }]);
    expect((await stage.history()).filter((line) => line.includes('seen'))).toHaveLength(1);
  });

  it('end the inspection where one says so', async () => {
    const { stage } = await inspect(outOfBand, async (made) => {
      await withRule(made, {
        actions: [{ op: 'fail', args: { msg: 'too little memory' } }],
      });
    });
    const { provision_state, last_error } = await stage.read();
    expect(provision_state).toBe('inspect failed');
    expect(last_error).toContain('too little memory');
  });
});
