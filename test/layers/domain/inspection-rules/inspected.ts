/** An inspection for tests of rules, and rules as the API would store them. */
import { evaluateRules, type Inspected } from '../../../../layers/domain/inspection-rules/evaluate.ts';
import { inspectionRule, type InspectionRule } from '../../../../layers/domain/inspection-rule.ts';
import { checkField } from '../../../../layers/domain/schema.ts';
import { countedUuid } from '../../../../layers/platform/memory/ids.ts';
import { aNode } from '../../store/a-node.ts';

export const mac = '52:54:00:00:00:01';
export const portUuid = countedUuid(7);

export const inventory = {
  bmc_address: '10.1.0.7',
  cpu: { count: 16, architecture: 'x86_64' },
  memory: { physical_mb: 8192 },
  disks: [{ name: '/dev/sda', size: 480 }],
  system_vendor: { manufacturer: 'Dell Inc.', product_name: 'PowerEdge R640', serial_number: 'ABC123' },
  boot: { current_boot_mode: 'uefi', pxe_interface: null },
  credentials: { password: 'hunter2' },
};

/** The one port of the node. */
const port = {
  uuid: portUuid,
  address: mac,
  node_uuid: countedUuid(1),
  extra: {},
  internal_info: {},
  pxe_enabled: true,
  local_link_connection: {},
  portgroup_uuid: null,
  physical_network: null,
  is_smartnic: false,
  name: null,
  description: null,
  vendor: null,
  category: null,
  available_for_dynamic_portgroup: true,
  created_at: '2026-01-01T00:00:00.000+00:00',
  updated_at: null,
};

export const inspected = (node: Parameters<typeof aNode>[0] = {}): Inspected => ({
  node: aNode({ name: 'n1', ...node }),
  ports: [port],
  inventory,
  plugin_data: { found: { by: ['a'] } },
});

type Given = { readonly conditions?: unknown; readonly actions?: unknown; readonly sensitive?: boolean };

/** A rule as it is stored; what is wrong with it throws as in POST. */
export const aRule = ({ conditions = [], actions = [], sensitive = false }: Given): InspectionRule => ({
  uuid: countedUuid(9),
  description: null,
  priority: 0,
  phase: 'main',
  sensitive,
  conditions: checkField(inspectionRule, 'conditions', conditions) as InspectionRule['conditions'],
  actions: checkField(inspectionRule, 'actions', actions) as InspectionRule['actions'],
  created_at: '2026-01-01T00:00:00.000+00:00',
  updated_at: null,
});

/** What rules with these actions make of the inspection. */
export const effects = (actions: unknown[], node: Parameters<typeof aNode>[0] = {}) =>
  evaluateRules([aRule({ actions })], inspected(node));

/** Whether a rule with these conditions applies. */
export const applies = (...conditions: unknown[]): boolean =>
  evaluateRules([aRule({ conditions, actions: [{ op: 'log', args: { msg: 'met' } }] })], inspected()).log.length > 0;
