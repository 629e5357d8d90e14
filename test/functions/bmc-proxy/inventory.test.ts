import { describe, expect, it } from 'vitest';

import { enrolWithParts, system } from './parts.ts';

describe('the inventory', () => {
  it('has the form of the agent, without what is no machine of its own: GPUs, InfiniBand, unset addresses', async () => {
    const { ask } = await enrolWithParts();
    expect(await ask('inventory.get', {})).toMatchObject({
      observed: {
        inventory: {
          interfaces: [
            { name: 'NIC1', mac_address: 'aa:bb:cc:00:00:01', speed_mbps: 25_000, has_carrier: true },
            { name: 'NIC2', mac_address: 'aa:bb:cc:00:00:02', has_carrier: false },
          ],
          disks: [
            { name: 'Disk 1', size: 1e12, model: 'NVMe 1', serial: 'D1', vendor: 'ACME' },
            { name: 'Disk 2', size: 2e12 },
          ],
          memory: { physical_mb: 65_536 },
          cpu: { count: 64, architecture: 'x86_64', model_name: 'ACME CPU 9' },
          system_vendor: { product_name: 'T-1000', serial_number: 'SN-0001', manufacturer: 'Ingot' },
          boot: { current_boot_mode: 'uefi' },
        },
      },
    });
  });

  it('adds memory modules up where the system gives no sum', async () => {
    const { ask, resources } = await enrolWithParts();
    delete resources[system]!['MemorySummary'];
    resources[`${system}/Memory/2`]!['CapacityMiB'] = null;
    expect(await ask('inventory.get', {})).toMatchObject({
      observed: { inventory: { memory: { physical_mb: 32_768 } } },
    });
  });

  it('finds addresses at the cards of the chassis while the system has none (HPE iLO 5)', async () => {
    const { ask, resources } = await enrolWithParts();
    resources[`${system}/EthernetInterfaces`] = { Members: [] };
    expect(await ask('inventory.get', {})).toMatchObject({
      observed: {
        inventory: {
          interfaces: [
            { name: 'NIC.Slot.1-1', mac_address: 'aa:bb:cc:00:00:01', speed_mbps: 25_000, has_carrier: true },
          ],
        },
      },
    });
  });

  it('makes do with SimpleStorage', async () => {
    const { ask, resources } = await enrolWithParts();
    delete resources[system]!['Storage'];
    const path = `${system}/SimpleStorage`;
    resources[system]!['SimpleStorage'] = { '@odata.id': path };
    resources[path] = { Members: [{ '@odata.id': `${path}/1` }] };
    resources[`${path}/1`] = { Devices: [{ Name: 'SATA 0', CapacityBytes: 5e11, Model: 'M' }, { Name: 'Empty bay' }] };
    expect(await ask('inventory.get', {})).toMatchObject({
      observed: { inventory: { disks: [{ name: 'SATA 0', size: 5e11, model: 'M', serial: null }] } },
    });
  });

  it('of a BMC that says nothing is empty, and passes over parts that are announced and missing', async () => {
    const { ask, resources } = await enrolWithParts();
    delete resources[`${system}/Processors/2`];
    delete resources[`${system}/Storage/B`];
    expect(await ask('inventory.get', {})).toMatchObject({
      observed: { inventory: { cpu: { count: 32 }, disks: [{ name: 'Disk 1' }] } },
    });
    resources[system] = { '@odata.id': system };
    expect(await ask('inventory.get', {})).toMatchObject({
      observed: {
        inventory: {
          interfaces: [],
          disks: [],
          memory: { physical_mb: null },
          cpu: { count: null, architecture: null },
          boot: { current_boot_mode: null },
        },
      },
    });
  });

  it('writes nothing, not even into the ledger', async () => {
    const { ask, bmc, ledger } = await enrolWithParts();
    await ask('inventory.get', {});
    expect(bmc.story().every((line) => line.startsWith('GET '))).toBe(true);
    expect(await ledger()).toEqual([]);
  });
});

describe('firmware', () => {
  it('is told by component as Ironic names it', async () => {
    const { ask } = await enrolWithParts();
    expect(await ask('firmware.get', {})).toMatchObject({
      observed: {
        components: [
          { component: 'bios', current_version: '1.6.2', vendor: 'Ingot', model: 'T-1000', serial_number: 'SN-0001' },
          { component: 'bmc', current_version: '1.0.0', model: 'T-BMC', serial_number: null },
          { component: 'nic:NIC.Slot.1', current_version: '22.31.6', vendor: 'ACME', serial_number: 'N1' },
        ],
      },
    });
  });

  it('is found with the update service where the parts do not tell, what is installed and not what was', async () => {
    const { ask, resources } = await enrolWithParts();
    delete resources[system]!['BiosVersion'];
    delete resources['/redfish/v1/Managers/1']!['FirmwareVersion'];
    expect(await ask('firmware.get', {})).toMatchObject({
      observed: {
        components: [
          { component: 'bios', current_version: '1.6.2' },
          { component: 'bmc', current_version: '7.00.00.00' },
          { component: 'nic:NIC.Slot.1' },
        ],
      },
    });
  });

  it('leaves out what nobody tells', async () => {
    const { ask, resources } = await enrolWithParts();
    delete resources[system]!['BiosVersion'];
    delete resources['/redfish/v1/']!['UpdateService'];
    delete resources['/redfish/v1/Chassis/1'];
    expect(await ask('firmware.get', {})).toMatchObject({ observed: { components: [{ component: 'bmc' }] } });
  });
});
