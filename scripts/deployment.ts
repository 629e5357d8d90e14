/** What is deployed, as tables: context values, settings, functions with their grants. */
import { contextDocs } from '../infra/context.ts';
import { type FunctionRow, functions, type Grant, settings, workflows } from '../infra/manifest.ts';
import { table } from './markdown.ts';

const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** What a function may do, in words. */
const grants: { readonly [G in Exclude<Grant, `invoke:${string}`>]: string } = {
  table: 'read and write the table',
  'table:read': 'read the table',
  objects: 'put, get and delete configdrives and inventories',
  'objects:inventories': 'put inventories',
  'objects:agents': 'put, get and delete media of agents',
  'workflows:start': 'start, describe and stop executions',
  'workflows:callback': 'complete task tokens',
  seal: 'encrypt with the secrets key',
  open: 'decrypt with the secrets key',
  parameters: 'read the SSM parameter of `keystone_credentials`, if there is one',
};

const grantText = (grant: Grant): string =>
  grant.startsWith('invoke:') ? `invoke ${grant.slice('invoke:'.length)}` : grants[grant as keyof typeof grants];

export const contextTable = (): string =>
  table(
    ['context', 'default', 'meaning'],
    contextDocs().map(({ name, default: value, doc }) => [code(name), code(value), doc]),
  );

export const settingTable = (): string =>
  table(
    ['setting', 'default', 'meaning'],
    Object.entries(settings).map(([name, { default: value, doc }]) => [code(name), code(value), doc]),
  );

export const functionTable = (): string =>
  table(
    ['function', 'memory', 'time limit', 'may', 'what it is'],
    Object.entries(functions as Record<string, FunctionRow>).map(([name, row]) => [
      code(name),
      `${row.memory} MB`,
      `${row.timeout} s`,
      row.grants.map(grantText).join('; ') || 'nothing',
      row.doc + (row.network ? ' In the hardware network.' : ''),
    ]),
  );

export const workflowTable = (): string =>
  table(
    ['workflow', 'what for'],
    Object.entries(workflows).map(([name, { doc }]) => [code(name), doc]),
  );
