/** Steps on interfaces that are fake: done at once. As with Ironic's, BIOS settings are kept as they were asked for. */
import type { BiosSetting } from '../../../layers/bmc/settings.ts';
import { argumentsOf, nameOf, requireFakeStep } from '../../../layers/domain/machine-steps.ts';
import type { PlannedStep, StepKind } from '../../../layers/domain/steps.ts';
import { keepBios, listBios } from '../../../layers/store/machine-settings.ts';
import type { Go } from './own-steps.ts';
import type { PhaseContext } from './phase.ts';

/** Nobody knows what else there is to say of it. */
const settingOf = (name: string, value: unknown): BiosSetting => ({
  name,
  value,
  attribute_type: null,
  allowable_values: null,
  lower_bound: null,
  max_length: null,
  min_length: null,
  read_only: null,
  reset_required: null,
  unique: null,
  upper_bound: null,
});

const applySettings = async ({ node, platform }: PhaseContext, step: PlannedStep): Promise<void> => {
  const { settings } = argumentsOf(step) as { settings: readonly Pick<BiosSetting, 'name' | 'value'>[] };
  const before = await listBios(platform.table, node.uuid);
  const values = new Map([...before, ...settings].map(({ name, value }) => [name, value]));
  await keepBios(
    platform,
    node,
    [...values].map(([name, value]) => settingOf(name, value)),
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
