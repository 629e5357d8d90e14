/**
 * What the node itself has to say about a verb, one row each (ironic-states.md 3). The state machine says from which
 * states a verb may come (layers/domain/states.ts), `provision-body.ts` which keys of the body go with it.
 */
import {
  validateDeploy,
  validateInterface,
  validateRamdisk,
  type Surroundings,
} from '../../../layers/bmc/validation.ts';
import { isCleaned } from '../../../layers/domain/cleaning.ts';
import { Conflict, Forbidden, Invalid, NodeLocked } from '../../../layers/domain/fault.ts';
import type { InterfaceKind } from '../../../layers/domain/hardware-types.ts';
import { verbs, type Verb } from '../../../layers/domain/states.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';

export type Around = Surroundings & {
  /** The setting. */
  readonly automatedClean: boolean;
};

/** Other media are read after a power-off only. The ramdisk needs an image, and a port to know its agent by. */
type Boots = 'nothing' | 'other media' | 'the ramdisk';

type VerbRule = {
  /** Refused while the node is in maintenance (400). */
  readonly awake?: true;
  /** Refused while the node is protected (403). */
  readonly unprotected?: true;
  /** Must be able to do it and have what they need (400); `no-<interface>` can do nothing. */
  readonly interfaces?: readonly InterfaceKind[];
  /** What the machine is switched off for (400 if it must not be). What the media need, the interfaces say. */
  readonly boots?: (node: StoredNode, around: Around) => Boots;
  /** Further conditions; throws Invalid (400), Conflict (409). */
  readonly check?: (node: StoredNode, around: Surroundings) => void;
};

const notRetired = ({ uuid, retired }: StoredNode): void => {
  if (retired) throw Invalid(`Node ${uuid} is retired and can not be made available. Set retired to false first.`);
};

/** A step broke off in the middle: somebody has to say that the machine may go back to its instance. */
const notOutOfService = ({ uuid, maintenance, provision_state: state }: StoredNode): void => {
  if (maintenance && state === 'service failed') {
    throw Conflict(`Node ${uuid} is in maintenance mode after its service failed. Unset maintenance, then abort.`);
  }
};

const unless = (way: string | null): Boots => (way === 'fake' ? 'nothing' : 'other media');

const deploys = {
  awake: true,
  check: validateDeploy,
  boots: ({ deploy_interface: way }) => unless(way),
} as const satisfies VerbRule;
// Undeploy has to reach the BMC; better refused now than ending in state "error". Nothing else may keep a tenant from
// giving a machine back: one that must stay on stays on, and what cannot be cleaned then ends in "clean failed".
const undeploys = { unprotected: true, interfaces: ['power'] } as const satisfies VerbRule;

const verbRules: { readonly [V in Verb]: VerbRule } = {
  active: deploys,
  deploy: deploys,
  rebuild: { ...deploys, unprotected: true },
  deleted: undeploys,
  undeploy: undeploys,
  manage: {},
  provide: { check: notRetired, boots: (node, around) => (isCleaned(node, around) ? 'the ramdisk' : 'nothing') },
  inspect: {
    interfaces: ['power', 'inspect'],
    boots: ({ inspect_interface: way }) => (way === 'agent' ? 'other media' : 'nothing'),
  },
  abort: { check: notOutOfService },
  // Of clean and service the steps decide (asked-steps.ts).
  clean: { awake: true, interfaces: ['power', 'network'] },
  adopt: {},
  rescue: {
    awake: true,
    interfaces: ['power', 'rescue', 'network'],
    boots: ({ rescue_interface: way }) => unless(way),
  },
  unrescue: { awake: true, interfaces: ['power'], boots: ({ rescue_interface: way }) => unless(way) },
  unhold: {},
  service: { awake: true, interfaces: ['power', 'network'] },
};

/** Throws Invalid (400) if the node is in maintenance and the verb cannot be done then. `target` may be no verb. */
export const checkAwake = ({ uuid, maintenance }: StoredNode, target: string): void => {
  const rule = Object.hasOwn(verbRules, target) ? verbRules[target as Verb] : undefined;
  if (maintenance && rule?.awake) {
    throw Invalid(`The provisioning operation can't be performed on node ${uuid} because it's in maintenance mode.`);
  }
};

const checkBoots = (node: StoredNode, verb: Verb, around: Around): void => {
  const boots = verbRules[verb].boots?.(node, around) ?? 'nothing';
  if (boots === 'nothing') return;
  if (node.disable_power_off) {
    throw Invalid(
      `Node ${node.uuid} must not be switched off (disable_power_off), and ${verb} has to do it to boot ${boots}.`,
    );
  }
  if (boots === 'the ramdisk') {
    validateInterface(node, 'power', around);
    validateRamdisk(node, around);
  }
};

/** What the node forbids. Throws NodeLocked (409), Forbidden (403), Invalid (400). */
export const checkNode = (node: StoredNode, verb: Verb, around: Around): void => {
  const { unprotected, interfaces = [], check } = verbRules[verb];
  if (node.reservation) throw NodeLocked(node.uuid, node.reservation);
  if (node.protected && unprotected) {
    throw Forbidden(`Node ${node.uuid} is protected and can not be undeployed, rebuilt or deleted.`);
  }
  for (const kind of interfaces) validateInterface(node, kind, around);
  check?.(node, around);
  checkBoots(node, verb, around);
};

/** Whether the ports of the node matter to the verb, which costs a query. */
export const looksAtPorts = (verb: Verb): boolean =>
  ['deploy', 'rebuild', 'provide', 'rescue', 'clean', 'service'].includes(verbs[verb].event);
