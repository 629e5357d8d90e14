/** Servers of the Compute API as tables: their states, what can be done with them, the limits of projects. */
import { states } from '../layers/domain/baremetal/states.ts';
import { provisionStates } from '../layers/domain/baremetal/transitions.ts';
import { actions, impossible, type ActionRow } from '../layers/domain/compute/actions.ts';
import { limitsOf, quotas } from '../layers/domain/compute/quota.ts';
import { fates, statusOf, taskStates, vmStates } from '../layers/domain/compute/server-states.ts';
import { table } from './markdown.ts';

const code = (text: string): string => `\`${text}\``;
const list = (values: readonly string[]): string => values.map(code).join(', ');

/** Each state with the tasks during which the status is another. */
export const statusTable = (): string =>
  table(
    ['vm_state', 'status', 'status during a task'],
    vmStates.map((vm_state) => {
      const plain = statusOf({ vm_state, task_state: null });
      const others = taskStates
        .map((task_state) => [task_state, statusOf({ vm_state, task_state })] as const)
        .filter(([, status]) => status !== plain);
      return [code(vm_state), code(plain), others.map(([task, status]) => `${code(task)}: ${code(status)}`).join(', ')];
    }),
  );

/** What provision states make of the server on a node; states that make nothing of it are not there. */
export const fateTable = (): string =>
  table(
    ['node', 'vm_state', 'task_state'],
    Object.entries(fates).map(([fate, { vm_state, task_state }]) => [
      list(provisionStates.filter((state) => states[state].server === fate)),
      vm_state === 'kept' || vm_state === 'by power' ? vm_state : code(vm_state),
      task_state === null ? 'none' : code(task_state),
    ]),
  );

const range = ({ since, until }: ActionRow): string =>
  [since && `from 2.${since}`, until && `until 2.${until}`].filter(Boolean).join(' ');

const effectOf = ({ effect }: ActionRow): string => {
  if (!effect) return '';
  const [[kind, value]] = Object.entries(effect) as [[string, string | readonly string[]]];
  return `${kind}: ${(typeof value === 'string' ? [value] : value).map(code).join(', else ')}`;
};

const actionRow = ([name, row]: readonly [string, ActionRow]): string[] => [
  row.body === undefined ? name : code(row.body),
  [row.doc, range(row), row.admin && 'Administrators only.'].filter(Boolean).join(' '),
  row.vm_states ? list(row.vm_states) : 'any',
  row.idle ? 'none' : 'any',
  row.task_state ? code(row.task_state) : '',
  effectOf(row),
  String(row.status ?? 202),
];

export const actionTable = (): string =>
  table(
    ['action', 'meaning', 'in vm_state', 'during task', 'sets task_state', 'asks of the node', 'status'],
    Object.entries<ActionRow>(actions).map(actionRow),
  );

/** Those that answer 501. */
export const impossibleTable = (): string => {
  const reasons = [...new Set(Object.values(impossible))];
  return table(
    ['action', 'because'],
    reasons.map((reason) => [list(Object.keys(impossible).filter((name) => impossible[name] === reason)), reason]),
  );
};

export const quotaTable = (): string => {
  const limits = limitsOf();
  return table(
    ['quota', 'limit', 'of what'],
    Object.entries(quotas).map(([name, { doc }]) => {
      const limit = limits[name as keyof typeof limits];
      return [code(name), limit === -1 ? 'none' : String(limit), doc];
    }),
  );
};
