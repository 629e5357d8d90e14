/**
 * The state directory: `machines/<name>.json`, `faults.json`, `ports.json`, `certificate.json`. Every file is replaced
 * as a whole by a rename, so it is always the old or the new one. A machine that never changed has no file: the seed
 * makes it again.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Fault } from '../layers/domain/fault.ts';
import type { Machine } from './machine.ts';

export type StateFolder = {
  /** What the file holds; undefined if there is none. Throws Damaged. */
  read<T>(file: string): T | undefined;
  write(file: string, value: unknown): void;
  machines(): Map<string, Machine>;
};

/** Opens (and makes) a state directory. Files are for the owner only: they hold passwords and tokens. */
export const openStateFolder = (folder: string): StateFolder => {
  mkdirSync(join(folder, 'machines'), { recursive: true, mode: 0o700 });

  const read = <T>(file: string): T | undefined => {
    const path = join(folder, file);
    if (!existsSync(path)) return undefined;
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as T;
    } catch (cause) {
      const advice = `Remove it to start what it describes anew.`;
      throw new Fault('Damaged', 500, `The simulator's state file ${path} cannot be read. ${advice}`, { cause });
    }
  };
  const write = (file: string, value: unknown): void => {
    const path = join(folder, file);
    writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  };
  const machines = (): Map<string, Machine> => {
    const names = readdirSync(join(folder, 'machines')).filter((name) => name.endsWith('.json'));
    return new Map(names.map((name) => [name.slice(0, -5), read<Machine>(`machines/${name}`)!]));
  };
  return { read, write, machines };
};

const soonMs = 100;
/** Of the simulator's time, at most one part in so many goes into writing. */
const share = 10;

/** Writes machines down soon after they changed, many changes at once: the more of them change, the later. */
export const createSaver = (folder: StateFolder) => {
  let delayMs = soonMs;
  const dirty = new Set<Machine>();
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const begun = performance.now();
    for (const machine of dirty) folder.write(`machines/${machine.name}.json`, machine);
    dirty.clear();
    delayMs = Math.max(soonMs, share * (performance.now() - begun));
  };
  const changed = (machine: Machine): void => {
    if (closed) return;
    dirty.add(machine);
    timer ??= setTimeout(flush, delayMs);
  };
  /** Saves what is left; what changes after that is the end of the process, not of the machines' work. */
  const close = (): void => {
    flush();
    closed = true;
  };
  return { changed, close };
};
