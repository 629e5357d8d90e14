/** The disk of the machine, as its BMC knows it. */
import { diskOf } from '../parts.ts';
import { collection, healthy, link, refusal, type Call, type View } from './call.ts';
import { lampOf } from './lamp.ts';

const system = ({ profile }: Call): string => `/Systems/${profile.ids.system}`;

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
    Controllers: link(call.machine, `${system(call)}/Storage/1/Controllers`),
    Volumes: link(call.machine, `${system(call)}/Storage/1/Volumes`),
    Status: healthy,
  };
};

/** What the drive hangs on. */
export const controllers: View = (call) => {
  checkStorage('Storage', call);
  return collection(call.machine, 'StorageControllerCollection', 'Storage Controllers', [
    `${system(call)}/Storage/1/Controllers/1`,
  ]);
};

/** The one controller. */
export const controller: View = (call) => {
  checkStorage('Storage', call);
  return {
    '@odata.type': '#StorageController.v1_7_0.StorageController',
    Id: '1',
    Name: 'Storage Controller',
    Manufacturer: 'Ingot',
    Model: 'Simulated NVMe controller',
    SpeedGbps: 32,
    SupportedControllerProtocols: ['PCIe'],
    SupportedDeviceProtocols: ['NVMe'],
    SupportedRAIDTypes: [],
    Status: healthy,
  };
};

/** None: the controller passes its drive through. */
export const volumes: View = (call) => {
  checkStorage('Storage', call);
  return collection(call.machine, 'VolumeCollection', 'Volumes', []);
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
