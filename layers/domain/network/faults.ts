/**
 * What the Networking API refuses under a name of its own. Clients tell refusals apart by these names (`type` in the
 * body), so they are Neutron's (neutron-lib, `exceptions`); what has none there is `Invalid`, `Forbidden` and so on.
 */
import { Fault } from '../fault.ts';

const maker =
  <A extends readonly unknown[]>(name: string, code: number, message: (...about: A) => string) =>
  (...about: A): Fault =>
    new Fault(name, code, message(...about));

/** What is wrong with a request as a whole, in a sentence without its full stop. */
export const InvalidInput = maker('InvalidInput', 400, (what: string) => `Invalid input for operation: ${what}.`);

const titles: Readonly<Record<string, string>> = {
  network: 'Network',
  subnet: 'Subnet',
  port: 'Port',
  floatingip: 'Floating IP',
};

/** What is not there, or not for this caller: both are told in the same words. */
export const ResourceNotFound = (kind: string, id: string): Fault =>
  new Fault(`${titles[kind]!.replaceAll(' ', '')}NotFound`, 404, `${titles[kind]} ${id} could not be found.`);

export const NetworkInUse = maker(
  'NetworkInUse',
  409,
  (network: string, what: string) =>
    `Unable to complete operation on network ${network}. There are one or more ${what} still in use on the network.`,
);

export const SubnetInUse = maker(
  'SubnetInUse',
  409,
  (subnet: string, reason: string = 'One or more ports have an IP allocation from this subnet') =>
    `Unable to complete operation on subnet ${subnet}: ${reason}.`,
);

export const PortInUse = maker(
  'PortInUse',
  409,
  (port: string, network: string, device: string) =>
    `Unable to complete operation on port ${port} for network ${network}. Port already has an attached device ${device}.`,
);

export const MacAddressInUse = maker(
  'MacAddressInUse',
  409,
  (network: string, mac: string) =>
    `Unable to complete operation for network ${network}. The mac address ${mac} is in use.`,
);

export const IpAddressInUse = maker(
  'IpAddressInUse',
  409,
  (network: string, ip: string) =>
    `Unable to complete operation for network ${network}. The IP address ${ip} is in use.`,
);

export const IpAddressGenerationFailure = maker(
  'IpAddressGenerationFailure',
  409,
  (network: string) => `No more IP addresses available on network ${network}.`,
);

export const InvalidIpForNetwork = maker(
  'InvalidIpForNetwork',
  400,
  (ip: string) => `IP address ${ip} is not a valid IP for any of the subnets on the specified network.`,
);

export const InvalidIpForSubnet = maker(
  'InvalidIpForSubnet',
  400,
  (ip: string) => `IP address ${ip} is not a valid IP for the specified subnet.`,
);

export const InvalidAllocationPool = maker(
  'InvalidAllocationPool',
  400,
  (pool: string) => `The allocation pool ${pool} is not valid.`,
);

export const OutOfBoundsAllocationPool = maker(
  'OutOfBoundsAllocationPool',
  400,
  (pool: string, cidr: string) => `The allocation pool ${pool} spans beyond the subnet cidr ${cidr}.`,
);

export const OverlappingAllocationPools = maker(
  'OverlappingAllocationPools',
  409,
  (pools: readonly string[], cidr: string) =>
    `Found overlapping allocation pools: ${pools.join(' ')} for subnet ${cidr}.`,
);

export const GatewayConflictWithAllocationPools = maker(
  'GatewayConflictWithAllocationPools',
  409,
  (gateway: string, pool: string) => `Gateway ip ${gateway} conflicts with allocation pool ${pool}.`,
);

export const GatewayIpInUse = maker(
  'GatewayIpInUse',
  409,
  (gateway: string) => `Gateway ip ${gateway} is already in use by a port. Unable to update.`,
);

export const ExternalNetworkInUse = maker(
  'ExternalNetworkInUse',
  409,
  (network: string) =>
    `External network ${network} cannot be updated to be made non-external, since it has floating IPs.`,
);

export const FloatingIPPortAlreadyAssociated = maker(
  'FloatingIPPortAlreadyAssociated',
  409,
  (port: string, fixed: string, network: string) =>
    `Cannot associate a floating IP with port ${port} using fixed IP ${fixed}, as that fixed IP already has a floating IP on external network ${network}.`,
);

export const OverQuota = maker(
  'OverQuota',
  409,
  (resource: string) => `Quota exceeded for resources: ['${resource}'].`,
);
