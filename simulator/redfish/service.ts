/** The service root and what stands around it: manager, collections, registries, metadata. */
import { versionOf } from '../firmware.ts';
import type { Machine } from '../machine.ts';
import { registryId } from './bios.ts';
import { collection, done, healthy, link, refusal, type Act, type Call, type View } from './call.ts';

/** /redfish: the only document without a login, with the root. */
export const versions: View = ({ machine }) => ({ v1: `/${machine.name}/redfish/v1/` });

/** The service root. */
export const root: View = ({ machine, profile }) => ({
  '@odata.type': '#ServiceRoot.v1_16_0.ServiceRoot',
  Id: 'RootService',
  Name: 'Root Service',
  RedfishVersion: '1.18.0',
  UUID: machine.uuid,
  Vendor: profile.vendor,
  Product: profile.product,
  ProtocolFeaturesSupported: { ExcerptQuery: false, FilterQuery: false, OnlyMemberQuery: false, SelectQuery: false },
  Systems: link(machine, '/Systems'),
  Managers: link(machine, '/Managers'),
  Chassis: link(machine, '/Chassis'),
  ...(profile.session_limit !== null && { SessionService: link(machine, '/SessionService') }),
  Tasks: link(machine, '/TaskService'),
  UpdateService: link(machine, '/UpdateService'),
  EventService: link(machine, '/EventService'),
  Registries: link(machine, '/Registries'),
  JsonSchemas: link(machine, '/JsonSchemas'),
  Links: profile.session_limit === null ? {} : { Sessions: link(machine, '/SessionService/Sessions') },
});

/** The OData service document. */
export const odata: View = ({ machine }) => ({
  '@odata.context': `/${machine.name}/redfish/v1/$metadata`,
  value: ['Systems', 'Managers', 'Chassis', 'SessionService'].map((name) => ({
    name,
    kind: 'Singleton',
    url: link(machine, `/${name}`)['@odata.id'],
  })),
});

const listOf =
  (type: string, name: string, path: (call: Call) => string): View =>
  (call) =>
    collection(call.machine, type, name, [path(call)]);

/** The collections, each of one member. */
export const systems = listOf('ComputerSystemCollection', 'Systems', ({ profile }) => `/Systems/${profile.ids.system}`);
export const managers = listOf('ManagerCollection', 'Managers', ({ profile }) => `/Managers/${profile.ids.manager}`);
export const chassisList = listOf('ChassisCollection', 'Chassis', ({ profile }) => `/Chassis/${profile.ids.chassis}`);

/** The messages, and the settings of the BIOS where the maker publishes them. */
export const registries: View = ({ machine, profile }) =>
  collection(machine, 'MessageRegistryFileCollection', 'Registries', [
    '/Registries/Base.1.16',
    ...(profile.bios.registry ? [`/Registries/${registryId}`] : []),
  ]);

/** Empty: nothing here reads schemas. */
export const schemas: View = ({ machine }) => collection(machine, 'JsonSchemaFileCollection', 'JSON Schemas', []);

const biosRegistryFile = (machine: Machine) => ({
  '@odata.type': '#MessageRegistryFile.v1_1_3.MessageRegistryFile',
  Id: registryId,
  Name: 'BIOS Attribute Registry File',
  Languages: ['en'],
  Registry: registryId,
  Location: [{ Language: 'en', Uri: link(machine, `/Registries/${registryId}/${registryId}.json`)['@odata.id'] }],
});

/** Where a registry is; the messages are those of `refusal`. */
export const registry: View = ({ machine, profile, params }) => {
  if (params['registry'] === registryId && profile.bios.registry) return biosRegistryFile(machine);
  if (params['registry'] !== 'Base.1.16') throw refusal('Base.1.16.ResourceMissingAtURI');
  const uri = 'https://redfish.dmtf.org/registries/Base.1.16.0.json';
  return {
    '@odata.type': '#MessageRegistryFile.v1_1_3.MessageRegistryFile',
    Id: 'Base.1.16',
    Name: 'Base Message Registry',
    Languages: ['en'],
    Registry: 'Base.1.16',
    Location: [{ Language: 'en', PublicationUri: uri }],
  };
};

/** The BMC itself. */
export const manager: View = ({ world, machine, profile }) => {
  const path = `/Managers/${profile.ids.manager}`;
  return {
    '@odata.type': '#Manager.v1_19_0.Manager',
    Id: profile.ids.manager,
    Name: 'Manager',
    ManagerType: 'BMC',
    Manufacturer: profile.vendor,
    Model: profile.product,
    FirmwareVersion: versionOf(world, machine, 'BMC'),
    DateTime: new Date(world.clock.now()).toISOString(),
    PowerState: 'On',
    Status: healthy,
    ...(profile.media_under !== 'Systems' && { VirtualMedia: link(machine, `${path}/VirtualMedia`) }),
    Links: {
      ManagerForServers: [link(machine, `/Systems/${profile.ids.system}`)],
      ManagerForChassis: [link(machine, `/Chassis/${profile.ids.chassis}`)],
    },
    Actions: {
      '#Manager.Reset': {
        target: link(machine, `${path}/Actions/Manager.Reset`)['@odata.id'],
        'ResetType@Redfish.AllowableValues': ['GracefulRestart', 'ForceRestart'],
      },
    },
  };
};

/** Seconds a BMC is away after it was told to restart. */
const restartSeconds = 60;

/** Restarts the BMC: it answers 503 for a while, and its sessions are gone. The machine does not notice. */
export const resetManager: Act = ({ world, machine, body }) => {
  if (body['ResetType'] !== 'GracefulRestart' && body['ResetType'] !== 'ForceRestart') {
    throw refusal('Base.1.16.ActionParameterNotSupported', 'ResetType');
  }
  machine.bmc_back_at = world.clock.now() + restartSeconds * 1000 * world.scale;
  machine.sessions = [];
  world.changed(machine);
  return done;
};
