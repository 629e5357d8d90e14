/** What the simulator can be told on its command line. */
import { parseArgs } from 'node:util';

import { Invalid } from '../layers/domain/fault.ts';
import { profileNames, type ProfileName } from './profiles.ts';

export type Options = {
  /** How many machines there are. */
  readonly machines: number;
  /** Ports on 127.0.0.1; 0: the one used last time with this state directory, else any free one. */
  readonly port: number;
  readonly controlPort: number;
  /** The first of as many ports as there are machines: at each is the BMC of one, without a path before /redfish. 0: none. */
  readonly ownPorts: number;
  readonly stateDir: string;
  /** Identities and times of the machines follow from it. */
  readonly seed: number;
  /** Real seconds per second of the machines' time. */
  readonly scale: number;
  /** Where the agent in deploy.iso calls. */
  readonly apiUrl: string;
  /** Given to the machines in turn. */
  readonly profiles: readonly ProfileName[];
};

const flags = {
  machines: { type: 'string', default: '3' },
  port: { type: 'string', default: '6386' },
  'control-port': { type: 'string', default: '6387' },
  'own-ports': { type: 'string', default: '0' },
  'state-dir': { type: 'string', default: '.ingot/simulator' },
  seed: { type: 'string', default: '1' },
  scale: { type: 'string', default: '0.05' },
  'api-url': { type: 'string', default: 'http://127.0.0.1:6385' },
  profiles: { type: 'string', default: 'plain' },
  'with-parent': { type: 'boolean', default: false },
} as const;

const number = (name: string, text: string, min: number, max: number, whole = true): number => {
  const value = Number(text);
  const good = text.trim() !== '' && value >= min && value <= max && (!whole || Number.isInteger(value));
  if (good) return value;
  throw Invalid(`--${name} must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}, not "${text}".`);
};

const isProfile = (name: string): name is ProfileName => profileNames.includes(name as ProfileName);

const parseProfiles = (text: string): ProfileName[] =>
  text.split(',').map((name) => {
    if (isProfile(name)) return name;
    throw Invalid(`--profiles takes names out of ${profileNames.join(', ')}, separated by commas, not "${name}".`);
  });

const parseUrl = (text: string): string => {
  if (/^https?:/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw Invalid(`--api-url must be an http or https URL, not "${text}".`);
};

const parseFlags = (args: string[]) => {
  try {
    return parseArgs({ args, options: flags, strict: true }).values;
  } catch (cause) {
    throw Invalid(`${(cause as Error).message} Known are: --${Object.keys(flags).join(', --')}.`, cause);
  }
};

/** Reads the command line. Throws Invalid with a sentence that names the flag. */
export const parseOptions = (args: string[]): Options & { withParent: boolean } => {
  const values = parseFlags(args);
  const machines = number('machines', values.machines, 0, 9999);
  return {
    machines,
    port: number('port', values.port, 0, 65_535),
    controlPort: number('control-port', values['control-port'], 0, 65_535),
    ownPorts: number('own-ports', values['own-ports'], 0, 65_536 - Math.max(1, machines)),
    stateDir: values['state-dir'],
    seed: number('seed', values.seed, 0, 2 ** 31 - 1),
    scale: number('scale', values.scale, 0.0001, 10, false),
    apiUrl: parseUrl(values['api-url']),
    profiles: parseProfiles(values.profiles),
    withParent: values['with-parent'],
  };
};
