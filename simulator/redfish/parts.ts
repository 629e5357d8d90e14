/** What the machine is made of, as its BMC lists it; its disk is in `storage.ts`. */
import { cardOf, interface_mbps, memory, processors } from '../parts.ts';
import { collection, healthy, link, refusal, type Call, type View } from './call.ts';

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
