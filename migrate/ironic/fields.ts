/**
 * What an Ironic has, a row a resource: where its API lists it, where its database keeps it, and what a batch of
 * POST /v1/imports calls it (the row's name). Which fields it has since which microversion is in the tables of
 * layers/domain. Read by `import`, `verify` and `export`.
 */
import { allocation } from '../../layers/domain/allocation.ts';
import { chassis } from '../../layers/domain/chassis.ts';
import { deployTemplate } from '../../layers/domain/deploy-template.ts';
import type { Fields } from '../../layers/domain/fields.ts';
import { history } from '../../layers/domain/history.ts';
import { inspectionRule } from '../../layers/domain/inspection-rule.ts';
import { node } from '../../layers/domain/node.ts';
import { portgroup } from '../../layers/domain/portgroup.ts';
import { port } from '../../layers/domain/port.ts';
import { runbook } from '../../layers/domain/runbook.ts';
import { volumeConnector, volumeTarget } from '../../layers/domain/volume.ts';

/** A column of another name, the number of the row that the UUID names, or rows of a table of their own. */
export type Column =
  | { readonly column: string }
  | { readonly column: string; readonly refers: string }
  | { readonly rows: string; readonly by: string; readonly columns: readonly string[] };

export type IronicResource = {
  /** Its list with all that each has; of what is below nodes, `{node}` stands for the UUID. */
  readonly path: string;
  /** What the answer calls the list. */
  readonly list: string;
  /** The microversion 1.N of the list. */
  readonly since: number;
  readonly fields: Fields;
  readonly table: string;
  /** Where a field is in the database; absent: in the column of its name. Objects and lists are JSON text there. */
  readonly columns: { readonly [field: string]: Column };
  /** Fields whose secrets the API shows as ****** or not at all, and the database in clear. */
  readonly secrets: readonly string[];
  /** Fields that are not moved, and why. */
  readonly left: { readonly [field: string]: string };
  /** Fields that are moved and change by themselves afterwards, and by what. */
  readonly moving: { readonly [field: string]: string };
};

const ofNode = { node_uuid: { column: 'node_id', refers: 'nodes' } } as const;
const touched = { updated_at: 'The maintenance that fences the source, and whatever is done here, change it.' };
const nothing = { columns: {}, secrets: [], left: {}, moving: touched } as const;

/** The column of a field that has one. */
export const columnOf = ({ columns }: Pick<IronicResource, 'columns'>, field: string): string => {
  const other = columns[field];
  return other && 'column' in other ? other.column : field;
};

/** In the order in which they are moved: what others refer to comes first. */
export const resources = {
  chassis: { ...nothing, path: '/v1/chassis/detail', list: 'chassis', since: 1, fields: chassis, table: 'chassis' },
  deploy_template: {
    ...nothing,
    path: '/v1/deploy_templates?detail=true',
    list: 'deploy_templates',
    since: 55,
    fields: deployTemplate,
    table: 'deploy_templates',
    columns: {
      steps: {
        rows: 'deploy_template_steps',
        by: 'deploy_template_id',
        columns: ['interface', 'step', 'args', 'priority'],
      },
    },
    secrets: ['steps'],
  },
  runbook: {
    ...nothing,
    path: '/v1/runbooks?detail=true',
    list: 'runbooks',
    since: 92,
    fields: runbook,
    table: 'runbooks',
    columns: {
      steps: { rows: 'runbook_steps', by: 'runbook_id', columns: ['interface', 'step', 'args', 'order'] },
      traits: { rows: 'runbook_traits', by: 'runbook_id', columns: ['trait'] },
    },
    secrets: ['steps'],
  },
  inspection_rule: {
    ...nothing,
    path: '/v1/inspection_rules?detail=true',
    list: 'inspection_rules',
    since: 96,
    fields: inspectionRule,
    table: 'inspection_rules',
    secrets: ['conditions', 'actions'],
  },
  node: {
    path: '/v1/nodes/detail',
    list: 'nodes',
    since: 1,
    fields: node,
    table: 'nodes',
    columns: {
      chassis_uuid: { column: 'chassis_id', refers: 'chassis' },
      allocation_uuid: { column: 'allocation_id', refers: 'allocations' },
      traits: { rows: 'node_traits', by: 'node_id', columns: ['trait'] },
      conductor: { column: 'conductor_affinity', refers: 'conductors' },
    },
    secrets: ['driver_info', 'instance_info'],
    left: {
      reservation: 'It is the lock of whoever works on the node.',
      conductor: 'It is the site that serves the node.',
      driver_internal_info: 'They are notes of the service that works on the node.',
      target_power_state: 'It is of a power action in progress.',
      console_enabled: 'A console is a process of the service: it is started here anew.',
      clean_step: 'It is of work in progress, and nodes move at rest.',
      deploy_step: 'It is of work in progress, and nodes move at rest.',
      service_step: 'It is of work in progress, and nodes move at rest.',
    },
    moving: {
      power_state: 'It is what the BMC says.',
      boot_mode: 'It is what the BMC says.',
      secure_boot: 'It is what the BMC says.',
      health: 'It is what the BMC says.',
      ...touched,
    },
  },
  portgroup: {
    ...nothing,
    path: '/v1/portgroups/detail',
    list: 'portgroups',
    since: 23,
    fields: portgroup,
    table: 'portgroups',
    columns: ofNode,
  },
  port: {
    ...nothing,
    path: '/v1/ports/detail',
    list: 'ports',
    since: 1,
    fields: port,
    table: 'ports',
    columns: { ...ofNode, portgroup_uuid: { column: 'portgroup_id', refers: 'portgroups' } },
  },
  volume_connector: {
    ...nothing,
    path: '/v1/volume/connectors?detail=true',
    list: 'connectors',
    since: 32,
    fields: volumeConnector,
    table: 'volume_connectors',
    columns: ofNode,
  },
  volume_target: {
    ...nothing,
    path: '/v1/volume/targets?detail=true',
    list: 'targets',
    since: 32,
    fields: volumeTarget,
    table: 'volume_targets',
    columns: ofNode,
    secrets: ['properties'],
  },
  allocation: {
    ...nothing,
    path: '/v1/allocations',
    list: 'allocations',
    since: 52,
    fields: allocation,
    table: 'allocations',
    columns: ofNode,
  },
  history: {
    ...nothing,
    path: '/v1/nodes/{node}/history?detail=true',
    list: 'history',
    since: 78,
    fields: history,
    table: 'node_history',
    columns: ofNode,
    left: {
      uuid: 'An entry is found here by its time, and has a UUID that is made of it.',
      conductor: 'It is the site that serves the node.',
    },
    moving: {},
  },
} as const satisfies { readonly [kind: string]: IronicResource };

export type ResourceName = keyof typeof resources;

/** What a node's last inspection found is no list: 404 where there is none. Since 1.81. */
export const inventory = { path: '/v1/nodes/{node}/inventory', since: 81 } as const;
