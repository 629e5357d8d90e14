/** A database server that an importer reads from, as the operator names it. */
import { readFileSync } from 'node:fs';

import { Fault, Invalid } from '../../layers/domain/fault.ts';
import { mask } from '../../layers/domain/masking.ts';

const mysql = { kind: 'mysql', port: 3306 } as const;
const postgresql = { kind: 'postgresql', port: 5432 } as const;

/** By its URL's scheme, with the usual port; SQLAlchemy's names of drivers (`mysql+pymysql`) are left out of it. */
const schemes = { mysql, mariadb: mysql, postgresql, postgres: postgresql } as const;

export type Server = {
  readonly kind: 'mysql' | 'postgresql';
  readonly host: string;
  readonly port: number;
  /** A UNIX socket (PostgreSQL: its folder), in place of host and port. */
  readonly socket: string | undefined;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  /** The certificate that the server's own has to be signed by, PEM. */
  readonly ca: string | undefined;
  /** What texts are in there, if the tables say another character set than they hold. MySQL only. */
  readonly charset: string | undefined;
  /** As in Access. */
  readonly live: boolean;
  readonly option: 'source' | 'database';
};

/** How a server is reached, besides its URL. */
export type Access = {
  readonly password?: string | undefined;
  readonly ca?: string | undefined;
  readonly charset?: string | undefined;
  /** Talk to another machine without TLS. */
  readonly plaintext?: boolean;
  /**
   * Somebody goes on writing to it meanwhile, and what is read has to be of now: each reading sees a moment of its own. (An
   * SQLite file, which has one writer or readers, is not held then.)
   */
  readonly live?: boolean;
  /** The option that names it, and what the options and the variable for it begin with. */
  readonly option?: 'source' | 'database';
};

const isHere = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(host);

const certificate = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw Invalid(`The file ${path} can not be read.`, error);
  }
};

const schemeIn = (text: string): string | undefined => /^([a-z]\w*)(?:\+\w+)?:\/\//i.exec(text)?.[1]!.toLowerCase();

/** What kind of server this names; undefined: it names a file. */
export const serverKindOf = (text: string): 'mysql' | 'postgresql' | undefined => {
  const scheme = schemeIn(text) ?? '';
  return Object.hasOwn(schemes, scheme) ? schemes[scheme as keyof typeof schemes].kind : undefined;
};

/**
 * The path of a file that is named as `sqlite:///PATH` or by itself. Throws Invalid for other URLs, without them: they may
 * have a password in them.
 */
export const pathIn = (text: string): string => {
  const path = text.replace(/^sqlite:\/\/\//i, '');
  const scheme = schemeIn(path);
  if (scheme === undefined) return path;
  throw Invalid(
    `A database is mysql://USER@HOST/DATABASE, postgresql://..., sqlite:///PATH or the path of a file, not ${scheme}://.`,
  );
};

/**
 * Reads what names a server, `mysql://USER@HOST[:PORT]/DATABASE` or `postgresql://...`, either with `?socket=PATH`. Throws Invalid, also for a
 * password in it, which everybody on the machine could read, and for passwords that would go over the network in clear.
 */
export const readServer = (
  text: string,
  { password, ca, charset, plaintext = false, live = false, option = 'source' }: Access,
): Server => {
  if (!URL.canParse(text)) throw Invalid(`--${option} is no URL: write mysql://USER@HOST/DATABASE or a path.`);
  const { protocol, hostname, port, username, password: shown, pathname, searchParams } = new URL(text);
  if (shown !== '') {
    throw Invalid(
      `A password in --${option} can be read by everybody on this machine: leave it out, and put it into INGOT_${option.toUpperCase()}_PASSWORD or --${option}-password-file.`,
    );
  }
  const scheme = schemes[protocol.slice(0, -1).split('+')[0]! as keyof typeof schemes];
  const [database, socket] = [decodeURIComponent(pathname.slice(1)), searchParams.get('socket') ?? undefined];
  if (database === '' || username === '') throw Invalid(`--${option} has to name the user and the database.`);
  if (!isHere(hostname) && socket === undefined && ca === undefined && !plaintext) {
    throw Invalid(
      `The passwords in the database would come from ${hostname} in clear: give --${option}-ca FILE, or --${option}-plaintext if that network is yours alone.`,
    );
  }
  return {
    kind: scheme.kind,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? scheme.port : Number(port),
    socket,
    database,
    user: decodeURIComponent(username),
    password,
    ca: ca === undefined ? undefined : certificate(ca),
    charset,
    live,
    option,
  };
};

/** For people. */
export const serverName = ({ kind, host, port, socket, database }: Server): string =>
  `the ${kind === 'mysql' ? 'MySQL' : 'PostgreSQL'} database ${database} at ${socket ?? `${host}:${port}`}`;

/** What a driver says, as a Fault (503). A driver may quote what it was given, so the password is taken out of it. */
export const sourceFailed = (server: Server, error: unknown): Fault => {
  const said = error instanceof Error ? error.message || String((error as { code?: unknown }).code) : 'no reason given';
  const text = server.password ? said.replaceAll(server.password, mask) : said;
  return new Fault('SourceFailed', 503, `${serverName(server)} can not be read: ${text}`);
};
