/**
 * Every kind of record in the machines' table, a row each; those of tenants are in `tenants.ts`. What else is stored with
 * a node is in `companions.ts`.
 */
import { allocation as allocationFields, type Allocation } from '../../domain/allocation.ts';
import { guestChanged, makeStale, staleBy } from '../../domain/baremetal/guest.ts';
import { firstKeeping } from '../../domain/baremetal/new-node.ts';
import { progressOf } from '../../domain/baremetal/takeover.ts';
import { chassis as chassisFields, type Chassis } from '../../domain/chassis.ts';
import { deployTemplate, type DeployTemplate } from '../../domain/deploy-template.ts';
import { freeValues } from '../../domain/free-nodes.ts';
import { inspectionRule, type InspectionRule } from '../../domain/inspection-rule.ts';
import { node as nodeFields } from '../../domain/node.ts';
import { port as portFields, type Port } from '../../domain/port.ts';
import { portgroup as portgroupFields, type Portgroup } from '../../domain/portgroup.ts';
import { placementClass } from '../../domain/resource-class.ts';
import { runbook as runbookFields, type Runbook } from '../../domain/runbook.ts';
import { volumeConnector, volumeTarget, type VolumeConnector, type VolumeTarget } from '../../domain/volume.ts';
import { eventWrite, transitionLine } from '../events.ts';
import type { StoredNode } from '../nodes.ts';
import { readRecord } from '../records/find.ts';
import { besideRemoved } from '../records/plan.ts';
import type { Key } from '../../platform/table.ts';
import { keyOf, type AnyKind, type Kept, type Kind, type Upgrade } from './kind.ts';
import { tenantKinds } from './tenants.ts';

export type StoredPort = Port & Kept;
export type StoredPortgroup = Portgroup & Kept;
export type StoredVolumeConnector = VolumeConnector & Kept;
export type StoredVolumeTarget = VolumeTarget & Kept;
export type StoredChassis = Chassis & Kept;
export type StoredAllocation = Allocation & Kept;
export type StoredDeployTemplate = DeployTemplate & Kept;
export type StoredRunbook = Runbook & Kept;
export type StoredInspectionRule = InspectionRule & Kept;

/** Items of the first version have attributes by which secondary indexes found them, and know no schema. */
const withoutFormerPlaces: Upgrade = (values) =>
  Object.fromEntries(
    Object.entries(values).filter(([name]) => name !== 'list' && name !== 'guards' && !name.startsWith('by_')),
  );

/** What all kinds have in common that the first version had. */
const second = { schema: 2, upgrades: [withoutFormerPlaces] } as const;

const chassis: Kind<StoredChassis> = {
  name: 'chassis',
  title: 'Chassis',
  ...second,
  fields: chassisFields,
  taken: { uuid: 'A chassis with uuid * already exists.' },
};

/** One that looks for a node is among what `sync` looks at. */
const allocation: Kind<StoredAllocation> = {
  name: 'allocation',
  title: 'Allocation',
  ...second,
  fields: allocationFields,
  taken: {
    uuid: 'A allocation with uuid * already exists.',
    allocation_name: 'A allocation with name * already exists.',
  },
  indexes: { busy: { of: ({ state }) => (state === 'allocating' ? '' : undefined) } },
};

const deploy_template: Kind<StoredDeployTemplate> = {
  name: 'deploy_template',
  title: 'Deploy template',
  ...second,
  fields: deployTemplate,
  taken: {
    uuid: 'A deploy_template with uuid * already exists.',
    deploy_template_name: 'A deploy_template with name * already exists.',
  },
};

const runbook: Kind<StoredRunbook> = {
  name: 'runbook',
  title: 'Runbook',
  ...second,
  fields: runbookFields,
  taken: { uuid: 'A runbook with uuid * already exists.', runbook_name: 'A runbook with name * already exists.' },
};

const inspection_rule: Kind<StoredInspectionRule> = {
  name: 'inspection_rule',
  title: 'Inspection rule',
  ...second,
  fields: inspectionRule,
  taken: { uuid: 'A inspection_rule with uuid * already exists.' },
};

const node: Kind<StoredNode> = {
  name: 'node',
  title: 'Node',
  ...second,
  fields: nodeFields,
  kept: firstKeeping,
  taken: {
    uuid: 'A node with UUID * already exists.',
    node_name: 'A node name "*" already exists, choose another.',
    instance_uuid: 'A instance uuid "*" already exists, choose another.',
  },
  apart: ['instance_info'],
  holds: true,
  indexes: {
    associated: { of: ({ instance_uuid: instance }) => instance !== null },
    placement_class: { of: ({ resource_class: name }) => name && placementClass(name) },
    // What `sync` looks at: a node that nothing works on is not in it.
    busy: { of: ({ run, reservation }) => (run === null && reservation === null ? undefined : '') },
    // Those that a server or an allocation may get: a fleet of nodes that all have instances costs it nothing.
    free: { of: freeValues },
    // Those that were moved here with an instance, by how far their takeover is.
    takeover: { of: progressOf },
    // Those whose guest document `sync` writes, because others could not. A run that has the node writes it itself.
    stale_guest: {
      of: (record) => (record.run === null && staleBy(record) !== undefined ? '' : undefined),
    },
  },
  brief: ['owner', 'lessee', 'parent_node', 'shard'],
  briefIn: ['provision_state'],
  refersTo: ({ chassis_uuid: uuid }) =>
    uuid ? { key: keyOf(chassis, uuid), gone: 'The chassis could not be found, it was deleted meanwhile.' } : undefined,
  stamps: (before, after, at) => ({
    ...(after.provision_state !== before.provision_state && { provision_updated_at: at }),
    ...(guestChanged(before, after) && makeStale({ ...after, revision: before.revision }, at)),
  }),
  line: eventWrite,
  tells: transitionLine,
  // A node and its allocation name each other, or neither does: an allocation that the node loses goes with it.
  brings: async (table, before, after) => {
    const { uuid, allocation_uuid: lost } = before;
    const found =
      lost === null || after?.allocation_uuid === lost ? undefined : await readRecord(table, allocation, lost);
    return found?.node_uuid === uuid ? [besideRemoved(allocation, found)] : [];
  },
};

const home = { kind: node, by: 'node_uuid' } as const;

const portgroup: Kind<StoredPortgroup, StoredNode> = {
  name: 'portgroup',
  title: 'Portgroup',
  ...second,
  fields: portgroupFields,
  taken: {
    portgroup: 'A portgroup with UUID * already exists.',
    portgroup_address: 'A portgroup with MAC address * already exists.',
    portgroup_name: 'A portgroup with name * already exists.',
  },
  home,
};

const port: Kind<StoredPort, StoredNode> = {
  name: 'port',
  title: 'Port',
  ...second,
  fields: portFields,
  taken: {
    port: 'A port with UUID * already exists.',
    port_address: 'A port with MAC address * already exists.',
    port_name: 'A port with name * already exists.',
  },
  home,
  refersTo: ({ node_uuid, portgroup_uuid: group }) => (group ? { key: keyOf(portgroup, group, node_uuid) } : undefined),
};

const volume_connector: Kind<StoredVolumeConnector, StoredNode> = {
  name: 'volume_connector',
  title: 'Volume connector',
  ...second,
  fields: volumeConnector,
  taken: {
    volume_connector: 'A volume connector with UUID * already exists.',
    volume_connector_id: 'A volume connector with type and connector_id * already exists.',
  },
  home,
};

const volume_target: Kind<StoredVolumeTarget, StoredNode> = {
  name: 'volume_target',
  title: 'Volume target',
  ...second,
  fields: volumeTarget,
  taken: {
    volume_target: 'A volume target with UUID * already exists.',
    volume_boot_index: 'A volume target with node and boot_index * already exists.',
  },
  home,
};

/** By their names. */
export const kinds = {
  node,
  port,
  portgroup,
  volume_connector,
  volume_target,
  chassis,
  allocation,
  deploy_template,
  runbook,
  inspection_rule,
} as const;

/** Those of both tables. */
export const everyKind: readonly AnyKind[] = [...Object.values(kinds), ...Object.values(tenantKinds)];

const named: ReadonlyMap<string, AnyKind> = new Map(everyKind.map((kind) => [kind.name, kind]));

/** The kind of this name, of either table. */
export const kindNamed = (name: string): AnyKind | undefined => named.get(name);

/** The kind of the record that stands under this key, in either table; undefined for what is no record. */
export const kindAt = ({ sk }: Key): AnyKind | undefined => kindNamed(sk.split('#', 1)[0]!);
