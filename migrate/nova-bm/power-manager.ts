/** Which driver the nodes get: nova.conf says by which class nova-baremetal powered them (nova-bm-migration.md 3). */
import { Invalid } from '../../layers/domain/fault.ts';
import { type DriverName, drivers } from './drivers.ts';

/** What nova-baremetal had without a setting. */
const usual = 'nova.virt.baremetal.ipmi.IPMI';

/** `[baremetal] power_manager` of a nova.conf. Nothing else of it, which has passwords, is looked at. */
export const powerManagerIn = (config: string): string => {
  let section = '';
  let found = usual;
  for (const line of config.split(/\r?\n/)) {
    section = /^\[([^\]]*)\]/.exec(line)?.[1] ?? section;
    const [, value] = /^power_manager\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    if (section === 'baremetal' && value !== undefined) found = value;
  }
  return found;
};

const isDriver = (name: string): name is DriverName => Object.hasOwn(drivers, name);

/** Throws Invalid for a class that has no equal, if no driver is named. */
export const driverOf = (driver: string | undefined, powerManager: string): DriverName => {
  const choice = Object.keys(drivers).join(' or ');
  if (driver !== undefined) {
    if (isDriver(driver)) return driver;
    throw Invalid(`--driver is ${choice}, not "${driver}".`);
  }
  if (powerManager.endsWith('IPMI')) return 'ipmi';
  throw Invalid(
    `The power manager ${powerManager} has no equal here: say by --driver ${choice} what answers at the pm_address of the nodes.`,
  );
};
