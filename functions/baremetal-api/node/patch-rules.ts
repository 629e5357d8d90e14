/** When a node may be changed (ironic-api.md 2.5), as a table; the first row that applies refuses. */
import { stateOf, statesThatAre } from '../../../layers/domain/baremetal/states.ts';
import { Conflict, NodeLocked, type Fault } from '../../../layers/domain/fault.ts';
import { interfaceKinds, type InterfaceKind } from '../../../layers/domain/hardware-types.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';

/** A change: the node as it is stored, as it would be, and who asks in which words. */
export type Edit = {
  readonly before: StoredNode;
  readonly after: StoredNode;
  readonly version: number;
  /** The caller may give away a node that has an instance. */
  readonly mayChangeOwner: boolean;
  /** The node's allocation, if it is known to belong to nobody; null: it may belong to somebody. */
  readonly unownedAllocation: string | null;
};

/**
 * Whether a node must keep its instance and its allocation for now, though nobody holds it: it runs the instance, or is
 * on its way to another state. In maintenance operators know what they do.
 */
export const keepsInstance = (node: StoredNode): boolean =>
  !node.maintenance && (stateOf(node).occupied === true || isOnItsWay(node));

type Row = { when(edit: Edit): boolean; refuse(edit: Edit): Fault };

/** A node that heads for another state can be changed in some states only. */
const isOnItsWay = (node: StoredNode): boolean => node.target_provision_state !== null && !stateOf(node).editable;

const interfaces = Object.keys(interfaceKinds).map((kind) => `${kind as InterfaceKind}_interface` as const);

const differs = (name: keyof StoredNode, { before, after }: Edit) => before[name] !== after[name];
const isUnassigned = ({ before }: Edit) => stateOf(before).unassigned === true;
const unassigned = statesThatAre('unassigned').join(', ');
const where = ({ before }: Edit) => `Node ${before.uuid} in state "${before.provision_state}"`;

/** Asked before the patch is applied. */
const beforeApplying: readonly Row[] = [
  {
    when: ({ before }) => isOnItsWay(before),
    refuse: ({ before }) => Conflict(`Node ${before.uuid} can not be updated while a state transition is in progress.`),
  },
  {
    when: ({ before, version }) => before.provision_state === 'inspecting' && version >= 39,
    refuse: ({ before }) => Conflict(`Node ${before.uuid} can not be updated while it is being inspected.`),
  },
  {
    when: ({ before }) => before.reservation !== null,
    refuse: ({ before }) => NodeLocked(before.uuid, before.reservation!),
  },
];

/** Asked of the change as a whole. */
const afterApplying: readonly Row[] = [
  {
    when: (edit) => !edit.before.maintenance && !isUnassigned(edit) && interfaces.some((name) => differs(name, edit)),
    refuse: (edit) =>
      Conflict(`${where(edit)} can not change its interfaces, only in ${unassigned} or in maintenance.`),
  },
  {
    when: (edit) => differs('driver', edit) && edit.before.console_enabled,
    refuse: (edit) => Conflict(`${where(edit)} can not change its driver while its console runs.`),
  },
  {
    when: (edit) => differs('resource_class', edit) && edit.before.resource_class !== null && !isUnassigned(edit),
    refuse: (edit) => Conflict(`${where(edit)} can not change its resource_class, only in ${unassigned}.`),
  },
  {
    when: (edit) =>
      differs('instance_uuid', edit) && edit.before.instance_uuid !== null && edit.after.instance_uuid !== null,
    refuse: ({ before }) =>
      Conflict(
        `Node ${before.uuid} is associated with instance ${before.instance_uuid}, remove that instance_uuid first.`,
      ),
  },
  {
    when: (edit) =>
      edit.before.allocation_uuid !== null &&
      edit.before.instance_uuid !== null &&
      edit.after.instance_uuid === null &&
      keepsInstance(edit.before),
    refuse: (edit) => Conflict(`${where(edit)} is allocated, its instance_uuid can not be removed.`),
  },
  {
    when: (edit) => differs('protected', edit) && edit.after.protected && !stateOf(edit.before).occupied,
    refuse: (edit) => Conflict(`${where(edit)} can not be protected, only in active or rescue.`),
  },
  {
    when: (edit) => differs('retired', edit) && edit.after.retired && edit.before.provision_state === 'available',
    refuse: (edit) => Conflict(`${where(edit)} can not be retired, move it to manageable first.`),
  },
  {
    when: (edit) => differs('owner', edit) && edit.before.provision_state === 'active' && !edit.mayChangeOwner,
    refuse: (edit) => Conflict(`${where(edit)} can not change its owner.`),
  },
  {
    when: (edit) =>
      differs('owner', edit) &&
      edit.before.allocation_uuid !== null &&
      edit.before.allocation_uuid !== edit.unownedAllocation,
    refuse: ({ before }) =>
      Conflict(
        `Node ${before.uuid} can not change its owner while allocation ${before.allocation_uuid}, which has an owner, is on it; delete the allocation first.`,
      ),
  },
];

const apply = (rows: readonly Row[], edit: Edit): void => {
  const row = rows.find(({ when }) => when(edit));
  if (row) throw row.refuse(edit);
};

/** Throws Conflict or NodeLocked (409) if the node as it is can not be changed at all. */
export const refuseUneditable = (edit: Omit<Edit, 'after'>): void =>
  apply(beforeApplying, { ...edit, after: edit.before });

/** Throws Conflict (409) if this change does not fit the node's state. */
export const refuseEdit = (edit: Edit): void => apply(afterApplying, edit);
