/**
 * What can be moved in, one row a kind, in the order in which it is written: what others refer to comes first. A record
 * may bring every field of its table but those that only the service knows that works on it.
 */
import { stateOf } from '../../../layers/domain/baremetal/states.ts';
import type { ProvisionState } from '../../../layers/domain/baremetal/transitions.ts';
import { hasInstance, noteTakeover } from '../../../layers/domain/baremetal/takeover.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { foreignInterfaces, isForeign } from '../../../layers/domain/foreign-types.ts';
import { checkInterfaces, defaultInterfaces } from '../../../layers/domain/hardware-types.ts';
import { noNotes } from '../../../layers/domain/notes.ts';
import { checkTrait, maxTraits } from '../../../layers/domain/traits.ts';
import { MAX } from '../../../layers/domain/versions.ts';
import { equals, type Table, type Write } from '../../../layers/platform/table.ts';
import { keyOf, type AnyKind } from '../../../layers/store/kinds/kind.ts';
import { kinds, type StoredAllocation, type StoredPort } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import type { Values } from '../crud.ts';
import { checkValues, checkWhole } from '../node/rules.ts';
import { checkPortgroup, checkSmartNic } from '../port/rules.ts';
import { checkRunbook } from '../runbook.ts';

export type ImportRow = {
  readonly kind: AnyKind;
  /** Fields that no record brings: whoever works on it here writes them. */
  readonly own?: readonly string[];
  /** Fields that change by themselves: another value of them is no other record. */
  readonly moving?: readonly string[];
  /** The values as they are stored; refuses them as a whole by throwing Invalid (400). */
  read?(values: Values): Values;
  /** What a new record has that it does not bring, by what it brings. `at`: ISO 8601. */
  begins?(values: Values, at: string): Values;
  /**
   * Refuses a new record by what is stored, by throwing Invalid (400). The answer goes into the transaction that writes it.
   */
  permit?(table: Table, record: object): Promise<readonly Write[]>;
};

/** A set, as it is stored. Throws Invalid (400). */
const readTraits = (values: Values): Values => {
  const { traits } = values;
  if (!Array.isArray(traits)) return values;
  traits.forEach(checkTrait);
  if (traits.length > maxTraits) throw Invalid(`traits must have at most ${maxTraits} entries.`);
  return { ...values, traits: [...new Set<string>(traits)].sort() };
};

/** Nobody here goes on with what somebody else began. */
const refuseWork = ({ provision_state, target_provision_state: target = null }: Values): void => {
  const state = provision_state as ProvisionState;
  const { is } = stateOf({ provision_state: state });
  if (is !== 'resting' && is !== 'failed') {
    throw Invalid(`provision_state ${state} is that of work in progress: let it end, or abort it, before it is moved.`);
  }
  if (is === 'resting' && target !== null) {
    throw Invalid(`target_provision_state must be null in provision_state ${state}: nothing heads anywhere.`);
  }
};

const readNode = (values: Values): Values => {
  refuseWork(values);
  checkValues(values, MAX);
  checkWhole(values);
  const driver = values['driver'] as string;
  if (!isForeign({ driver })) checkInterfaces(driver, values);
  return readTraits(values);
};

/** Whoever had the machine before may still have it: until it is taken over nothing is done to it. */
const beginNode = (values: Values, at: string): Values => {
  const { driver, instance_uuid: instance = null, provision_state } = values as Partial<StoredNode>;
  const whole = { instance_uuid: instance, provision_state: provision_state! };
  return {
    ...(foreignInterfaces(driver!) ?? defaultInterfaces(driver!)),
    ...(hasInstance(whole) && noteTakeover(noNotes, 'pending', at)),
  };
};

const readAllocation = (values: Values): Values => {
  if ((values['state'] ?? 'allocating') === 'allocating') {
    throw Invalid('state must be active or error: an allocation that looks for a node is made here anew.');
  }
  return readTraits(values);
};

/** A node and its allocation name each other. Throws Invalid (400). */
const permitAllocation = async (table: Table, record: object): Promise<readonly Write[]> => {
  const { uuid, node_uuid: home } = record as StoredAllocation;
  if (home === null) return [];
  const node = await readRecord(table, kinds.node, home);
  if (node?.allocation_uuid !== uuid) {
    throw Invalid(`Node ${home} is not here, or its allocation_uuid is not ${uuid}: the two have to name each other.`);
  }
  return [{ check: keyOf(kinds.node, home), when: [equals('revision', node.revision)] }];
};

const permitPort = async (table: Table, record: object): Promise<readonly Write[]> => {
  checkSmartNic(record as StoredPort);
  await checkPortgroup(table, record as StoredPort);
  return [];
};

/** By the word for each in a batch. */
export const importRows = {
  chassis: { kind: kinds.chassis },
  deploy_template: { kind: kinds.deploy_template },
  runbook: {
    kind: kinds.runbook,
    read: (values) => {
      checkRunbook(values);
      return readTraits(values);
    },
  },
  inspection_rule: { kind: kinds.inspection_rule },
  node: {
    kind: kinds.node,
    own: [
      'reservation',
      ...Object.keys(noNotes),
      'target_power_state',
      'console_enabled',
      'clean_step',
      'deploy_step',
      'service_step',
    ],
    moving: ['power_state', 'boot_mode', 'secure_boot', 'health'],
    read: readNode,
    begins: beginNode,
  },
  portgroup: { kind: kinds.portgroup },
  port: { kind: kinds.port, permit: permitPort },
  volume_connector: { kind: kinds.volume_connector },
  volume_target: { kind: kinds.volume_target },
  allocation: { kind: kinds.allocation, read: readAllocation, permit: permitAllocation },
} as const satisfies { readonly [name: string]: ImportRow };

/** What a record of a batch is. */
export type ImportKind = keyof typeof importRows;

/** In the order in which they are written. */
export const importKinds = Object.keys(importRows) as [ImportKind, ...ImportKind[]];
