/** The mode in which a machine starts (redfish.md 4.1, 4.2). */
import { bmcFault } from '../../layers/bmc/faults.ts';
import type { Quirks } from '../../layers/bmc/quirks.ts';
import { withBmc } from './bmc.ts';
import { modes } from './boot.ts';
import { findPlace, listedIn, type Place, shownOf } from './boot-override.ts';
import type { Call } from './call.ts';
import { firstAccepted } from './ensure.ts';
import { ensureSetting, type Standing } from './setting.ts';

const name = 'BootSourceOverrideMode';

const checkMode = (place: Place, wanted: string, { boot_mode_elsewhere: remedy }: Quirks): void => {
  const listed = listedIn(place, 'Mode');
  const advice = remedy ? ` ${remedy}` : '';
  if (listed.length > 0 ? listed.includes(wanted) : !remedy) return;
  const only = listed.length > 0 ? `, only in ${listed.join(', ')}` : '';
  throw bmcFault('BmcUnsupported', `The BMC cannot be told to boot in mode ${wanted}${only}.${advice}`);
};

const standing = ({ boot, active }: Place, wanted: string): Standing => {
  const next = boot[name] ?? active[name];
  if (next !== wanted) return 'other';
  return (active[name] ?? next) === wanted ? 'current' : 'pending';
};

/** Boards that lose or refuse what does not come with the other two fields get those as they are. */
const bodiesOf = (place: Place, wanted: string, quirks: Quirks): object[] => {
  const { BootSourceOverrideTarget, BootSourceOverrideEnabled } = shownOf(place);
  const whole = { Boot: { BootSourceOverrideTarget, BootSourceOverrideEnabled, [name]: wanted } };
  return quirks.boot_mode_always ? [whole] : [{ Boot: { [name]: wanted } }, whole];
};

/** Done when the BMC shows the mode, or has taken it for the next start. Throws BmcUnsupported. */
export const ensureMode = async (call: Call<'mode.ensure'>) => {
  const wanted = modes[call.params.mode];
  return withBmc(call, async (bmc) => {
    const { quirks } = await bmc.quirks();
    let place: Place;
    return ensureSetting(call, bmc, {
      what: `boot mode ${wanted}`,
      stands: async () => {
        place = await findPlace(bmc);
        return standing(place, wanted);
      },
      check: () => checkMode(place, wanted, quirks),
      send: async () => {
        const { path, etag } = place.at;
        return firstAccepted(
          bodiesOf(place, wanted, quirks).map((body) => async () => bmc.redfish.patch(path, body, etag)),
        );
      },
    });
  });
};
