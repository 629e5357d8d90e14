/** What `npm start` may be told, after `--` or as environment variables; one row each. */
import { parseArgs } from 'node:util';

import { Invalid } from '../layers/domain/fault.ts';

type Row = {
  readonly env?: string;
  readonly value?: string;
  readonly default: string | number | boolean;
  readonly doc: string;
  read(text: string, where: string): string | number | boolean;
};

const number = (low: number, high: number, whole: boolean) => (text: string, where: string) => {
  const value = Number(text);
  const fits = text.trim() !== '' && value >= low && value <= high && (!whole || Number.isInteger(value));
  if (!fits)
    throw Invalid(`${where} has to be a ${whole ? 'whole ' : ''}number from ${low} to ${high}, not "${text}".`);
  return value;
};
const port = { value: 'PORT', read: number(0, 65_535, true) };
/** The one of the last time with the same state directory, so that machines keep their addresses, else any. */
const freePort = { ...port, default: 0 } as const;
const path = (text: string, where: string) => {
  if (text === '') throw Invalid(`${where} has to be a path, it is empty.`);
  return text;
};
const names = (text: string, where: string) => {
  if (!/^[a-z]+(,[a-z]+)*$/.test(text)) throw Invalid(`${where} has to be names with commas, not "${text}".`);
  return text;
};
const target = (text: string, where: string) => {
  if (text === '') throw Invalid(`${where} has to be a file or a URL, it is empty.`);
  return text;
};
const yes = (text: string, where: string) => {
  if (text !== '0' && text !== '1') throw Invalid(`${where} has to be 0 or 1, not "${text}".`);
  return text === '1';
};

/** A row without `value` is a switch: it is off unless given. */
const rows = {
  port: { ...port, env: 'INGOT_PORT', default: 6385, doc: 'port of the Bare Metal API' },
  'state-dir': { value: 'DIR', env: 'INGOT_STATE_DIR', default: '.ingot', read: path, doc: 'where everything is kept' },
  machines: {
    value: 'N',
    env: 'INGOT_MACHINES',
    default: 3,
    read: number(0, 9999, true),
    doc: 'how many simulated machines; 0: none, for real ones',
  },
  'no-demo': { default: false, read: yes, doc: 'only start, do not enrol and deploy (also INGOT_DEMO=0)' },
  once: { default: false, read: yes, doc: 'demo up to undeploy, then exit: 0 if every check of it held' },
  'simulator-port': { ...freePort, env: 'INGOT_SIMULATOR_PORT', doc: 'port of the simulated BMCs; 0: a free one' },
  'control-port': {
    ...freePort,
    env: 'INGOT_CONTROL_PORT',
    doc: 'port of the control of the simulator; 0: a free one',
  },
  profiles: {
    value: 'NAMES',
    env: 'INGOT_PROFILES',
    default: 'plain',
    read: names,
    doc: 'whose BMCs simulated machines have, in turn, such as dell,hpe',
  },
  scale: {
    value: 'X',
    env: 'INGOT_SCALE',
    default: 0.05,
    read: number(0.0001, 10, false),
    doc: 'how slow simulated machines are; 1: as slow as real ones',
  },
  events: {
    value: 'WHERE',
    env: 'INGOT_EVENTS',
    default: '',
    read: target,
    doc: 'file or URL to which events of nodes go',
  },
  help: { default: false, read: yes, doc: 'show this' },
} as const satisfies Record<string, Row>;

type Name = keyof typeof rows;
export type Options = {
  readonly [N in Name]: (typeof rows)[N]['default'] extends number
    ? number
    : (typeof rows)[N]['default'] extends boolean
      ? boolean
      : string;
};

const entries = Object.entries(rows) as [Name, Row][];

const parse = (args: readonly string[]): Record<string, string | boolean | undefined> => {
  const options = Object.fromEntries(
    entries.map(([name, row]) => [name, { type: row.value ? ('string' as const) : ('boolean' as const) }]),
  );
  try {
    const { values } = parseArgs({ args: [...args], options, allowPositionals: false, strict: true });
    return values;
  } catch (error) {
    // node's first sentence names the option; what follows explains its parser.
    const [sentence] = (error as Error).message.split(/\.(?:\s|$)/);
    throw Invalid(`${sentence}. \`npm start -- --help\` lists the options.`, error);
  }
};

/**
 * The options from command line and environment; the command line wins. Throws Invalid, one sentence that names the
 * option or variable.
 */
export const readOptions = (args: readonly string[], env: Readonly<Record<string, string | undefined>>): Options => {
  const given = parse(args);
  const options = Object.fromEntries(
    entries.map(([name, row]) => {
      const argument = given[name];
      if (typeof argument === 'string') return [name, row.read(argument, `--${name}`)];
      const variable = row.env === undefined ? undefined : env[row.env];
      return [name, argument ?? (variable === undefined ? row.default : row.read(variable, row.env!))];
    }),
  );
  const demo = env['INGOT_DEMO'] === undefined || yes(env['INGOT_DEMO'], 'INGOT_DEMO');
  return { ...options, 'no-demo': options['no-demo'] === true || !demo } as Options;
};

/** What `--help` shows. */
export const helpText = (): string => {
  const lines = entries.map(([name, { value, env, doc, default: standard }]) => {
    const left = `  --${name}${value ? ` ${value}` : ''}`.padEnd(26);
    const more = value ? [standard, env ?? ''].filter((text) => text !== '').join('; ') : '';
    return `${left}${doc}${more === '' ? '' : ` (${more})`}`;
  });
  return ['npm start -- [options]', '', ...lines, ''].join('\n');
};
