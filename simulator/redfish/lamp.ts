/** Lamps of the system, the chassis and the drive. */
import { settingsOf } from '../settings.ts';
import { done, refusal, type Act, type Call } from './call.ts';

const states = ['Lit', 'Blinking', 'Off'] as const;

/** Properties that are lamps; a PATCH with one of them is for `patchLamp`. */
export const lampNames: readonly string[] = ['IndicatorLED', 'LocationIndicatorActive'];

/** The lamp of the resource that is asked for, in the spelling of the profile. */
export const lampOf = ({ machine, profile, ask }: Call): Record<string, unknown> => {
  const state = settingsOf(machine).lamps[ask.path] ?? 'Off';
  return profile.lamp === 'led' ? { IndicatorLED: state } : { LocationIndicatorActive: state !== 'Off' };
};

const wantedState = ({ body, profile }: Call): (typeof states)[number] => {
  const [name, value] = Object.entries(body)[0] ?? [];
  const strange = Object.keys(body).find((other) => other !== lampNames[profile.lamp === 'led' ? 0 : 1]);
  if (!name || strange) throw refusal('Base.1.16.PropertyUnknown', strange ?? '');
  const state = typeof value === 'boolean' ? (value ? 'Lit' : 'Off') : states.find((one) => one === value);
  if (!state || (typeof value === 'boolean') === (profile.lamp === 'led')) {
    throw refusal('Base.1.16.PropertyValueNotInList', name);
  }
  return state;
};

/** PATCH of a lamp and of nothing else. */
export const patchLamp: Act = (call) => {
  const { world, machine, ask } = call;
  const settings = settingsOf(machine);
  machine.settings = { ...settings, lamps: { ...settings.lamps, [ask.path]: wantedState(call) } };
  world.changed(machine);
  return done;
};
