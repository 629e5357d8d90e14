/** Bios, its settings object and its registry; SecureBoot. Changes come true when the machine is started. */
import type { Answer } from '../http.ts';
import { atNextStart, biosRows, currentBios, factoryBios, settingsOf, type Value } from '../settings.ts';
import { done, link, refusal, type Act, type Call, type View } from './call.ts';
import { addJob } from './job.ts';

export const registryId = 'BiosAttributeRegistry.v1_0_0';

const system = ({ profile }: Call): string => `/Systems/${profile.ids.system}`;
const folder = (call: Call): string => `${system(call)}/Bios`;

const change = (call: Call, set: Partial<ReturnType<typeof settingsOf>>): void => {
  call.machine.settings = { ...settingsOf(call.machine), ...set };
  call.world.changed(call.machine);
};

/** What makers with jobs answer to a change that waits for the next start. */
const answerChange = (call: Call, name: string): Answer =>
  call.profile.bios.job ? addJob(call, name, atNextStart) : done;

/** The BIOS as the machine goes by it. */
export const bios: View = (call) => ({
  '@odata.type': '#Bios.v1_2_0.Bios',
  Id: 'Bios',
  Name: 'BIOS Configuration',
  ...(call.profile.bios.registry && { AttributeRegistry: registryId }),
  Attributes: currentBios(call.machine),
  '@Redfish.Settings': {
    '@odata.type': '#Settings.v1_3_5.Settings',
    SettingsObject: link(call.machine, `${folder(call)}/${call.profile.bios.settings}`),
    SupportedApplyTimes: ['OnReset'],
  },
  Actions: {
    '#Bios.ResetBios': { target: link(call.machine, `${folder(call)}/Actions/Bios.ResetBios`)['@odata.id'] },
  },
});

const checkSettings = ({ profile, params }: Call): void => {
  if (params['settings'] !== profile.bios.settings) throw refusal('Base.1.16.ResourceMissingAtURI');
};

/** What the next start brings: all values, or only those that change. */
export const biosSettings: View = (call) => {
  checkSettings(call);
  const { pending } = settingsOf(call.machine);
  const hidden = Object.fromEntries(Object.keys(pending).flatMap((name) => (isSecret(name) ? [[name, null]] : [])));
  return {
    '@odata.type': '#Bios.v1_2_0.Bios',
    Id: call.profile.bios.settings,
    Name: 'BIOS Configuration Pending Settings',
    Attributes: { ...(!call.profile.bios.job && currentBios(call.machine)), ...pending, ...hidden },
  };
};

const isSecret = (name: string): boolean => biosRows[name]?.type === 'Password';

const fits = (name: string, value: unknown): value is Value => {
  const { type, values, lower, upper, longest } = biosRows[name]!;
  if (type === 'Enumeration') return values!.includes(value as string);
  if (type === 'Integer') return Number.isInteger(value) && (value as number) >= lower! && (value as number) <= upper!;
  if (type === 'Boolean') return typeof value === 'boolean';
  return typeof value === 'string' && value.length <= longest!;
};

const attributesOf = ({ body }: Call): Record<string, Value> => {
  const { Attributes: wanted, ...others } = body;
  const strange = Object.keys(others).find((name) => name !== '@Redfish.SettingsApplyTime');
  if (strange) throw refusal('Base.1.16.PropertyUnknown', strange);
  if (!wanted || typeof wanted !== 'object') throw refusal('Base.1.16.PropertyMissing', 'Attributes');
  for (const [name, value] of Object.entries(wanted)) {
    if (!biosRows[name]) throw refusal('Base.1.16.PropertyUnknown', name);
    if (biosRows[name].readOnly || !fits(name, value)) throw refusal('Base.1.16.PropertyValueNotInList', name);
  }
  return wanted as Record<string, Value>;
};

/** PATCH of the settings object. */
export const patchBios: Act = (call) => {
  checkSettings(call);
  const wanted = attributesOf(call);
  change(call, { pending: { ...settingsOf(call.machine).pending, ...wanted } });
  return answerChange(call, 'BIOS configuration');
};

/** Factory settings with the next start. */
export const resetBios: Act = (call) => {
  change(call, { pending: factoryBios() });
  return answerChange(call, 'BIOS reset');
};

/** The registry that the service root's Registries lead to. */
export const biosRegistry: View = () => ({
  '@odata.type': '#AttributeRegistry.v1_3_8.AttributeRegistry',
  Id: registryId,
  Name: 'BIOS Attribute Registry',
  Language: 'en',
  OwningEntity: 'Ingot',
  RegistryVersion: '1.0.0',
  RegistryEntries: {
    Attributes: Object.entries(biosRows).map(([name, { type, values, lower, upper, longest, readOnly }]) => ({
      AttributeName: name,
      DisplayName: name,
      Type: type,
      ReadOnly: readOnly ?? false,
      ResetRequired: true,
      ...(values && { Value: values.map((value) => ({ ValueName: value, ValueDisplayName: value })) }),
      ...(lower !== undefined && { LowerBound: lower, UpperBound: upper }),
      ...(longest !== undefined && { MinLength: 0, MaxLength: longest }),
    })),
  },
});

const checkSecureBoot = ({ profile }: Call): void => {
  if (!profile.secure_boot) throw refusal('Base.1.16.ResourceMissingAtURI');
};

/** Where it shows at the next start only, the old value is shown until then. */
export const secureBoot: View = (call) => {
  checkSecureBoot(call);
  const { next, now } = settingsOf(call.machine).secure_boot;
  return {
    '@odata.type': '#SecureBoot.v1_1_0.SecureBoot',
    Id: 'SecureBoot',
    Name: 'UEFI Secure Boot',
    SecureBootEnable: call.profile.secure_boot === 'at_start' ? now : next,
    SecureBootCurrentBoot: now ? 'Enabled' : 'Disabled',
    SecureBootMode: 'UserMode',
  };
};

/** PATCH of SecureBootEnable; a machine that starts in Legacy mode has no secure boot. */
export const patchSecureBoot: Act = (call) => {
  checkSecureBoot(call);
  const { SecureBootEnable: next } = call.body;
  if (typeof next !== 'boolean') throw refusal('Base.1.16.PropertyMissing', 'SecureBootEnable');
  if (next && call.machine.boot.mode === 'Legacy')
    throw refusal('Base.1.16.PropertyValueNotInList', 'SecureBootEnable');
  change(call, { secure_boot: { ...settingsOf(call.machine).secure_boot, next } });
  return call.profile.secure_boot === 'at_start' ? addJob(call, 'Secure boot', atNextStart) : done;
};
