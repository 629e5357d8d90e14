/** ComputerSystem: what it says of itself, its power and its boot device. */
import { recordReset } from '../evidence.ts';
import type { Machine, Phase } from '../machine.ts';
import { isRepeated, reportedPower, reset } from '../power.ts';
import { versionOf } from '../firmware.ts';
import { interface_mbps, memory, processors } from '../parts.ts';
import { runAsTask } from './job.ts';
import { lampNames, lampOf, patchLamp } from './lamp.ts';
import { collection, done, healthy, link, refusal, type Act, type Call, type View } from './call.ts';

const progress: Record<Phase, string> = {
  off: 'None',
  post: 'SystemHardwareInitializationComplete',
  load: 'OSBootStarted',
  os: 'OSRunning',
  ramdisk: 'OSRunning',
  halted: 'SetupEntered',
};

const pathOf = ({ profile }: Call): string => `/Systems/${profile.ids.system}`;

const boot = ({ machine, profile }: Call) => ({
  BootSourceOverrideTarget: machine.boot.target,
  BootSourceOverrideEnabled: machine.boot.enabled,
  BootSourceOverrideMode: machine.boot.mode,
  'BootSourceOverrideTarget@Redfish.AllowableValues': profile.boot_targets,
  ...(profile.boot_modes.length > 0 && {
    'BootSourceOverrideMode@Redfish.AllowableValues': profile.boot_modes,
  }),
});

/** The machine as its BMC sees it. */
export const system: View = (call) => {
  const { world, machine, profile } = call;
  const path = pathOf(call);
  return {
    '@odata.type': '#ComputerSystem.v1_20_0.ComputerSystem',
    Id: profile.ids.system,
    Name: 'System',
    SystemType: 'Physical',
    Manufacturer: profile.vendor,
    Model: profile.model,
    SerialNumber: machine.serial,
    UUID: machine.uuid,
    BiosVersion: versionOf(world, machine, 'BIOS'),
    PowerState: reportedPower(world, machine),
    Status: healthy,
    BootProgress: { LastState: progress[machine.phase] },
    Boot: boot(call),
    MemorySummary: { TotalSystemMemoryGiB: memory.mib / 1024, Status: healthy },
    ProcessorSummary: { Count: processors.sockets, Model: processors.model, Status: healthy },
    ...lampOf(call),
    Bios: link(machine, `${path}/Bios`),
    ...(profile.secure_boot && { SecureBoot: link(machine, `${path}/SecureBoot`) }),
    Processors: link(machine, `${path}/Processors`),
    Memory: link(machine, `${path}/Memory`),
    [profile.storage]: link(machine, `${path}/${profile.storage}`),
    EthernetInterfaces: link(machine, `${path}/EthernetInterfaces`),
    ...(profile.media_under !== 'Managers' && { VirtualMedia: link(machine, `${path}/VirtualMedia`) }),
    Links: {
      Chassis: [link(machine, `/Chassis/${profile.ids.chassis}`)],
      ManagedBy: [link(machine, `/Managers/${profile.ids.manager}`)],
    },
    Actions: {
      '#ComputerSystem.Reset': {
        target: link(machine, `${path}/Actions/ComputerSystem.Reset`)['@odata.id'],
        'ResetType@Redfish.AllowableValues': profile.reset_types,
      },
    },
  };
};

/** The collection of network cards. */
export const interfaces: View = (call) =>
  collection(
    call.machine,
    'EthernetInterfaceCollection',
    'Ethernet Interfaces',
    isListed(call) ? [`${pathOf(call)}/EthernetInterfaces/NIC1`] : [],
  );

const isListed = ({ machine, profile }: Call): boolean => !profile.late_interfaces || machine.boot_count > 0;

/** The one network card; its MAC address is what the agent looks itself up by. */
export const ethernetInterface: View = ({ machine }) => ({
  '@odata.type': '#EthernetInterface.v1_9_0.EthernetInterface',
  Id: 'NIC1',
  Name: 'Ethernet Interface 1',
  MACAddress: machine.mac,
  PermanentMACAddress: machine.mac,
  SpeedMbps: interface_mbps,
  LinkStatus: 'LinkUp',
  InterfaceEnabled: true,
  Status: healthy,
});

const repeated = {
  400: 'iLO.2.16.InvalidOperationForSystemState',
  409: 'Base.1.16.ActionParameterValueConflict',
} as const;

const checkReset = ({ world, machine, profile, body }: Call): string => {
  const { ResetType: type } = body;
  if (typeof type !== 'string') throw refusal('Base.1.16.ActionParameterMissing', 'ResetType');
  if (!profile.reset_types.includes(type)) throw refusal('Base.1.16.ActionParameterNotSupported', 'ResetType');
  if (world.faults.strikes('reset_conflict', machine, type)) {
    throw refusal('Base.1.16.ActionParameterValueConflict', '(fault reset_conflict)');
  }
  if (profile.repeated_reset !== 204 && isRepeated(machine, type)) throw refusal(repeated[profile.repeated_reset]);
  return type;
};

/** ComputerSystem.Reset: every request is kept as evidence with its answer, also the refused ones. */
export const resetSystem: Act = (call) => {
  const { world, machine, profile } = call;
  const asked = String(call.body['ResetType']);
  try {
    const type = checkReset(call);
    const carryOut = (): number => {
      if (!world.faults.strikes('reset_ignored', machine, type)) reset(world, machine, type);
      return machine.change?.at ?? world.clock.now();
    };
    recordReset(world, machine, type, profile.reset_by_task ? 202 : 204);
    if (profile.reset_by_task) return runAsTask(call, type, carryOut);
    carryOut();
    return done;
  } catch (error) {
    recordReset(world, machine, asked, (error as { code?: number }).code ?? 500);
    throw error;
  }
};

type BootSettings = Machine['boot'];

const settable: Record<string, (value: unknown, call: Call) => Partial<BootSettings> | undefined> = {
  BootSourceOverrideTarget: (value, { profile }) =>
    typeof value === 'string' && profile.boot_targets.includes(value) ? { target: value } : undefined,
  BootSourceOverrideEnabled: (value) =>
    value === 'Disabled' || value === 'Once' || value === 'Continuous' ? { enabled: value } : undefined,
  BootSourceOverrideMode: (value, { profile }) =>
    typeof value === 'string' && profile.boot_modes.includes(value) ? { mode: value } : undefined,
  HttpBootUri: (value) => (typeof value === 'string' || value === null ? {} : undefined),
};

const bootOf = (call: Call): Record<string, unknown> => {
  const { Boot: wanted, ...others } = call.body;
  const unknown = Object.keys(others).find((name) => !name.startsWith('@'));
  if (unknown) throw refusal('Base.1.16.PropertyUnknown', unknown);
  if (!wanted || typeof wanted !== 'object') throw refusal('Base.1.16.PropertyMissing', 'Boot');
  return wanted as Record<string, unknown>;
};

/** PATCH of the system takes Boot, or its lamp, and nothing else. */
export const patchSystem: Act = (call) => {
  const { world, machine, profile, body } = call;
  if (Object.keys(body).some((name) => lampNames.includes(name))) return patchLamp(call);
  const wanted = bootOf(call);
  const inPost = profile.boot_locked_in_post && machine.phase === 'post';
  if (inPost || world.faults.strikes('boot_patch_refused', machine)) {
    throw refusal('iLO.2.16.UnableToModifyDuringSystemPOST');
  }
  const missing = profile.boot_needs.find((name) => !(`BootSourceOverride${name}` in wanted));
  if (missing) throw refusal('Base.1.16.PropertyMissing', `BootSourceOverride${missing}`);
  const changes = Object.entries(wanted).map(([name, value]) => {
    const set = settable[name];
    if (!set) throw refusal('Base.1.16.PropertyUnknown', name);
    const change = set(value, call);
    if (!change) throw refusal('Base.1.16.PropertyValueNotInList', name);
    return change;
  });
  const boot = Object.assign({}, machine.boot, ...changes) as BootSettings;
  machine.boot = profile.boot_keeps_once && boot.enabled === 'Once' ? { ...boot, enabled: 'Continuous' } : boot;
  world.changed(machine);
  return done;
};

/** The housing of the machine. */
export const chassis: View = (call) => ({
  ...chassisOf(call),
  ...lampOf(call),
});

const chassisOf = ({ world, machine, profile }: Call) => ({
  '@odata.type': '#Chassis.v1_23_0.Chassis',
  Id: profile.ids.chassis,
  Name: 'Chassis',
  ChassisType: 'RackMount',
  Manufacturer: profile.vendor,
  Model: profile.model,
  SerialNumber: machine.serial,
  PowerState: reportedPower(world, machine),
  NetworkAdapters: link(machine, `/Chassis/${profile.ids.chassis}/NetworkAdapters`),
  Status: healthy,
  Links: {
    ComputerSystems: [link(machine, `/Systems/${profile.ids.system}`)],
    ManagedBy: [link(machine, `/Managers/${profile.ids.manager}`)],
  },
});
