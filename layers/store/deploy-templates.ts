/** Deploy templates: found by UUID or name, and by the traits that an instance asks for. */
import { deployTemplate, type DeployTemplate } from '../domain/deploy-template.ts';
import type { Table } from '../platform/table.ts';
import { toRecord } from './kinds/form.ts';
import { guardKey } from './kinds/key.ts';
import { keyOf } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';

/** What a deployment takes from one. */
export type AskedTemplate = Pick<DeployTemplate, 'name' | 'steps'>;

const kind = kinds.deploy_template;

/** Those whose name is one of these traits, in the order of the traits. Two reads, however many traits there are. */
export const deployTemplatesOf = async (table: Table, traits: readonly string[]): Promise<AskedTemplate[]> => {
  const names = [...new Set(traits)];
  const guards = await table.getMany(names.map((name) => guardKey(deployTemplate.name.unique, name)));
  const uuids = guards.flatMap((guard) => (guard ? [guard[kind.name] as string] : []));
  const found = await table.getMany(uuids.map((uuid) => keyOf(kind, uuid)));
  const templates = found.flatMap((item) => (item ? [toRecord(kind, item)] : []));
  // One that was renamed or removed between the two reads is no longer asked for.
  return templates.filter(({ name }) => names.includes(name)).map(({ name, steps }) => ({ name, steps }));
};
