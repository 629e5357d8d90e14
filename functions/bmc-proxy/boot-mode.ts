/** The mode in which a machine starts (redfish.md 4.1, 4.2). */
import { bmcFault } from '../../layers/bmc/faults.ts';
import type { Quirks } from '../../layers/bmc/quirks.ts';
import { withBmc } from './bmc.ts';
import { findPlace, modes, type Place } from './boot.ts';
import type { Call } from './call.ts';
import { ensureSetting, type Standing } from './setting.ts';

const name = 'BootSourceOverrideMode';

const checkMode = ({ boot, active }: Place, wanted: string, { boot_mode_elsewhere: remedy }: Quirks): void => {
  const listed = [boot, active].flatMap((place) => place[`${name}@Redfish.AllowableValues`] ?? []);
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

/** Boards that lose what is not sent along get all three fields, the other two as they are. */
const bodyOf = ({ boot, active }: Place, wanted: string, quirks: Quirks): object => {
  const { BootSourceOverrideTarget, BootSourceOverrideEnabled } = boot.BootSourceOverrideTarget ? boot : active;
  const others = quirks.boot_mode_always ? { BootSourceOverrideTarget, BootSourceOverrideEnabled } : {};
  return { Boot: { ...others, [name]: wanted } };
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
      send: async () => bmc.redfish.patch(place.at.path, bodyOf(place, wanted, quirks), place.at.etag),
    });
  });
};
