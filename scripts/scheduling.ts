/** What the scheduler knows, as tables: extra specs, operators, filters, strategies, policies of server groups. */
import { specRows } from '../layers/domain/compute/extra-specs.ts';
import { operators } from '../layers/domain/compute/requirement.ts';
import { groupPolicies } from '../layers/domain/compute/server-group.ts';
import { filters } from '../layers/schedule/filters.ts';
import { strategies } from '../layers/schedule/strategies.ts';
import { table } from './markdown.ts';

const code = (text: string): string => `\`${text}\``;

/** Rows of a name and what it means. */
const named = (head: string, rows: { readonly [name: string]: { readonly doc: string } }): string =>
  table(
    [head, 'meaning'],
    Object.entries(rows).map(([name, { doc }]) => [code(name), doc]),
  );

export const specTable = (): string =>
  table(
    ['extra spec', 'meaning'],
    Object.values(specRows).map(({ shown, doc }) => [shown.split(', ').map(code).join(', '), doc]),
  );

export const operatorTable = (): string =>
  table(
    ['operator', 'holds for', 'example'],
    [
      ['none of these', 'a text that is equal, as a whole', code('uefi')],
      ...Object.entries(operators).map(([sign, { doc, example }]) => [code(sign), doc, code(example)]),
    ],
  );

export const filterTable = (): string => named('filter', filters);

export const strategyTable = (): string =>
  table(
    ['strategy', 'looks for', 'order'],
    Object.entries(strategies).map(([name, { doc, enough }]) => [code(name), `${enough} that fit`, doc]),
  );

export const policyTable = (): string => named('policy', groupPolicies);
