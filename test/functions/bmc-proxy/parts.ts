/** A machine whose BMC also has BIOS, secure boot, lamps, parts and firmware (test/fixtures/redfish/parts.json). */
import { fixture } from '../../fakes/bmc.ts';
import { enrol } from './fixture.ts';

export const system = '/redfish/v1/Systems/1';

const link = (path: string) => ({ '@odata.id': path });

/** Resources can be changed and removed like those of any fake BMC. */
export const enrolWithParts = async (...options: Parameters<typeof enrol>) => {
  const machine = await enrol(...options);
  const { resources } = machine.bmc;
  Object.assign(resources, fixture('parts'));
  const collections = ['Storage', 'Processors', 'Memory', 'EthernetInterfaces', 'Bios', 'SecureBoot'];
  Object.assign(resources[system]!, {
    ...Object.fromEntries(collections.map((name) => [name, link(`${system}/${name}`)])),
    BiosVersion: '1.6.2',
    MemorySummary: { TotalSystemMemoryGiB: 64 },
    IndicatorLED: 'Off',
    Links: { ManagedBy: [link('/redfish/v1/Managers/1')], Chassis: [link('/redfish/v1/Chassis/1')] },
  });
  Object.assign(resources['/redfish/v1/']!, {
    Registries: link('/redfish/v1/Registries'),
    UpdateService: link('/redfish/v1/UpdateService'),
  });
  const patches = () =>
    machine.bmc.requests.filter(({ method }) => method === 'PATCH').map(({ path, body }) => ({ path, body }));
  return { ...machine, resources, patches };
};
