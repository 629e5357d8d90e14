/** A MySQL or MariaDB server, by `mysql2` (MIT). Texts come in the character set of their table, converted to UTF-8. */
import { isIP } from 'node:net';

import { createConnection, type RowDataPacket } from 'mysql2/promise';

import { Invalid } from '../../layers/domain/fault.ts';
import type { ReadTables } from './columns.ts';
import { type Server, serverName, sourceFailed } from './server.ts';
import { createSource, lastCharacter, shapeOf, type Source } from './source.ts';

/** What a driver's `typeCast` is asked about: one value as the server sent it. */
type Sent = { readonly type: string; buffer(): Buffer | null };

/** Texts as the operator says they are: the server sends the bytes that it keeps. */
const decoding = (charset: string) => {
  const decoder = new TextDecoder(charset);
  const isText = new Set(['VAR_STRING', 'STRING', 'BLOB', 'VARCHAR']);
  return (sent: Sent, next: () => unknown): unknown => {
    if (!isText.has(sent.type)) return next();
    const bytes = sent.buffer();
    return bytes === null ? null : decoder.decode(bytes);
  };
};

/** The driver takes any certificate of the authority from a server that is named by its address. */
const refuseAddress = ({ host, ca }: Server): void => {
  if (ca === undefined || isIP(host) === 0) return;
  throw Invalid(`With --source-ca a MySQL server has to be named as its certificate does, not by its address ${host}.`);
};

const connect = async (server: Server) => {
  const { host, port, socket, user, password, database, ca, charset, live } = server;
  const connection = await createConnection({
    ...(socket === undefined ? { host, port } : { socketPath: socket }),
    user,
    password: password ?? '',
    database,
    charset: 'utf8mb4',
    dateStrings: true,
    supportBigNumbers: true,
    ...(ca !== undefined && { ssl: { ca, verifyIdentity: true } }),
    ...(charset !== undefined && { typeCast: decoding(charset) }),
  });
  if (charset !== undefined) await connection.query('SET character_set_results = NULL');
  if (live) {
    await connection.query('SET SESSION TRANSACTION READ ONLY');
    return connection;
  }
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT');
  return connection;
};

/** The last character of a character set, as far as two of them agree. `utf8` is that of three bytes. */
const lastOf = (charset: unknown): number => {
  if (charset === null || charset === 'utf8mb4') return lastCharacter;
  return String(charset).startsWith('utf8') ? 0xffff : 0x7f;
};

/** Connects, and keeps to what the database holds at this moment unless it is read live. Throws Invalid, and Fault SourceFailed (503) as each reading does. */
export const openMysql = async (server: Server, tables: ReadTables): Promise<Source> => {
  const told = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw sourceFailed(server, error);
    });
  refuseAddress(server);
  const connection = await told(connect(server));
  const select = async (sql: string, values: readonly unknown[]) =>
    (await told(connection.query<RowDataPacket[]>(sql, [...values])))[0];
  const shapes = async (table: string) => {
    const sql = `select column_name as name, is_nullable as nullable, character_maximum_length as characters,
      character_octet_length as bytes, character_set_name as charset
      from information_schema.columns where table_schema = database() and table_name = ?`;
    const found = await select(sql, [table]);
    return new Map(found.map((row) => [(row['name'] as string).toLowerCase(), shapeOf(row, lastOf(row['charset']))]));
  };
  const close = async () => connection.end();
  return createSource({ name: serverName(server), shapes, select, parameter: () => '?', close }, tables);
};
