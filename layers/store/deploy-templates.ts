/** Deploy templates: found by UUID or name, and by the traits that an instance asks for. */
import { deployTemplate, type DeployTemplate } from '../domain/deploy-template.ts';
import { guardKey } from './guards.ts';
import { records, type Keeping } from './records.ts';
import { recordKey } from './references.ts';
import type { Table } from '../platform/table.ts';

export type StoredDeployTemplate = DeployTemplate & Keeping;

const kind = { name: 'deploy_template', title: 'Deploy template', fields: deployTemplate };

/** What a deployment takes from one. */
export type AskedTemplate = Pick<DeployTemplate, 'name' | 'steps'>;

export const deployTemplates = records<StoredDeployTemplate>(kind);

/** Those whose name is one of these traits, in the order of the traits. Two reads, however many traits there are. */
export const deployTemplatesOf = async (table: Table, traits: readonly string[]): Promise<AskedTemplate[]> => {
  const names = [...new Set(traits)];
  const guards = await table.getMany(names.map((name) => guardKey(deployTemplate.name.unique, name)));
  const uuids = guards.flatMap((guard) => (guard ? [guard[kind.name] as string] : []));
  const found = await table.getMany(uuids.map((uuid) => recordKey(kind.name, uuid)));
  // One that was renamed or removed between the two reads is no longer asked for.
  return (found as readonly (DeployTemplate | undefined)[]).flatMap((template) =>
    template && names.includes(template.name) ? [{ name: template.name, steps: template.steps }] : [],
  );
};
