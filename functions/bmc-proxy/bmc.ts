/** The BMC of a call: a client for as long as it takes, its one system, and its quirks. */
import { parseDriverInfo } from '../../layers/bmc/driver-info.ts';
import { bmcFault } from '../../layers/bmc/faults.ts';
import { needsManager, quirksOf } from '../../layers/bmc/quirks.ts';
import { sentSecrets } from '../../layers/domain/recipients.ts';
import { withRedfish, type Redfish, type Resource } from '../../layers/redfish-client/client.ts';
import { computerSystem, manager, type ComputerSystem } from '../../layers/redfish-client/resources.ts';
import type { Call } from './call.ts';
import { findPeer } from './peer.ts';

export type Bmc = {
  readonly redfish: Redfish;
  /** Reads the system afresh. Throws BmcRejected if driver_info must say which one is meant. */
  system(): Promise<Resource<ComputerSystem>>;
  /** The system as it was read last: for what stays as it is while it is worked on, such as its links and actions. */
  lastSystem(): Promise<ComputerSystem>;
  /** Links of the managers of the system. */
  managers(): Promise<string[]>;
  quirks(): Promise<ReturnType<typeof quirksOf>>;
};

const access = async ({ record, open }: Call) => {
  // What driver_info has under other names is for nobody here.
  const names = Object.keys(record.sealed).filter((name) => sentSecrets.includes(name));
  const opened = await Promise.all(names.map(async (name) => [name, await open(name)] as const));
  return parseDriverInfo({ ...record.driver_info, ...Object.fromEntries(opened) });
};

/** Systems of a BMC, as links. Throws BmcProtocol. */
export const systemsOf = async (redfish: Redfish): Promise<string[]> => {
  const { Systems } = await redfish.root();
  if (Systems) return redfish.members(Systems['@odata.id']);
  throw bmcFault('BmcProtocol', 'The service root of the BMC names no collection of systems.');
};

const onlySystem = async (redfish: Redfish): Promise<string> => {
  const systems = await systemsOf(redfish);
  if (systems.length === 1) return systems[0]!;
  throw bmcFault(
    'BmcRejected',
    systems.length === 0
      ? 'The BMC has no system.'
      : `The BMC has ${systems.length} systems; set driver_info.redfish_system_id to one of ${systems.slice(0, 8).join(', ')}.`,
  );
};

const createBmc = (redfish: Redfish, systemId: string | null): Bmc => {
  let path = systemId;
  let managerLinks: string[] | undefined;
  let found: ReturnType<typeof quirksOf> | undefined;

  let last: ComputerSystem | undefined;

  const system = async () => {
    const found = await redfish.get((path ??= await onlySystem(redfish)), computerSystem);
    last = found.body;
    return found;
  };
  const lastSystem = async () => last ?? (await system()).body;

  const managers = async (): Promise<string[]> => {
    if (managerLinks) return managerLinks;
    const own = (await lastSystem()).Links?.ManagedBy ?? [];
    // Huawei iBMC: systems do not say who manages them.
    const all = async () => {
      const { Managers } = await redfish.root();
      return Managers ? redfish.members(Managers['@odata.id']) : [];
    };
    return (managerLinks = own.length > 0 ? own.map((link) => link['@odata.id']) : await all());
  };

  const identify = async () => {
    const root = await redfish.root();
    const vendor = root.Vendor || (await lastSystem()).Manufacturer || root.Product || '';
    const [first] = needsManager(vendor) ? await managers() : [];
    const { Model, FirmwareVersion } = first ? (await redfish.get(first, manager)).body : {};
    return quirksOf({ vendor, model: Model ?? '', firmware: FirmwareVersion ?? '' });
  };

  return { redfish, system, lastSystem, managers, quirks: async () => (found ??= await identify()) };
};

/** Gives `use` the node's BMC. Throws Invalid for a driver_info that does not say how to reach it. */
export const withBmc = async <T>(call: Call, use: (bmc: Bmc) => Promise<T>): Promise<T> => {
  const { config, clock, wire, end } = call;
  const { host, port, trust, system_id, ...rest } = await access(call);
  const peer = await findPeer(call, { label: `BMC ${host}`, host, port, trust }, 'BmcUnreachable');
  const options = { ...rest, peer, wire, clock, deadline: end, connect_ms: config.connectMs, read_ms: config.readMs };
  return withRedfish(options, async (redfish) => use(createBmc(redfish, system_id)));
};
