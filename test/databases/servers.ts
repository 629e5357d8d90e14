/**
 * Real servers, each in a new folder, on a free port of the loopback interface, gone with the test. Their programs are
 * those of the distribution: a test that does not find them fails, and says what to install.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { generate } from 'selfsigned';

import { makeCa } from '../fakes/bmc.ts';

/** What the importer may use: it may read nova_bm and nothing else. Both are in no output. */
export const reader = { user: 'nova', password: 'c4nary-of-the-source' } as const;

export type DatabaseServer = {
  readonly port: number;
  /** The certificate that signed the server's own. */
  readonly ca: string;
  /** Creates a database; `options`: what follows its name. */
  create(database: string, options?: string): Promise<void>;
  /** Runs statements as the administrator. */
  exec(database: string, sql: string): Promise<void>;
  /** Lets the importer read all that is in there by now. */
  grant(database: string): Promise<void>;
  /** What the server's own program writes. */
  dump(database: string, ...args: string[]): Promise<Buffer>;
  stop(): Promise<void>;
};

const install = 'apt-get install mariadb-server mariadb-client postgresql sqlite3';

const programIn = (folders: readonly string[], name: string): string => {
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`There is no ${name}: ${install}`);
  return found;
};

const usual = ['/usr/sbin', '/usr/bin', '/usr/local/bin'];

type Run = { readonly input?: string; readonly env?: Record<string, string> };

const run = async (program: string, args: readonly string[], { input = '', env = {} }: Run = {}): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const settings = { encoding: 'buffer', maxBuffer: 1 << 30, env: { ...process.env, ...env } } as const;
    const child = execFile(program, [...args], settings, (error, out, err) =>
      error ? reject(new Error(`${program}: ${err.toString() || error.message}`)) : resolve(out),
    );
    // A program that ends before it reads tells why itself.
    child.stdin!.on('error', () => undefined).end(input);
  });

const freePort = async (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

const newFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `ingot-${name}-`));
  chmodSync(folder, 0o755);
  return folder;
};

type Certificates = { readonly ca: string; readonly cert: string; readonly key: string };

/** For `localhost`, in files of the folder. */
const certify = async (folder: string): Promise<Certificates> => {
  const ca = await makeCa();
  const own = await generate([{ name: 'commonName', value: 'database' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    ca: { key: ca.private, cert: ca.cert },
  });
  const put = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  return { ca: put('ca.pem', ca.cert), cert: put('cert.pem', own.cert), key: put('key.pem', own.private) };
};

const patience = 60_000;

/** Until it answers. */
const ready = async (child: ChildProcess, answers: () => Promise<unknown>): Promise<void> => {
  const end = Date.now() + patience;
  for (let last: unknown; ;) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${child.exitCode}`);
    try {
      await answers();
      return;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error('the server does not answer', { cause: last });
    await sleep(200);
  }
};

const stopping = (child: ChildProcess, folder: string, signal: NodeJS.Signals) => async () => {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode === null && child.kill(signal)) await gone;
  rmSync(folder, { recursive: true, force: true });
};

export const startMariaDb = async (): Promise<DatabaseServer> => {
  const folder = newFolder('mariadb');
  const [data, socket, port] = [join(folder, 'data'), join(folder, 'socket'), await freePort()];
  const who = process.getuid?.() === 0 ? ['--user=root'] : [];
  await run(programIn(usual, 'mariadb-install-db'), [
    '--no-defaults',
    ...who,
    `--datadir=${data}`,
    // Several servers that start at once clear one folder for each other.
    `--tmpdir=${folder}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]);
  const { ca, cert, key } = await certify(folder);
  const where = [
    `--datadir=${data}`,
    `--tmpdir=${folder}`,
    `--socket=${socket}`,
    '--bind-address=127.0.0.1',
    `--port=${port}`,
  ];
  const tls = [`--ssl-cert=${cert}`, `--ssl-key=${key}`];
  const child = spawn(programIn(usual, 'mariadbd'), ['--no-defaults', ...who, ...where, ...tls], { stdio: 'ignore' });
  const admin = ['--no-defaults', '--user=root', `--socket=${socket}`, '--default-character-set=utf8mb4'];
  const client = programIn(usual, 'mariadb');
  const exec = async (database: string, sql: string) => {
    await run(client, [...admin, database], { input: sql });
  };
  await ready(child, () => exec('mysql', 'select 1'));
  const who127 = `${reader.user}@'127.0.0.1'`;
  await exec('mysql', `create user ${who127} identified by '${reader.password}'`);
  return {
    port,
    ca,
    exec,
    create: async (database, options = 'character set utf8') => exec('mysql', `create database ${database} ${options}`),
    grant: async (database) => exec('mysql', `grant select on ${database}.* to ${who127}`),
    dump: async (database, ...args) =>
      run(programIn(usual, 'mariadb-dump'), ['--no-defaults', '--user=root', `--socket=${socket}`, ...args, database]),
    stop: stopping(child, folder, 'SIGTERM'),
  };
};

const postgresqlFolders = (): string[] => {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => join(root, version, 'bin')), ...usual];
};

/** PostgreSQL refuses to run as root: then it runs as the user that its package made, who gets the files. */
const asOrdinary = async (...files: readonly string[]): Promise<readonly string[]> => {
  if (process.getuid?.() !== 0) return [];
  const id = async (option: string) => Number((await run('/usr/bin/id', [option, 'postgres'])).toString());
  const [uid, gid] = [await id('-u'), await id('-g')];
  for (const file of files) chownSync(file, uid, gid);
  return ['/usr/bin/setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'];
};

export const startPostgresql = async (): Promise<DatabaseServer> => {
  const folder = newFolder('postgresql');
  const [data, sockets, port] = [join(folder, 'data'), join(folder, 'sockets'), await freePort()];
  mkdirSync(sockets);
  chmodSync(sockets, 0o777);
  const secret = join(folder, 'password');
  writeFileSync(secret, 'of-the-administrator');
  const { ca, cert, key } = await certify(folder);
  const ordinary = await asOrdinary(folder, secret, cert, key);
  const bins = postgresqlFolders();
  const start = (program: string, args: string[]): [string, string[]] => {
    const [first, ...rest] = [...ordinary, programIn(bins, program), ...args];
    return [first!, rest];
  };
  await run(
    ...start('initdb', [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'scram-sha-256',
      `--pwfile=${secret}`,
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    ]),
  );
  const tls = ['-c', 'ssl=on', '-c', `ssl_cert_file=${cert}`, '-c', `ssl_key_file=${key}`];
  const where = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', sockets, '-F'];
  const child = spawn(...start('postgres', [...where, ...tls]), { stdio: 'ignore' });
  const env = { PGPASSWORD: 'of-the-administrator', PGCLIENTENCODING: 'UTF8' };
  const admin = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres'];
  const exec = async (database: string, sql: string) => {
    await run(programIn(bins, 'psql'), [...admin, '-q', '-v', 'ON_ERROR_STOP=1', '-d', database], { input: sql, env });
  };
  await ready(child, () => exec('postgres', 'select 1'));
  await exec('postgres', `create role ${reader.user} login password '${reader.password}'`);
  return {
    port,
    ca,
    exec,
    create: async (database, options = '') => exec('postgres', `create database ${database} ${options}`),
    grant: async (database) => exec(database, `grant select on all tables in schema public to ${reader.user}`),
    dump: async (database, ...args) => run(programIn(bins, 'pg_dump'), [...admin, ...args, database], { env }),
    // "Fast": sessions that are open do not hold it up.
    stop: stopping(child, folder, 'SIGINT'),
  };
};

/** What `sqlite3` writes of a database that the statements make. */
export const sqliteDump = async (sql: string): Promise<Buffer> => {
  const folder = newFolder('sqlite');
  try {
    const path = join(folder, 'nova.db');
    const sqlite = programIn(usual, 'sqlite3');
    await run(sqlite, [path], { input: `BEGIN; ${sql} COMMIT;` });
    return await run(sqlite, [path, '.dump']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Runs a script in the file of a database. */
export const loadSqlite = async (path: string, sql: string): Promise<void> => {
  await run(programIn(usual, 'sqlite3'), [path], { input: sql });
};
