/**
 * Writes what the documents take from the code. `node scripts/reference.ts` brings them up to date;
 * `node scripts/reference.ts --check` changes nothing and exits 1 naming what is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'oxfmt';

import { apiPages } from './api.ts';
import { contextTable, functionTable, settingTable, workflowTable } from './deployment.ts';
import { endpoints } from './endpoints.ts';
import { eventsPage } from './events.ts';
import { fieldsPage } from './fields.ts';
import { driverTable } from './drivers.ts';
import { fill } from './markdown.ts';
import { extensionTable, networkFieldTables, networkPolicyTable, networkQuotaTable } from './networks.ts';
import { filterTable, operatorTable, policyTable, specTable, strategyTable } from './scheduling.ts';
import { actionTable, fateTable, impossibleTable, quotaTable, statusTable } from './servers.ts';
import { stateTable, statesPicture, verbTable } from './states.ts';

const root = new URL('..', import.meta.url);

const options = JSON.parse(readFileSync(new URL('.oxfmtrc.json', root), 'utf8')) as { printWidth: number };

/** A page as the formatter leaves it, so that the two never disagree. */
const formatted = async (path: string, text: string): Promise<string> => {
  const { code, errors } = await format(path, text, { printWidth: options.printWidth, singleQuote: true });
  if (errors.length > 0) throw new Error(`${path} cannot be formatted: ${errors[0]!.message}`);
  return code;
};

type Parts = { readonly [name: string]: () => string };

/** Pages that are written by hand but for the marked parts. */
const filled = (parts: Parts) => (page: string) =>
  Object.entries(parts).reduce((text, [name, make]) => fill(text, name, make()), page);

const pages: { readonly [path: string]: (page: string) => string } = {
  'docs/aws.md': filled({
    context: contextTable,
    settings: settingTable,
    functions: functionTable,
    workflows: workflowTable,
  }),
  'docs/compatibility.md': filled({ endpoints, verbs: verbTable, states: stateTable, drivers: driverTable }),
  'docs/servers.md': filled({
    statuses: statusTable,
    fates: fateTable,
    actions: actionTable,
    impossible: impossibleTable,
    quotas: quotaTable,
  }),
  'docs/guides/flavors-and-scheduling.md': filled({
    specs: specTable,
    operators: operatorTable,
    filters: filterTable,
    strategies: strategyTable,
    policies: policyTable,
  }),
  'docs/guides/networks.md': filled({
    fields: networkFieldTables,
    quotas: networkQuotaTable,
    extensions: extensionTable,
    rules: networkPolicyTable,
  }),
  ...apiPages,
  'docs/fields.md': fieldsPage,
  'docs/events.md': eventsPage,
  'docs/states.dot': statesPicture,
};

const read = (path: string): string => {
  try {
    return readFileSync(new URL(path, root), 'utf8');
  } catch {
    return '';
  }
};

const isCheck = process.argv.includes('--check');
const stale: string[] = [];
for (const [path, make] of Object.entries(pages)) {
  const before = read(path);
  const made = make(before);
  const after = /\.(md|json)$/.test(path) ? await formatted(path, made) : made;
  if (after === before) continue;
  stale.push(path);
  if (!isCheck) writeFileSync(new URL(path, root), after);
}
if (isCheck && stale.length > 0) {
  console.error(`Not up to date with the code: ${stale.join(', ')}. Run: npm run reference`);
  process.exit(1);
}
