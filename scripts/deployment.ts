/** What is deployed, as tables: context values, settings, functions with their grants. */
import { contextDocs } from '../infra/context.ts';
import { calledBy, type Grant, type GrantName, grants } from '../infra/grants.ts';
import { type FunctionRow, functions, settings, workflows } from '../infra/manifest.ts';
import { table } from './markdown.ts';

const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** What a function may do, in words. */
const grantText = (grant: Grant): string => {
  const called = calledBy(grant);
  return called ? `invoke ${called}` : grants[grant as GrantName].doc;
};

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
