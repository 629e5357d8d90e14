/** Lamps by which a person finds a machine or a part of it (redfish.md 4.1). */
import { bmcFault } from '../../layers/bmc/faults.ts';
import type { Observed } from '../../layers/bmc/operations.ts';
import { chassis, drive, storage, type Drive } from '../../layers/redfish-client/parts.ts';
import type { Resource } from '../../layers/redfish-client/client.ts';
import { withBmc, type Bmc } from './bmc.ts';
import { done, type Call, type Parsed } from './call.ts';
import { ensure, maySend } from './ensure.ts';
import { readAll, readMembers } from './resource.ts';

type Indicator = Observed<'indicator.list'>['indicators'][number];
type Component = Indicator['component'];
type State = Parsed<'indicator.ensure'>['state'];
/** All that is looked at is the same in a system, a chassis and a drive. */
type Lit = Resource<Pick<Drive, 'IndicatorLED' | 'IndicatorLED@Redfish.AllowableValues' | 'LocationIndicatorActive'>>;

const leds: Readonly<Record<State, string>> = { on: 'Lit', off: 'Off', blinking: 'Blinking' };
const states = Object.keys(leds) as State[];

/** A lamp that was switched may take so long to show. */
const lagMs = 15_000;

const linksOf = (links: readonly { '@odata.id': string }[] | null | undefined) =>
  (links ?? []).map((link) => link['@odata.id']);

const drives = async (bmc: Bmc): Promise<Lit[]> => {
  const all = await readMembers(bmc, (await bmc.system()).body.Storage, storage);
  return readAll(
    bmc,
    all.flatMap(({ body }) => linksOf(body.Drives)),
    drive,
  );
};

/** Redfish knows no lamps of power supplies and network cards that could be switched. */
const finders: Readonly<Record<Component, (bmc: Bmc) => Promise<readonly Lit[]>>> = {
  system: async (bmc) => [await bmc.system()],
  chassis: async (bmc) => readAll(bmc, linksOf((await bmc.system()).body.Links?.Chassis), chassis),
  disk: drives,
  power: async () => [],
  nic: async () => [],
};

const hasLamp = ({ body }: Lit) =>
  typeof body.IndicatorLED === 'string' || typeof body.LocationIndicatorActive === 'boolean';

/** The last part of the path; where two drives of different controllers share it, the controller's as well. */
const nameAll = (found: readonly Lit[]): Map<string, Lit> => {
  const tail = ({ path }: Lit, parts: number) => decodeURIComponent(path.split('/').slice(-parts).join('-'));
  const short = found.map((lit) => tail(lit, 1));
  const isShared = (name: string) => short.filter((other) => other === name).length > 1;
  return new Map(found.map((lit, at) => [isShared(short[at]!) ? tail(lit, 3) : short[at]!, lit]));
};

const lampsOf = async (bmc: Bmc, component: Component) => nameAll((await finders[component](bmc)).filter(hasLamp));

const stateOf = ({ body }: Lit): Indicator['state'] => {
  if (typeof body.IndicatorLED === 'string')
    return states.find((name) => leds[name] === body.IndicatorLED) ?? 'unknown';
  return body.LocationIndicatorActive ? 'on' : 'off';
};

/** Where the BMC does not list them, an LED takes all three and the newer LocationIndicatorActive is on or off. */
const statesOf = ({ body }: Lit): State[] => {
  if (typeof body.IndicatorLED !== 'string') return ['on', 'off'];
  const listed = body['IndicatorLED@Redfish.AllowableValues'] ?? Object.values(leds);
  return states.filter((name) => listed.includes(leds[name]));
};

/** Lamps of the system, its chassis and its drives. */
export const listIndicators = async (call: Call<'indicator.list'>) =>
  withBmc(call, async (bmc) => {
    const indicators: Indicator[] = [];
    for (const component of Object.keys(finders) as Component[]) {
      for (const [name, lit] of await lampsOf(bmc, component)) {
        indicators.push({ component, name, states: statesOf(lit), readonly: false, state: stateOf(lit) });
      }
    }
    return done<'indicator.list'>({ indicators });
  });

const find = async (bmc: Bmc, { component, name, state }: Parsed<'indicator.ensure'>): Promise<Lit> => {
  const lamps = await lampsOf(bmc, component);
  const lamp = lamps.get(name);
  if (!lamp) {
    const others = [...lamps.keys()].slice(0, 16).join(', ') || 'none';
    throw bmcFault('BmcNotFound', `The BMC has no indicator ${name} of component ${component}; there is: ${others}.`);
  }
  if (statesOf(lamp).includes(state)) return lamp;
  throw bmcFault('BmcUnsupported', `Indicator ${name} of component ${component} takes ${statesOf(lamp).join(', ')}.`);
};

/** Done when the BMC shows the lamp so. Throws BmcNotFound, BmcUnsupported. */
export const ensureIndicator = async (call: Call<'indicator.ensure'>) => {
  const { component, name, state } = call.params;
  return withBmc(call, async (bmc) => {
    let lamp: Lit;
    return ensure(call, {
      observe: async () => {
        lamp = await find(bmc, call.params);
        return stateOf(lamp) === state ? { so: {} } : { not: `The BMC does not show the indicator ${state} yet.` };
      },
      next: (entry) => {
        if (!maySend(call, entry, lagMs)) return undefined;
        const { path, etag, body } = lamp;
        const byLed = typeof body.IndicatorLED === 'string';
        const change = byLed ? { IndicatorLED: leds[state] } : { LocationIndicatorActive: state === 'on' };
        const what = `indicator ${name}@${component} ${state}`;
        return { what, repeatable: true, send: async () => bmc.redfish.patch(path, change, etag) };
      },
      task: bmc.redfish.task,
      quirks: async () => [],
    });
  });
};
