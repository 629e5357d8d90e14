/**
 * The value of each setting. CDK and the one-machine runner both ask here, so that a value means the same in both: an
 * empty one is a value, and defaults stand in the manifest alone; functions have none of their own.
 */
import { z } from 'zod';

import { Invalid } from '../layers/domain/fault.ts';
import { type SettingName, settings as rows } from './manifest.ts';

export type Settings = Readonly<Record<SettingName, string>>;

type Kind = { readonly words: string; fits(value: string): boolean };

const wholeNumber: Kind = { words: 'a whole number', fits: (value) => /^\d+$/.test(value) };
const yesOrNo: Kind = { words: 'true or false', fits: (value) => z.stringbool().safeParse(value).success };

/** A default that is a number or a boolean stands for all values of its setting; workflow files take them unquoted. */
const kindOf = (standard: string): Kind | undefined => [wholeNumber, yesOrNo].find(({ fits }) => fits(standard));

const check = (name: SettingName, value: string): string => {
  const standard = rows[name].default;
  const kind = kindOf(standard);
  if (kind && !kind.fits(value)) {
    throw Invalid(`Setting ${name} has to be ${kind.words}, not "${value}"; without it, it is ${standard}.`);
  }
  return value;
};

/**
 * Every setting: as `given`, else as `fitting` the way of running, else the manifest's default. Throws Invalid, with the
 * name of the setting, for what is no number or boolean where the default is one.
 */
export const resolveSettings = (
  given: (name: SettingName) => string | undefined,
  fitting: Partial<Settings> = {},
): Settings =>
  Object.fromEntries(
    (Object.keys(rows) as SettingName[]).map((name) => [
      name,
      check(name, given(name) ?? fitting[name] ?? rows[name].default),
    ]),
  ) as Settings;

/** The environment variable in which a function finds a setting. */
export const variableOf = (name: string): string => `INGOT_${name.toUpperCase()}`;

/** All settings as environment variables. */
export const variablesOf = (settings: Settings): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [variableOf(name), value]));
