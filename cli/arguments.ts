/** What an operator wrote behind the name of a command. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

import { Invalid } from '../layers/domain/fault.ts';

/** Node's own words, without what it says of `--`. */
const refusing = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw Invalid(`${(error as Error).message.split(/\.(?:\s|$)/)[0]}. \`npx ingot --help\` shows the usage.`, error);
  }
};

/** The options of a command that takes nothing else. Throws Invalid. */
export const readOptions = <const O extends ParseArgsOptionsConfig>(args: readonly string[], options: O) =>
  refusing(() => parseArgs({ args: [...args], options })).values;

/** `values` of the options, and `positionals` besides. Throws Invalid. */
export const readArguments = <const O extends ParseArgsOptionsConfig>(args: readonly string[], options: O) =>
  refusing(() => parseArgs({ args: [...args], options, allowPositionals: true }));
