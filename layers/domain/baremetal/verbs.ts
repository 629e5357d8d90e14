/**
 * What a client may ask for in PUT states/provision, one row a verb (ironic-states.md 2 and 3, ironic-api.md 2.7). From
 * which states a verb may come, the state machine says: `transitions.ts` has its event.
 */
import { isCleaned } from '../cleaning.ts';
import { Conflict, Invalid, NodeLocked } from '../fault.ts';
import type { InterfaceKind } from '../hardware-types.ts';
import type { Node } from '../node.ts';
import type { StepKind } from '../steps.ts';
import type { ProvisionEvent, ProvisionState } from './transitions.ts';

/** What may come along with a target, in the order in which it is looked at. */
export const bodyKeys = [
  'configdrive',
  'runbook',
  'disable_ramdisk',
  'clean_steps',
  'deploy_steps',
  'service_steps',
  'rescue_password',
] as const;
export type BodyKey = (typeof bodyKeys)[number];

/** Other media are read after a power-off only. The ramdisk needs an image, and a port to know its agent by. */
type Boots = 'nothing' | 'other media' | 'the ramdisk';

/** Settings that decide what a verb does. */
export type VerbSettings = { readonly automatedClean: boolean };

export type VerbRow = {
  /** Of the state machine. */
  readonly event: ProvisionEvent;
  /** The microversion 1.N that introduced it; absent means 1.1. */
  readonly since?: number;
  /** Whether it fits the state is told before its version is looked at. */
  readonly stateFirst?: true;
  /** The microversion from which it may come from a state, where it is another. */
  readonly sinceFrom?: { readonly [S in ProvisionState]?: number };
  /** A run of it begins, unless the state that follows rests. */
  readonly workflow?: string;
  /** Instead of that: what was held goes on with a new run, or the run that the node has is given up. */
  readonly instead?: 'proceed' | 'abort';
  /** The state that is headed for, where it is not that of the state that follows. */
  readonly target?: ProvisionState;
  /** The list of steps that it makes a plan of. */
  readonly steps?: StepKind;
  /** Who asks may become the lessee of the node (ironic-rbac.md 7). */
  readonly leases?: true;
  /** What of the body goes with it; `since` is the microversion of both together. */
  readonly body?: { readonly [K in BodyKey]?: { readonly since?: number } };
  /** What it cannot do without: one of these. */
  readonly needs?: readonly BodyKey[];
  /** Refused while the node is in maintenance (400). */
  readonly awake?: true;
  /** Refused while the node is protected (403). */
  readonly unprotected?: true;
  /** Must be able to do it and have what they need (400); `no-<interface>` can do nothing. */
  readonly interfaces?: readonly InterfaceKind[];
  /** What the node then cannot do, in the words of the refusal. */
  readonly purpose?: string;
  /** Its checks ask whether the node has a port, which costs a query. */
  readonly ports?: true;
  /** What the machine is switched off for (400 if it must not be). What the media need, the interfaces say. */
  readonly boots?: (node: Node, settings: VerbSettings) => Boots;
  /** Further conditions; throws Invalid (400), Conflict (409). */
  readonly check?: (node: Node) => void;
};

const notRetired = ({ uuid, retired }: Node): void => {
  if (retired) throw Invalid(`Node ${uuid} is retired and can not be made available. Set retired to false first.`);
};

/** A step broke off in the middle: somebody has to say that the machine may go back to its instance. */
const notOutOfService = ({ uuid, maintenance, provision_state: state }: Node): void => {
  if (maintenance && state === 'service failed') {
    throw Conflict(`Node ${uuid} is in maintenance mode after its service failed. Unset maintenance, then abort.`);
  }
};

const unless = (way: string | null): Boots => (way === 'fake' ? 'nothing' : 'other media');

const deploys = {
  workflow: 'deploy',
  steps: 'deploy',
  awake: true,
  interfaces: ['power', 'deploy', 'storage', 'network'],
  purpose: 'be deployed',
  ports: true,
  boots: ({ deploy_interface: way }) => unless(way),
} as const satisfies Omit<VerbRow, 'event'>;

// Undeploy has to reach the BMC; better refused now than ending in state "error". Nothing else may keep a tenant from
// giving a machine back: one that must stay on stays on, and what cannot be cleaned then ends in "clean failed".
const undeploys = {
  event: 'delete',
  workflow: 'undeploy',
  unprotected: true,
  interfaces: ['power'],
} as const satisfies VerbRow;

const rows = {
  active: { ...deploys, event: 'deploy', leases: true, body: { configdrive: {}, deploy_steps: { since: 69 } } },
  // The newer name of `active` takes nothing along, as in Ironic.
  deploy: { ...deploys, event: 'deploy', since: 73, leases: true },
  rebuild: {
    ...deploys,
    event: 'rebuild',
    body: { configdrive: { since: 35 }, deploy_steps: { since: 69 } },
    unprotected: true,
  },
  deleted: undeploys,
  undeploy: { ...undeploys, since: 73 },
  manage: { event: 'manage', since: 4, workflow: 'verify' },
  provide: {
    event: 'provide',
    since: 4,
    workflow: 'clean',
    ports: true,
    boots: (node, settings) => (isCleaned(node, settings) ? 'the ramdisk' : 'nothing'),
    check: notRetired,
  },
  inspect: {
    event: 'inspect',
    since: 6,
    workflow: 'inspect',
    interfaces: ['power', 'inspect'],
    boots: ({ inspect_interface: way }) => (way === 'agent' ? 'other media' : 'nothing'),
  },
  abort: {
    event: 'abort',
    since: 13,
    sinceFrom: { 'inspect wait': 41, 'wait call-back': 110 },
    instead: 'abort',
    check: notOutOfService,
  },
  // What clean and service boot, their steps decide.
  clean: {
    event: 'clean',
    since: 15,
    workflow: 'clean',
    target: 'manageable',
    steps: 'clean',
    body: { runbook: { since: 92 }, disable_ramdisk: { since: 70 }, clean_steps: {} },
    needs: ['clean_steps', 'runbook'],
    awake: true,
    interfaces: ['power', 'network'],
    ports: true,
  },
  adopt: { event: 'adopt', since: 17, workflow: 'adopt' },
  rescue: {
    event: 'rescue',
    since: 38,
    workflow: 'rescue',
    body: { rescue_password: {} },
    needs: ['rescue_password'],
    awake: true,
    interfaces: ['power', 'rescue', 'network'],
    ports: true,
    boots: ({ rescue_interface: way }) => unless(way),
  },
  unrescue: {
    event: 'unrescue',
    since: 38,
    workflow: 'unrescue',
    awake: true,
    interfaces: ['power'],
    boots: ({ rescue_interface: way }) => unless(way),
  },
  unhold: { event: 'unhold', since: 85, stateFirst: true, instead: 'proceed' },
  service: {
    event: 'service',
    since: 87,
    stateFirst: true,
    workflow: 'service',
    steps: 'service',
    body: { runbook: { since: 92 }, disable_ramdisk: { since: 108 }, service_steps: {} },
    needs: ['service_steps', 'runbook'],
    awake: true,
    interfaces: ['power', 'network'],
    ports: true,
  },
} as const satisfies { readonly [verb: string]: VerbRow };

export type Verb = keyof typeof rows;
type Row = (typeof rows)[Verb];

/** The workflows that verbs begin; `workflows/` has one of each of these names, which the compiler sees to. */
export type ProvisionWorkflow = Extract<Row, { readonly workflow: string }>['workflow'];

export const verbs: { readonly [V in Verb]: VerbRow & { readonly workflow?: ProvisionWorkflow } } = rows;

/** Whether a target is a verb. */
export const isVerb = (target: string): target is Verb => Object.hasOwn(rows, target);

/** The verbs that this goes with, in the order of the table, as refusals name them. */
export const verbsTaking = (key: BodyKey): Verb[] =>
  (Object.keys(verbs) as Verb[]).filter((verb) => verbs[verb].body?.[key]);

/** Ironic's answer to a verb that does not fit: 409 while the node is locked, else 400. */
export const refuseVerb = (node: Pick<Node, 'uuid' | 'provision_state' | 'reservation'>, verb: string) =>
  node.reservation
    ? NodeLocked(node.uuid, node.reservation)
    : Invalid(
        `The requested action "${verb}" can not be performed on node "${node.uuid}" while it is in state "${node.provision_state}".`,
      );
