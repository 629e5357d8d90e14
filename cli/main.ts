/** `npx ingot`: what an operator does beside the API. One row a command, its name is one or two words. */
import { Invalid, isFault } from '../layers/domain/fault.ts';
import { type Command, plain } from './command.ts';
import { nodesConvert } from './convert.ts';
import { exportIronic } from './export-ironic.ts';
import { updateDeployImages } from './flavors.ts';
import { importIronic } from './import-ironic.ts';
import { importNovaBm } from './import-nova-bm.ts';
import { importNovaServers } from './import-nova-servers.ts';
import { verify } from './ledger.ts';
import { takeoverStart, takeoverStatus } from './takeover.ts';
import { usersAdd, usersList, usersRemove } from './users.ts';
import { verifyIronic } from './verify-ironic.ts';

const commands: Readonly<Record<string, Command>> = {
  'export ironic': exportIronic,
  'flavors update-deploy-images': updateDeployImages,
  'import ironic': importIronic,
  'import nova-bm': importNovaBm,
  'import nova-servers': importNovaServers,
  'ledger verify': verify,
  'nodes convert': nodesConvert,
  'takeover start': takeoverStart,
  'takeover status': takeoverStatus,
  'users add': usersAdd,
  'users list': usersList,
  'users remove': usersRemove,
  'verify ironic': verifyIronic,
};

const help = (): string => {
  const lines = Object.entries(commands).map(([name, { usage, doc }]) => `  ingot ${name} ${usage}\n      ${doc}`);
  return ['npx ingot <command>', '', ...lines].join('\n');
};

const print = (line: string): void => void process.stdout.write(`${plain(line).replaceAll('\n', String.raw`\n`)}\n`);
const draw = (text: string): void => void process.stderr.write(text);
const world = { env: process.env, print, now: Date.now, ...(process.stderr.isTTY && { draw }) };

const run = async (args: readonly string[]): Promise<number> => {
  if (args.length === 0 || args.includes('--help')) {
    process.stdout.write(`${help()}\n`);
    return args.length === 0 ? 2 : 0;
  }
  const name = [args.slice(0, 2).join(' '), args[0]!].find((words) => Object.hasOwn(commands, words));
  if (name === undefined)
    throw Invalid(`There is no command "${args.slice(0, 2).join(' ')}": see \`npx ingot --help\`.`);
  return commands[name]!.run(args.slice(name.split(' ').length), world);
};

/** What whoever is ended by the end of its reader answers in a shell: 128 and the number of SIGPIPE. */
const unread = 141;

// Such as `npx ingot ... | head`: nobody is left who could be told, and what was done is done.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(unread);
});

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const text = isFault(error) ? error.message : `unexpected: ${error instanceof Error ? error.stack : String(error)}`;
  process.stderr.write(`ingot: ${plain(text)}\n`);
  process.exitCode = 2;
}
