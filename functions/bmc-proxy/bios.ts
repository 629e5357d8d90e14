/** Settings of the BIOS (redfish.md 4.1): read with what the registry says, changed for the next start. */
import { bmcFault } from '../../layers/bmc/faults.ts';
import type { Resource } from '../../layers/redfish-client/client.ts';
import { bios, type Bios } from '../../layers/redfish-client/parts.ts';
import { withBmc, type Bmc } from './bmc.ts';
import { readAttributes } from './bios-registry.ts';
import { done, type Call, type Parsed } from './call.ts';
import { firstAccepted } from './ensure.ts';
import { readRequired } from './resource.ts';
import { ensureSetting, type Standing } from './setting.ts';

type Attributes = Readonly<Record<string, unknown>>;

const readBios = async (bmc: Bmc) => readRequired(bmc, (await bmc.system()).body.Bios, bios, 'BIOS settings');

/** All settings; the value of a password is never told. Throws BmcUnsupported. */
export const getBios = async (call: Call<'bios.get'>) =>
  withBmc(call, async (bmc) => {
    const { body } = await readBios(bmc);
    const describe = await readAttributes(bmc, body.AttributeRegistry);
    const settings = Object.entries(body.Attributes ?? {}).map(([name, value]) => {
      const described = describe(name);
      return { name, value: described.attribute_type === 'Password' ? null : value, ...described };
    });
    return done<'bios.get'>({ settings });
  });

type Found = { readonly active: Resource<Bios>; readonly pending: Resource<Bios> };

const find = async (bmc: Bmc): Promise<Found> => {
  const active = await readBios(bmc);
  const link = active.body['@Redfish.Settings']?.SettingsObject;
  return { active, pending: await readRequired(bmc, link, bios, 'BIOS settings that can be changed') };
};

/** What clients write as text is meant as what the BIOS has there: "5" for 5, "true" for true. */
const like = (current: unknown, wanted: unknown): unknown => {
  if (typeof wanted !== 'string') return wanted;
  if (typeof current === 'number' && /^-?\d+$/.test(wanted.trim())) return Number(wanted);
  if (typeof current === 'boolean' && /^(true|false)$/i.test(wanted.trim())) return /^true$/i.test(wanted.trim());
  return wanted;
};

const wantedAttributes = (settings: Parsed<'bios.ensure'>['settings'], current: Attributes): Attributes => {
  const unknown = settings.filter(({ name }) => !Object.hasOwn(current, name)).map(({ name }) => name);
  if (unknown.length > 0) {
    throw bmcFault('BmcRejected', `The BIOS has no setting ${unknown.join(', ')}. GET bios lists those it has.`);
  }
  return Object.fromEntries(settings.map(({ name, value }) => [name, like(current[name], value)]));
};

/** Some BMCs list only what will change among the pending settings, others list all. */
const standing = ({ active, pending }: Found, wanted: Attributes): Standing => {
  const current = active.body.Attributes ?? {};
  const coming = pending.body.Attributes ?? {};
  const next = { ...current, ...coming };
  if (Object.entries(wanted).some(([name, value]) => next[name] !== value)) return 'other';
  return Object.entries(wanted).every(([name, value]) => current[name] === value) ? 'current' : 'pending';
};

const bodyOf = ({ active, pending }: Found, wanted: Attributes): object => {
  const times = [active, pending].flatMap(({ body }) => body['@Redfish.Settings']?.SupportedApplyTimes ?? []);
  const onReset = times.includes('OnReset') && { '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' } };
  return { Attributes: wanted, ...onReset };
};

/** Settings whose values are secrets, by their names: not every BMC has a registry that says so. */
const isSecret = ({ name }: { name: string }): boolean => /pass(word|phrase|wd)|secret/i.test(name);

/** Done when the BMC shows the values as current or as pending, or has taken them. Values are never recorded. */
export const ensureBios = async (call: Call<'bios.ensure'>) => {
  const { settings } = call.params;
  for (const { value } of settings.filter(isSecret)) {
    if (typeof value === 'string' || typeof value === 'number') call.conceal(String(value));
  }
  return withBmc(call, async (bmc) => {
    let found: Found;
    let wanted: Attributes = {};
    return ensureSetting(call, bmc, {
      what: `bios ${settings.map(({ name }) => name).join(' ')}`.slice(0, 200),
      stands: async () => {
        found = await find(bmc);
        wanted = wantedAttributes(settings, found.active.body.Attributes ?? {});
        return standing(found, wanted);
      },
      send: async () => bmc.redfish.patch(found.pending.path, bodyOf(found, wanted), found.pending.etag),
    });
  });
};

/** Done when the BMC has taken it. Throws BmcUnsupported. */
export const resetBios = async (call: Call<'bios.reset'>) =>
  withBmc(call, async (bmc) => {
    const target = (await readBios(bmc)).body.Actions?.['#Bios.ResetBios']?.target;
    if (!target) throw bmcFault('BmcUnsupported', 'The BMC offers no action to reset the BIOS.');
    return ensureSetting(call, bmc, {
      what: 'bios reset',
      unseen: true,
      stands: async () => 'other',
      // Some want no body, others an empty object (400).
      send: async () => firstAccepted([undefined, {}].map((body) => async () => bmc.redfish.post(target, body))),
    });
  });
