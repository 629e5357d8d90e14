/**
 * Whether a node can be moved, told before anything is written; each refusal says what the operator can do. What only the
 * target can tell it is asked for (`foresee`).
 */
import { stateOf } from '../../layers/domain/baremetal/states.ts';
import { provisionStates, type ProvisionState } from '../../layers/domain/baremetal/transitions.ts';
import { isForeign } from '../../layers/domain/foreign-types.ts';
import { hardwareTypes, interfaceKinds, type InterfaceKind } from '../../layers/domain/hardware-types.ts';
import type { Values } from './api.ts';
import type { ResourceName } from './fields.ts';
import type { Read } from './record.ts';
import { neededOf, pathText } from './secrets.ts';

export type Told = { readonly reason: string; readonly detail: string };

type Given = {
  /** As the source shows it. */
  readonly shown: Values;
  readonly read: Read;
  /** Whether the source goes on working, and is fenced node by node. */
  readonly running: boolean;
};

type Rule = {
  readonly of: ResourceName;
  readonly reason: string;
  /** What is wrong, and what to do; undefined if nothing is. */
  says(given: Given): string | undefined;
};

/** Whether nothing works on a node in this state; nobody knows one that is not ours. */
export const isResting = (state: unknown): boolean => {
  if (!provisionStates.includes(state as ProvisionState)) return false;
  const { is } = stateOf({ provision_state: state as ProvisionState });
  return is === 'resting' || is === 'failed';
};

const kindsOfInterface = Object.keys(interfaceKinds) as InterfaceKind[];

const lackingInterfaces = ({ driver, ...record }: Values): string[] => {
  const type = hardwareTypes[driver as string];
  if (!type) return [];
  return kindsOfInterface.flatMap((kind) => {
    const [field, known] = [`${kind}_interface`, type.interfaces[kind] as readonly string[]];
    const value = record[field] as string | undefined;
    if (value === undefined || known.includes(value)) return [];
    return [`${field} ${value} (here: ${known.join(', ')}; --replace ${field}:${value}=${known[0]})`];
  });
};

const missingSecrets = ({ read }: Given): string | undefined => {
  const missing = neededOf(read.missing);
  if (missing.length === 0) return undefined;
  return `${pathText(missing)}: the source shows ******. Give --database, or fill the file that --secrets-template writes and give it as --secrets.`;
};

const secretsOf = (of: ResourceName): Rule => ({ of, reason: 'missing-secrets', says: missingSecrets });

/** What an Ironic says in place of what who asks may not see. */
const redacted = /^\*\* (?:Value )?Redacted/i;

const isRedacted = (value: unknown): boolean => typeof value === 'string' && redacted.test(value);

const refusals: readonly Rule[] = [
  {
    of: 'node',
    reason: 'redacted',
    says: ({ shown: { driver_info: info, last_error, reservation } }) =>
      [(info as Values | undefined)?.['content'], last_error, reservation].some(isRedacted)
        ? 'the source hides what is moved from who asks it: ask as an administrator of its system.'
        : undefined,
  },
  {
    of: 'node',
    reason: 'unknown-driver',
    says: ({ read: { record } }) => {
      const driver = record['driver'] as string;
      if (Object.hasOwn(hardwareTypes, driver) || isForeign({ driver })) return undefined;
      return `driver ${driver} is not here (${Object.keys(hardwareTypes).join(', ')}). If its BMC speaks Redfish, set driver redfish and its redfish_address at the source, or give --replace driver:${driver}=redfish.`;
    },
  },
  {
    of: 'node',
    reason: 'unknown-interface',
    says: ({ read: { record } }) => {
      const lacking = lackingInterfaces(record);
      if (lacking.length === 0) return undefined;
      return `driver ${record['driver'] as string} has here no ${lacking.join(', no ')}. Set another at the source, or replace it on the way.`;
    },
  },
  {
    of: 'node',
    reason: 'in-progress',
    says: ({ shown: { provision_state: state } }) =>
      isResting(state)
        ? undefined
        : `provision_state is ${state as string}: wait until it is over, or \`baremetal node abort\` it, and run this again.`,
  },
  {
    of: 'node',
    reason: 'in-progress',
    says: ({ shown: { target_power_state: target = null } }) =>
      target === null
        ? undefined
        : `a power action to ${target as string} is in progress: wait until it is over, and run this again.`,
  },
  {
    of: 'node',
    reason: 'reserved',
    says: ({ shown: { reservation = null } }) =>
      reservation === null
        ? undefined
        : `it is locked by ${reservation as string}: wait until that is over; if that conductor is gone, start it, which frees its locks.`,
  },
  {
    of: 'node',
    reason: 'power-failure',
    says: ({ shown: { fault = null }, running }) =>
      running && fault === 'power failure'
        ? 'the source ends its maintenance by itself once the BMC answers, and would drive the machine again: unset and set its maintenance yourself, which clears the fault, or stop the conductors and give --source-is-stopped.'
        : undefined,
  },
  ...(['node', 'deploy_template', 'runbook', 'inspection_rule', 'volume_target'] as const).map(secretsOf),
  {
    of: 'allocation',
    reason: 'in-progress',
    says: ({ shown: { state } }) =>
      state === 'allocating' ? 'it looks for a node: wait until it is active or has failed, or delete it.' : undefined,
  },
];

const warnings: readonly Rule[] = [
  {
    of: 'node',
    reason: 'instance-secrets',
    says: ({ read: { missing } }) => {
      const left = missing.filter(([field]) => field === 'instance_info');
      if (left.length === 0) return undefined;
      return `${pathText(left)} is not known and left out: a rebuild needs it again. --database has it.`;
    },
  },
  {
    of: 'node',
    reason: 'console',
    says: ({ shown }) =>
      shown['console_enabled'] === true ? 'its console is not moved: start it here, once there is one.' : undefined,
  },
];

const told = (rules: readonly Rule[], name: ResourceName, given: Given): Told[] =>
  rules.flatMap(({ of, reason, says }) => {
    const detail = of === name ? says(given) : undefined;
    return detail === undefined ? [] : [{ reason, detail }];
  });

const strangers = ({ read: { strange } }: Given): Told[] =>
  strange.map((field) => ({
    reason: 'unknown-field',
    detail: `${field} has no place here and is left out: note it in extra at the source, if it is needed.`,
  }));

/** Why the record can not be moved, the first reason first; and what its operator should know of it besides. */
export const judge = (name: ResourceName, given: Given): { refusals: readonly Told[]; warnings: readonly Told[] } => ({
  refusals: told(refusals, name, given),
  warnings: [...told(warnings, name, given), ...strangers(given)],
});
