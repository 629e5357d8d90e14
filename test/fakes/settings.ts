/** The settings in a function's environment as a deployment puts them there: all of them, at their defaults or as given. */
import { resolveSettings, variablesOf } from '../../infra/settings.ts';

export const environmentWith = (given: object = {}): Record<string, string> => ({
  ...variablesOf(resolveSettings(() => undefined)),
  ...given,
});
