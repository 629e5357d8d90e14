/** What runs besides the tests: LocalStack with the functions that it starts, DynamoDB Local, the programs of the CDK. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { freePort, sleep, until } from '../machine/system.ts';

const root = new URL('../..', import.meta.url).pathname;

/** What run.sh has installed. */
const home = join(root, '.localstack');

/** Of one run, kept until the next for who wants to know what happened. */
export const folder = join(home, 'run');

export type Background = { readonly endpoint: string; stop(): Promise<void> };

/** How long it may take to end by itself, ms. */
const patience = 20_000;

/** The group of a process: whatever it has started and not ended, such as functions that are frozen. */
const endGroup = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** The settings of somebody's own account reach nobody here. */
const ownEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS|CDK|INGOT|VITEST|NODE)_/.test(name)));

type Program = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly endpoint: string;
  /** Whether it answers by now. */
  ready(): Promise<boolean>;
};

/** Starts a program that answers at `endpoint`. run.sh knows it by its pid file, if the tests die before they stop it. */
const startBackground = async ({ name, command, args, env, endpoint, ready }: Program): Promise<Background> => {
  const logFile = join(folder, `${name}.log`);
  const log = openSync(logFile, 'w');
  const child = spawn(command, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...ownEnvironment(), ...env },
  });
  closeSync(log);
  await once(child, 'spawn');
  const pid = child.pid!;
  const pidFile = join(folder, `${name}.pid`);
  writeFileSync(pidFile, `${pid}`);
  const gone = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await Promise.race([gone, sleep(patience)]);
    endGroup(pid);
    rmSync(pidFile, { force: true });
  };
  const ended = gone.then(([code]) => {
    throw new Error(`${name} ended with ${String(code)} before it answered:\n${readFileSync(logFile, 'utf8')}`);
  });
  try {
    await Promise.race([until(name, ready, 600), ended]);
  } catch (error) {
    await stop();
    throw error;
  }
  void ended.catch(() => undefined);
  return { endpoint, stop };
};

const answers = async (url: string, isReady: (answer: Response) => boolean): Promise<boolean> =>
  fetch(url).then(isReady, () => false);

const jars = join(home, 'dynamodb');

/** An empty folder for what this run keeps. */
export const beginRun = (): void => {
  rmSync(folder, { recursive: true, force: true });
  for (const name of ['tmp', 'logs', 'records', 'root/var/lib/localstack'])
    mkdirSync(join(folder, name), { recursive: true });
  symlinkSync(join(home, 'lib'), join(folder, 'root/var/lib/localstack/lib'));
};

/** LocalStack without Docker: the plugin beside this file runs functions as processes, and does what its edition lacks. */
export const startLocalStack = async (): Promise<Background> => {
  const at = `127.0.0.1:${await freePort()}`;
  return startBackground({
    name: 'localstack',
    command: join(home, 'venv/bin/python'),
    args: ['-m', 'localstack.runtime.main'],
    env: {
      // A container without Docker counts as LocalStack's own image otherwise, and FILESYSTEM_ROOT as nothing.
      OVERRIDE_IN_DOCKER: '0',
      FILESYSTEM_ROOT: join(folder, 'root'),
      TMPDIR: join(folder, 'tmp'),
      GATEWAY_LISTEN: at,
      LOCALSTACK_HOST: at,
      DNS_ADDRESS: '0',
      // It tells nobody of itself and fetches nothing.
      DISABLE_EVENTS: '1',
      SKIP_SSL_CERT_DOWNLOAD: '1',
      // Otherwise every link is as good as a signed one.
      S3_SKIP_SIGNATURE_VALIDATION: '0',
      DYNAMODB_IN_MEMORY: '1',
      // Streams of DynamoDB Local itself; the first provider wants a Kinesis that it would have to fetch.
      PROVIDER_OVERRIDE_DYNAMODB: 'v2',
      PROVIDER_OVERRIDE_DYNAMODBSTREAMS: 'v2',
      LAMBDA_RUNTIME_EXECUTOR: 'process',
      LAMBDA_PROCESS_NODE: process.execPath,
      LAMBDA_PROCESS_LOGS: join(folder, 'logs'),
      INGOT_DYNAMODB_JARS: jars,
      INGOT_RECORDS: join(folder, 'records'),
    },
    endpoint: `http://${at}`,
    ready: async () => answers(`http://${at}/_localstack/health`, ({ ok }) => ok),
  });
};

/** Amazon's DynamoDB Local by itself, which refuses what DynamoDB refuses. */
export const startDynamoDbLocal = async (): Promise<Background> => {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  return startBackground({
    name: 'dynamodb-local',
    command: 'java',
    // Shared: otherwise each who asks by another name has tables of his own.
    args: [
      '-Xmx256m',
      `-Djava.library.path=${jars}`,
      '-cp',
      `${jars}:${jars}/*`,
      'Loopback',
      '-port',
      `${port}`,
      '-inMemory',
      '-sharedDb',
      '-disableTelemetry',
    ],
    endpoint,
    // A request without a signature is refused, by somebody who is there.
    ready: async () => answers(endpoint, () => true),
  });
};

/** Who asks LocalStack: any account will do. */
export const clientEnvironment = (endpoint: string): Record<string, string> => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'eu-central-1',
  AWS_DEFAULT_REGION: 'eu-central-1',
});

/** Runs the CDK CLI, in the folder of its app unless it needs none. Throws with what it said if it does not succeed. */
export const cdk = async (endpoint: string, args: readonly string[], cwd = root): Promise<string> => {
  const child = spawn(join(root, 'node_modules/.bin/cdk'), [...args, '--no-notices', '--no-color'], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The app is TypeScript, which this Node runs, and the shell's may not.
    env: {
      ...ownEnvironment(),
      ...clientEnvironment(endpoint),
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    },
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`cdk ${args.join(' ')} ended with ${code}:\n${output}`);
  return output;
};
