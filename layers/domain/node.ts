/** The node as a table (ironic-api.md 2.2). `instance_info` is stored as an item of its own (DESIGN.md 4). */
import * as z from 'zod';

import { stateAsOf } from './baremetal/states.ts';
import { provisionStates, type ProvisionState } from './baremetal/transitions.ts';
import { fields, type RecordOf } from './fields.ts';
import { maskedNotes, notesField } from './notes.ts';
import type { Rule } from './policy.ts';
import { linksTo, ownLinks } from './projection.ts';
import { bool, json, logicalName, text, timestamp, uuid } from './values.ts';

const provisionState = z.enum(provisionStates as [ProvisionState, ...ProvisionState[]]);
const powerState = z.enum(['power on', 'power off', 'error']);
const hardwareInterface = (doc: string, since = 31) =>
  ({
    access: 'update',
    rule: 'baremetal:node:update:driver_interfaces',
    since,
    schema: text(255),
    doc: `${doc} interface of the driver.`,
  }) as const;
/** What lessees do not see (ironic-rbac.md 5). */
const ownersOnly = <R extends Rule>(rule: R, notice: unknown) =>
  ({ withheld: { notice, unless: ['baremetal:node:get:filter_threshold', rule] } }) as const;

export const node = fields({
  uuid: { access: 'create', schema: uuid, summary: true, required: true, doc: 'UUID of the node.' },
  name: {
    access: 'update',
    rule: 'baremetal:node:update:name',
    since: 5,
    schema: logicalName,
    unique: 'node_name',
    summary: true,
    doc: 'Logical name.',
  },
  instance_uuid: {
    access: 'update',
    rule: 'baremetal:node:update:instance_uuid',
    schema: uuid,
    unique: 'instance_uuid',
    summary: true,
    filter: true,
    doc: 'UUID of the instance on this node.',
  },
  power_state: {
    access: 'read',
    schema: powerState,
    state: true,
    summary: true,
    doc: 'Last known power state; null: unknown.',
  },
  provision_state: {
    access: 'read',
    schema: provisionState,
    shownAs: (version) => (version < 2 ? provisionState.nullable() : provisionState),
    state: true,
    summary: true,
    required: true,
    filter: { since: 9, rank: 10 },
    index: true,
    was: (state, version) => state && stateAsOf(state as ProvisionState, version),
    doc: 'Where the node is in its life cycle.',
  },
  maintenance: {
    access: 'update',
    schema: bool,
    default: false,
    summary: true,
    filter: { rank: 12 },
    index: true,
    doc: 'Whether an operator or a failure took the node out of service.',
  },
  driver: {
    access: 'update',
    rule: 'baremetal:node:update:driver_interfaces',
    schema: text(255),
    required: true,
    filter: { since: 16, rank: 13 },
    index: true,
    doc: 'Hardware type.',
  },
  driver_info: {
    access: 'update',
    rule: 'baremetal:node:update:driver_info',
    schema: json,
    default: {},
    masked: true,
    ...ownersOnly('baremetal:node:get:driver_info', {
      content: '** Redacted - requires baremetal:node:get:driver_info permission. **',
    }),
    doc: 'How the BMC is reached. Secrets show as ******.',
  },
  driver_internal_info: {
    access: 'read',
    since: 3,
    schema: notesField,
    default: {},
    masked: maskedNotes,
    ...ownersOnly('baremetal:node:get:driver_internal_info', {
      content: '** Redacted - Requires baremetal:node:get:driver_internal_info permission. **',
    }),
    doc: 'Notes of the service.',
  },
  properties: {
    access: 'update',
    rule: 'baremetal:node:update:properties',
    schema: json,
    default: {},
    doc: 'What the machine has: cpu_arch, memory_mb, ...',
  },
  instance_info: {
    access: 'update',
    rule: 'baremetal:node:update_instance_info',
    schema: json,
    default: {},
    masked: ['configdrive', 'image_url'],
    doc: 'What to deploy; emptied by undeploy.',
  },
  extra: {
    access: 'update',
    rule: 'baremetal:node:update_extra',
    schema: json,
    default: {},
    doc: 'Free for the operator.',
  },
  chassis_uuid: {
    access: 'update',
    rule: 'baremetal:node:update:chassis_uuid',
    schema: uuid,
    filter: { rank: 3 },
    index: true,
    doc: 'Chassis the node sits in.',
  },
  target_power_state: {
    access: 'read',
    schema: powerState,
    state: true,
    doc: 'Power state being established; null: none.',
  },
  target_provision_state: {
    access: 'read',
    schema: text(255),
    state: true,
    doc: 'State being headed for; null when stable.',
  },
  provision_updated_at: { access: 'read', schema: timestamp, state: true, doc: 'When provision_state last changed.' },
  last_error: {
    access: 'read',
    schema: z.string(),
    state: true,
    ...ownersOnly(
      'baremetal:node:get:last_error',
      '** Value Redacted - Requires baremetal:node:get:last_error permission. **',
    ),
    doc: 'What went wrong last, and what to do.',
  },
  maintenance_reason: { access: 'read', schema: z.string(), doc: 'Why maintenance was set.' },
  reservation: {
    access: 'read',
    schema: text(255),
    ...ownersOnly(
      'baremetal:node:get:reservation',
      '** Redacted - requires baremetal:node:get:reservation permission. **',
    ),
    doc: 'The run that holds the lock; null: free.',
  },
  console_enabled: { access: 'read', schema: bool, default: false, state: true, doc: 'Whether a console runs.' },
  inspection_started_at: { access: 'read', since: 6, schema: timestamp, doc: 'Start of the last inspection.' },
  inspection_finished_at: { access: 'read', since: 6, schema: timestamp, doc: 'End of the last inspection.' },
  clean_step: { access: 'read', since: 7, schema: json, default: {}, masked: true, doc: 'The clean step in progress.' },
  raid_config: { access: 'read', since: 12, schema: json, default: {}, state: true, doc: 'RAID as it is.' },
  target_raid_config: {
    access: 'read',
    since: 12,
    schema: json,
    default: {},
    state: true,
    doc: 'RAID as it shall become.',
  },
  network_interface: hardwareInterface('Network', 20),
  resource_class: {
    access: 'update',
    since: 21,
    schema: text(80),
    filter: { rank: 8 },
    index: true,
    doc: 'Class that schedulers match.',
  },
  boot_interface: hardwareInterface('Boot'),
  console_interface: hardwareInterface('Console'),
  deploy_interface: hardwareInterface('Deploy'),
  inspect_interface: hardwareInterface('Inspect'),
  management_interface: hardwareInterface('Management'),
  power_interface: hardwareInterface('Power'),
  raid_interface: hardwareInterface('RAID'),
  vendor_interface: hardwareInterface('Vendor'),
  storage_interface: hardwareInterface('Storage', 33),
  rescue_interface: hardwareInterface('Rescue', 38),
  bios_interface: hardwareInterface('BIOS', 40),
  firmware_interface: hardwareInterface('Firmware', 86),
  traits: {
    access: 'read',
    since: 37,
    schema: z.array(z.string()),
    default: [] as string[],
    doc: 'Traits, set at /traits.',
  },
  fault: {
    access: 'read',
    since: 42,
    schema: z.enum(['power failure', 'clean failure', 'rescue abort failure', 'service failure']),
    filter: { rank: 2 },
    index: true,
    doc: 'Why the service itself set maintenance; null: it did not.',
  },
  deploy_step: {
    access: 'read',
    since: 44,
    schema: json,
    default: {},
    masked: true,
    doc: 'The deploy step in progress.',
  },
  conductor_group: {
    access: 'update',
    rule: 'baremetal:node:update:conductor_group',
    since: 46,
    schema: z
      .string()
      .max(255)
      .regex(/^[a-zA-Z0-9_.-]*$/, 'may have letters, digits, _ . and - only')
      .transform((value) => value.toLowerCase()),
    default: '',
    filter: { schema: z.string().toLowerCase(), rank: 9 },
    index: true,
    doc: 'Which site serves the node.',
  },
  automated_clean: { access: 'update', since: 47, schema: bool, doc: 'Overrides the automated cleaning setting.' },
  protected: { access: 'patch', since: 48, schema: bool, default: false, doc: 'Refuses undeploy, rebuild, delete.' },
  protected_reason: { access: 'patch', since: 48, schema: z.string(), doc: 'Why it is protected.' },
  conductor: { access: 'read', since: 49, schema: text(255), computed: true, filter: true, doc: 'Responsible site.' },
  owner: {
    access: 'update',
    rule: 'baremetal:node:update:owner',
    since: 50,
    schema: text(255),
    filter: { rank: 5 },
    index: true,
    doc: 'Project that owns it.',
  },
  description: { access: 'update', since: 51, schema: z.string().max(4096), doc: 'Free text.' },
  allocation_uuid: { access: 'read', since: 52, schema: uuid, doc: 'Allocation on this node.' },
  retired: {
    access: 'update',
    rule: 'baremetal:node:update:retired',
    since: 61,
    schema: bool,
    default: false,
    filter: { since: 1 },
    doc: 'Never made available again.',
  },
  retired_reason: {
    access: 'update',
    rule: 'baremetal:node:update:retired',
    since: 61,
    schema: z.string(),
    doc: 'Why it is retired.',
  },
  lessee: {
    access: 'update',
    rule: 'baremetal:node:update:lessee',
    since: 65,
    schema: text(255),
    filter: { rank: 4 },
    index: true,
    doc: 'Project that uses it.',
  },
  network_data: {
    access: 'update',
    rule: 'baremetal:node:update:network_data',
    since: 66,
    schema: json,
    default: {},
    doc: 'Static network_data.json for the ramdisk, which gets it on the medium of its agent. Needs a second virtual drive.',
  },
  boot_mode: {
    access: 'read',
    since: 75,
    schema: z.enum(['uefi', 'bios']),
    state: true,
    doc: 'Boot mode read from the BMC.',
  },
  secure_boot: { access: 'read', since: 75, schema: bool, state: true, doc: 'Secure boot read from the BMC.' },
  shard: {
    access: 'update',
    rule: 'baremetal:node:update:shard',
    since: 82,
    schema: text(255),
    filter: { many: true, rank: 7 },
    index: true,
    doc: 'Shard for clients.',
  },
  parent_node: {
    access: 'update',
    rule: 'baremetal:node:update:parent_node',
    since: 83,
    schema: text(255),
    filter: { rank: 1 },
    index: true,
    doc: 'Parent node.',
  },
  service_step: {
    access: 'read',
    since: 87,
    schema: json,
    default: {},
    masked: true,
    doc: 'The service step in progress.',
  },
  disable_power_off: {
    access: 'update',
    rule: 'baremetal:node:update:disable_power_off',
    since: 95,
    schema: bool,
    default: false,
    doc: 'Never switched off: a reboot is a restart, and what has to boot other media is refused.',
  },
  instance_name: {
    access: 'update',
    rule: 'baremetal:node:update_instance_info',
    since: 104,
    schema: text(255),
    filter: true,
    doc: 'Name of the instance.',
  },
  health: { access: 'read', since: 109, schema: z.enum(['OK', 'Warning', 'Critical']), doc: 'Health by the BMC.' },
  created_at: { access: 'read', schema: timestamp, required: true, doc: 'When it was enrolled.' },
  updated_at: { access: 'read', schema: timestamp, doc: 'When it was last changed.' },
  links: ownLinks,
  ports: linksTo('ports', 'Links to the ports.'),
  states: { ...linksTo('states', 'Links to the states.'), since: 14 },
  portgroups: { ...linksTo('portgroups', 'Links to the portgroups.'), since: 24 },
  volume: { ...linksTo('volume', 'Links to volume connectors and targets.'), since: 32 },
});

/** A port of a network service that is attached to the node, and the port or the port group that has it. */
const vif = z.object({ id: text(255), port_uuid: uuid.nullable(), portgroup_uuid: uuid.nullable() });

export type Vif = z.output<typeof vif>;

/** The VIFs of a node, where it is kept which it has. Requests have them as a list of their own. */
export const vifs = {
  schema: z.array(vif).readonly(),
  default: [],
  doc: 'The VIFs that are attached, and to what; by their ids.',
} as const;

/** An event tells all of them, twice. */
export const maxVifs = 64;

/** The node as clients know it, with instance_info joined in. */
export type Node = RecordOf<typeof node>;

/**
 * What the node item holds besides its fields; never shown on the wire.
 * `revision` counts every write (test-and-set); `generation` counts reservations and is the fencing token of BMC
 * writes (DESIGN.md 3.7); `run` is the execution that owns the provisioning in progress, also while it waits unlocked.
 */
export type NodeKeeping = {
  revision: number;
  generation: number;
  run: string | null;
  run_workflow: string | null;
  /** SHA-256 (hex) of the agent token; the token itself is sealed for the proxy. */
  agent_token_sha256: string | null;
  /** A ULID, drawn when the node was created: where it stands in lists. */
  position: string;
  /** What is attached, as its ports and port groups say (layers/domain/vifs.ts); here for events. null: nothing. */
  vifs: readonly Vif[] | null;
  /** What its run is doing since when (ISO 8601); null or absent between phases. Written by functions/workflow. */
  phase?: { readonly run: string; readonly name: string; readonly started_at: string } | null;
};
