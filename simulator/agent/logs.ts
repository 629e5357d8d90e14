/** Command log.collect_system_logs: a real tar.gz, as operators unpack it. */
import { gzipSync } from 'node:zlib';

import type { Machine } from '../machine.ts';
import type { World } from '../world.ts';

const block = 512;

/** One file in ustar form (POSIX.1-1988): header, data padded to a block. */
const tarEntry = (name: string, text: string): Buffer => {
  const data = Buffer.from(text);
  const header = Buffer.alloc(block);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`;
  header.write(name, 0, 100);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(data.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, data, Buffer.alloc((block - (data.length % block)) % block)]);
};

/** The agent's journal: who asked what of this machine. */
export const collectLogs = (world: World, machine: Machine): { system_logs: string } => {
  const lines = world.log
    .list(machine.name)
    .map(({ at, side, method, path, status }) => `${new Date(at).toISOString()} ${side} ${method} ${path} ${status}`);
  const archive = Buffer.concat([tarEntry('journal', `${lines.join('\n')}\n`), Buffer.alloc(2 * block)]);
  return { system_logs: gzipSync(archive).toString('base64') };
};
