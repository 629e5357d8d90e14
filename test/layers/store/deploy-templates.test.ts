/** The deploy templates that an instance asks for by its traits. */
import { describe, expect, it } from 'vitest';

import { countedUuid } from '../../../layers/platform/memory/ids.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { deployTemplatesOf } from '../../../layers/store/deploy-templates.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { removeRecord, createRecord, changeRecord } from '../../../layers/store/records/change.ts';

const steps = [{ interface: 'bios' as const, step: 'apply_configuration', args: {}, priority: 90 }];

const store = async (...names: string[]) => {
  const platform = createMemoryPlatform();
  for (const [at, name] of names.entries()) {
    await createRecord(platform, kinds.deploy_template, {
      uuid: countedUuid(at + 1),
      name,
      description: null,
      steps,
      extra: {},
      created_at: '2026-01-01T00:00:00.000+00:00',
      updated_at: null,
      position: `0${at}`,
      revision: 1,
    });
  }
  return platform;
};

describe('the deploy templates of traits', () => {
  it('are those with the name of one of them, in the order of the traits', async () => {
    const { table } = await store('CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C');
    const found = await deployTemplatesOf(table, ['CUSTOM_C', 'HW_CPU_X86_VMX', 'CUSTOM_A', 'CUSTOM_C']);
    expect(found).toEqual([
      { name: 'CUSTOM_C', steps },
      { name: 'CUSTOM_A', steps },
    ]);
  });

  it('are none without traits', async () => {
    const { table } = await store('CUSTOM_A');
    expect(await deployTemplatesOf(table, [])).toEqual([]);
  });

  it('follow a new name, and a removal', async () => {
    const platform = await store('CUSTOM_A', 'CUSTOM_B');
    await changeRecord(platform, kinds.deploy_template, countedUuid(1), () => ({ set: { name: 'CUSTOM_Z' } }));
    await removeRecord(platform, kinds.deploy_template, countedUuid(2));
    const found = await deployTemplatesOf(platform.table, ['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_Z']);
    expect(found.map(({ name }) => name)).toEqual(['CUSTOM_Z']);
  });
});
