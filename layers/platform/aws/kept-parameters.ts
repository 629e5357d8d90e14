/** Secret texts in SSM's Parameter Store, as an operator writes them; functions read them by `ssm.ts`. */
import {
  DeleteParameterCommand,
  paginateGetParametersByPath,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';

import { Conflict, NotFound, Unavailable } from '../../domain/fault.ts';
import { settingsOf, siteOf } from './client.ts';

/** The operator may read SSM's own words: they are about names, and about who may do what. */
const explain = (error: Error): never => {
  throw Unavailable(`SSM did not do it: ${error.name}: ${error.message}`, error);
};

/** In the account and region that `env` leads the SDK to. All throw Unavailable (503). */
export const openKeptParameters = (env: Readonly<Record<string, string | undefined>>) => {
  const client = new SSMClient(settingsOf(siteOf(env, 'SSM')));
  return {
    /** Throws Conflict (409) for one that is there, unless it is to be replaced. */
    put: async (name: string, text: string, replace: boolean): Promise<void> => {
      const command = new PutParameterCommand({ Name: name, Value: text, Type: 'SecureString', Overwrite: replace });
      await client.send(command).catch((error: Error) => {
        if (error instanceof ParameterAlreadyExists) throw Conflict(`There is a parameter ${name} already.`, error);
        return explain(error);
      });
    },
    /** Throws NotFound (404). */
    remove: async (name: string): Promise<void> => {
      await client.send(new DeleteParameterCommand({ Name: name })).catch((error: Error) => {
        if (error instanceof ParameterNotFound) throw NotFound(`There is no parameter ${name}.`, error);
        return explain(error);
      });
    },
    /** The names and texts of all that are below a path. */
    list: async (path: string): Promise<(readonly [name: string, text: string])[]> => {
      const found: (readonly [string, string])[] = [];
      const read = async () => {
        for await (const { Parameters = [] } of paginateGetParametersByPath(
          { client },
          { Path: path, WithDecryption: true },
        )) {
          found.push(...Parameters.map(({ Name = '', Value = '' }) => [Name, Value] as const));
        }
      };
      await read().catch(explain);
      return found;
    },
  };
};
