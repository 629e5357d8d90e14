/** Steps on interfaces that are fake: done at once. As with Ironic's, BIOS settings are kept as they were asked for. */
import { type BiosSetting, undescribed } from '../../../layers/bmc/settings.ts';
import { argumentsOf, nameOf, requireFakeStep } from '../../../layers/domain/machine-steps.ts';
import type { PlannedStep, StepKind } from '../../../layers/domain/steps.ts';
import { keepBios, listBios } from '../../../layers/store/machine-settings.ts';
import type { Go } from './own-steps.ts';
import type { PhaseContext } from './phase.ts';

const applySettings = async ({ node, platform }: PhaseContext, step: PlannedStep): Promise<void> => {
  const { settings } = argumentsOf(step) as { settings: readonly Pick<BiosSetting, 'name' | 'value'>[] };
  const before = await listBios(platform.table, node.uuid);
  const values = new Map([...before, ...settings].map(({ name, value }) => [name, value]));
  await keepBios(
    platform,
    node,
    [...values].map(([name, value]) => ({ name, value, ...undescribed })),
  );
};

const forgetSettings = async ({ node, platform }: PhaseContext): Promise<void> => keepBios(platform, node, []);

const kept: { readonly [name: string]: (context: PhaseContext, step: PlannedStep) => Promise<void> } = {
  'bios.apply_configuration': applySettings,
  'bios.factory_reset': forgetSettings,
};

/** May be repeated. Throws Invalid for a step that nobody has. */
export const pretend = async (context: PhaseContext, kind: StepKind, step: PlannedStep): Promise<Go> => {
  requireFakeStep(kind, step);
  await kept[nameOf(step)]?.(context, step);
  return { is: 'ended' };
};
