/** The Ironic that a command reads, and where its secrets are. Credentials come from the environment or from files. */
import { setTimeout as sleep } from 'node:timers/promises';

import { Invalid } from '../layers/domain/fault.ts';
import { baseOf } from '../layers/platform/apis.ts';
import { credentialsOf, secretIn, textOf } from '../migrate/credentials.ts';
import { type Ironic, openIronic } from '../migrate/ironic/api.ts';
import { movedTables } from '../migrate/ironic/beside.ts';
import type { Replacement } from '../migrate/ironic/record.ts';
import { checkDatabase, secretsOfDatabase } from '../migrate/ironic/secrets-database.ts';
import { secretsOfFile } from '../migrate/ironic/secrets-file.ts';
import { noSecrets, type Secrets } from '../migrate/ironic/secrets.ts';
import { openService } from '../migrate/service.ts';
import { openSource } from '../migrate/sources/open.ts';
import type { Source } from '../migrate/sources/source.ts';
import type { Access } from '../migrate/sources/server.ts';
import type { World } from './command.ts';

/** The options that name it. */
export const sourceOptions = {
  source: { type: 'string' },
  'source-auth': { type: 'string', default: 'none' },
  'source-user': { type: 'string' },
  'source-password-file': { type: 'string' },
  'source-token-file': { type: 'string' },
  'source-is-stopped': { type: 'boolean', default: false },
  replace: { type: 'string', multiple: true, default: [] as string[] },
} as const;

export const secretOptions = {
  database: { type: 'string' },
  'database-password-file': { type: 'string' },
  'database-ca': { type: 'string' },
  'database-plaintext': { type: 'boolean', default: false },
  secrets: { type: 'string' },
} as const;

/** How the help shows them. */
export const sourceUsage = `
      --source URL          of the Ironic; --source-auth none|basic|token, --source-user NAME; secrets are in
                            INGOT_SOURCE_PASSWORD or --source-password-file, INGOT_SOURCE_TOKEN or --source-token-file
      --replace FIELD:FROM=TO
                            nodes get another driver or interface, such as boot_interface:ipxe=redfish-virtual-media`;

type Texts<Options> = { readonly [O in keyof Options]?: string | boolean | readonly string[] | undefined };
type SourceValues = Texts<typeof sourceOptions> & {
  readonly source?: string | undefined;
  readonly 'source-auth': string;
  readonly 'source-user'?: string | undefined;
  readonly 'source-password-file'?: string | undefined;
  readonly 'source-token-file'?: string | undefined;
};

/** Connects. Throws Invalid, and what the source is refused for. */
export const openSourceIronic = async (values: SourceValues, env: World['env']): Promise<Ironic> => {
  if (values.source === undefined) throw Invalid('--source says where the Ironic is that is moved: its URL.');
  const credentials = credentialsOf(values, 'source-', 'INGOT_SOURCE', env);
  return openIronic(openService('The source', baseOf(values.source), credentials), sleep);
};

/** Throws Invalid. */
export const replacementsOf = (texts: readonly string[]): Replacement[] =>
  texts.map((text) => {
    const [, field, from, to] = /^(driver|\w+_interface):([^=]+)=(.+)$/.exec(text) ?? [];
    if (field !== undefined) return { field, from: from!, to: to! };
    throw Invalid(`--replace is FIELD:FROM=TO with driver or an interface, not "${text}".`);
  });

type SecretValues = {
  readonly [O in 'database' | 'database-password-file' | 'database-ca' | 'secrets']?: string | undefined;
} & { readonly 'database-plaintext': boolean };

/** How the server that --database names is reached. */
export const databaseAccess = (values: SecretValues, env: World['env']): Access => ({
  password: secretIn(values['database-password-file'], 'INGOT_DATABASE_PASSWORD', env),
  ca: values['database-ca'],
  plaintext: values['database-plaintext'],
  option: 'database',
});

export type OpenSecrets = {
  readonly secrets: Secrets;
  /** Where they are, if it is a database. */
  readonly source?: Source;
  close(): Promise<void>;
};

/** Opens where the secrets are; nothing is known of them without an option. Throws Invalid, Fault SourceFailed (503). */
export const openSecrets = async (values: SecretValues, env: World['env']): Promise<OpenSecrets> => {
  const { database, secrets: file } = values;
  if (database !== undefined && file !== undefined) throw Invalid('--database and --secrets are two places: give one.');
  const close = async (): Promise<void> => undefined;
  if (file !== undefined) return { secrets: secretsOfFile(textOf(file)), close };
  if (database === undefined) return { secrets: noSecrets, close };
  const access = { ...databaseAccess(values, env), live: true };
  const source = await openSource(database, access, movedTables);
  try {
    await checkDatabase(source);
  } catch (error) {
    await source.close();
    throw error;
  }
  return { secrets: secretsOfDatabase(source), source, close: source.close };
};
