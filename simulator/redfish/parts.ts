/** What the machine is made of, as its BMC lists it; and the versions of its firmware. */
import { bios_version, cardOf, diskOf, interface_mbps, memory, processors } from '../parts.ts';
import { collection, healthy, link, refusal, type Call, type View } from './call.ts';
import { lampOf } from './lamp.ts';

const system = ({ profile }: Call): string => `/Systems/${profile.ids.system}`;
const housing = ({ profile }: Call): string => `/Chassis/${profile.ids.chassis}`;

const checkNumber = ({ params }: Call, name: string, count: number): number => {
  const number = Number(params[name]);
  if (!Number.isInteger(number) || number < 1 || number > count) throw refusal('Base.1.16.ResourceMissingAtURI');
  return number;
};

const numbered = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** The processors, one a socket. */
export const processorList: View = (call) =>
  collection(
    call.machine,
    'ProcessorCollection',
    'Processors',
    numbered(processors.sockets).map((at) => `${system(call)}/Processors/${at}`),
  );

/** One processor. */
export const processor: View = (call) => {
  const at = checkNumber(call, 'processor', processors.sockets);
  return {
    '@odata.type': '#Processor.v1_18_0.Processor',
    Id: String(at),
    Name: `Processor ${at}`,
    Socket: `CPU ${at}`,
    ProcessorType: 'CPU',
    ProcessorArchitecture: 'x86',
    InstructionSet: 'x86-64',
    Manufacturer: 'Ingot',
    Model: processors.model,
    MaxSpeedMHz: processors.mhz,
    TotalCores: processors.cores,
    TotalThreads: processors.threads,
    Status: healthy,
  };
};

/** The memory modules. */
export const memoryList: View = (call) =>
  collection(
    call.machine,
    'MemoryCollection',
    'Memory',
    numbered(memory.modules).map((at) => `${system(call)}/Memory/${at}`),
  );

/** One memory module. */
export const memoryModule: View = (call) => {
  const at = checkNumber(call, 'module', memory.modules);
  return {
    '@odata.type': '#Memory.v1_17_0.Memory',
    Id: String(at),
    Name: `DIMM ${at}`,
    MemoryDeviceType: 'DDR4',
    CapacityMiB: memory.module_mib,
    Status: healthy,
  };
};

const checkStorage = (wanted: 'Storage' | 'SimpleStorage', { profile }: Call): void => {
  if (profile.storage !== wanted) throw refusal('Base.1.16.ResourceMissingAtURI');
};

/** The one storage controller, where the BMC knows its drives. */
export const storageList: View = (call) => {
  checkStorage('Storage', call);
  return collection(call.machine, 'StorageCollection', 'Storage', [`${system(call)}/Storage/1`]);
};

/** The controller with its drive. */
export const storage: View = (call) => {
  checkStorage('Storage', call);
  return {
    '@odata.type': '#Storage.v1_15_0.Storage',
    Id: '1',
    Name: 'Storage',
    Drives: [link(call.machine, `${system(call)}/Storage/1/Drives/1`)],
    'Drives@odata.count': 1,
    Status: healthy,
  };
};

/** The one drive. */
export const drive: View = (call) => {
  checkStorage('Storage', call);
  const { size, model, vendor, serial } = diskOf(call.machine);
  return {
    '@odata.type': '#Drive.v1_18_0.Drive',
    Id: '1',
    Name: 'Disk 1',
    CapacityBytes: size,
    MediaType: 'SSD',
    Protocol: 'NVMe',
    Manufacturer: vendor,
    Model: model,
    SerialNumber: serial,
    ...lampOf(call),
    Status: healthy,
  };
};

/** What BMCs have that know disks only from afar. */
export const simpleStorageList: View = (call) => {
  checkStorage('SimpleStorage', call);
  return collection(call.machine, 'SimpleStorageCollection', 'Simple Storage', [`${system(call)}/SimpleStorage/1`]);
};

/** The disk from afar. */
export const simpleStorage: View = (call) => {
  checkStorage('SimpleStorage', call);
  const { size, model, vendor } = diskOf(call.machine);
  return {
    '@odata.type': '#SimpleStorage.v1_3_2.SimpleStorage',
    Id: '1',
    Name: 'Simple Storage Controller',
    Devices: [{ Name: 'Disk 1', Manufacturer: vendor, Model: model, CapacityBytes: size, Status: healthy }],
    Status: healthy,
  };
};

/** The network cards of the chassis. */
export const adapters: View = (call) =>
  collection(call.machine, 'NetworkAdapterCollection', 'Network Adapters', [`${housing(call)}/NetworkAdapters/NIC1`]);

/** The one card. */
export const adapter: View = (call) => {
  const { model, vendor, serial, firmware } = cardOf(call.machine);
  return {
    '@odata.type': '#NetworkAdapter.v1_9_0.NetworkAdapter',
    Id: 'NIC1',
    Name: 'Network Adapter 1',
    Manufacturer: vendor,
    Model: model,
    SerialNumber: serial,
    Controllers: [{ FirmwarePackageVersion: firmware }],
    NetworkPorts: link(call.machine, `${housing(call)}/NetworkAdapters/NIC1/NetworkPorts`),
    Status: healthy,
  };
};

/** The ports of the card. */
export const networkPorts: View = (call) =>
  collection(call.machine, 'NetworkPortCollection', 'Network Ports', [
    `${housing(call)}/NetworkAdapters/NIC1/NetworkPorts/1`,
  ]);

/** The one port. */
export const networkPort: View = ({ machine }) => ({
  '@odata.type': '#NetworkPort.v1_4_2.NetworkPort',
  Id: '1',
  Name: 'Network Port 1',
  PhysicalPortNumber: '1',
  AssociatedNetworkAddresses: [machine.mac],
  CurrentLinkSpeedMbps: interface_mbps,
  LinkStatus: 'Up',
  Status: healthy,
});

/** The update service; its list of firmware is all it has. */
export const updateService: View = ({ machine }) => ({
  '@odata.type': '#UpdateService.v1_11_3.UpdateService',
  Id: 'UpdateService',
  Name: 'Update Service',
  ServiceEnabled: false,
  FirmwareInventory: link(machine, '/UpdateService/FirmwareInventory'),
  Status: healthy,
});

const versions = ({ machine, profile }: Call) => ({
  BIOS: bios_version,
  BMC: profile.firmware,
  NIC1: cardOf(machine).firmware,
});

/** All firmware. */
export const firmwareList: View = (call) =>
  collection(
    call.machine,
    'SoftwareInventoryCollection',
    'Firmware Inventory',
    Object.keys(versions(call)).map((id) => `/UpdateService/FirmwareInventory/${id}`),
  );

/** One kind of firmware. */
export const firmware: View = (call) => {
  const id = call.params['firmware']!;
  const found = Object.entries(versions(call)).find(([name]) => name === id);
  if (!found) throw refusal('Base.1.16.ResourceMissingAtURI');
  return {
    '@odata.type': '#SoftwareInventory.v1_10_0.SoftwareInventory',
    Id: id,
    Name: `${id} Firmware`,
    Version: found[1],
    Updateable: false,
    Status: healthy,
  };
};
