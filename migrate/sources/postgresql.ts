/** A PostgreSQL server, by `pg` (MIT). Values come as the server writes them, which are those of a dump too. */
import { Client } from 'pg';

import type { ReadTables } from './columns.ts';
import { type Server, serverName, sourceFailed } from './server.ts';
import { createSource, shapeOf, type Source } from './source.ts';

const connect = async (server: Server): Promise<Client> => {
  const { host, port, socket, user, password, database, ca, live } = server;
  const client = new Client({
    host: socket ?? host,
    port,
    user,
    password: password ?? '',
    database,
    ssl: ca === undefined ? false : { ca, rejectUnauthorized: true },
    types: { getTypeParser: () => (text: string) => text },
  });
  await client.connect();
  await client.query("SET client_encoding = 'UTF8'");
  await client.query("SET datestyle = 'ISO'");
  await client.query(
    live ? 'SET default_transaction_read_only = on' : 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  );
  return client;
};

/** Connects, and keeps to what the database holds at this moment unless it is read live. Throws Fault SourceFailed (503), as each reading does. */
export const openPostgresql = async (server: Server, tables: ReadTables): Promise<Source> => {
  const told = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw sourceFailed(server, error);
    });
  const client = await told(connect(server));
  // A connection that breaks between two questions is told by the next one.
  client.on('error', () => undefined);
  const select = async (sql: string, values: readonly unknown[]) =>
    (await told(client.query<Record<string, unknown>>(sql, [...values]))).rows;
  const shapes = async (table: string) => {
    const sql = `select column_name as name, is_nullable as nullable, character_maximum_length as characters,
      character_octet_length as bytes
      from information_schema.columns where table_schema = any (current_schemas(false)) and table_name = $1`;
    return new Map((await select(sql, [table])).map((row) => [(row['name'] as string).toLowerCase(), shapeOf(row)]));
  };
  const close = async () => client.end();
  return createSource({ name: serverName(server), shapes, select, parameter: (n) => `$${n}`, close }, tables);
};
