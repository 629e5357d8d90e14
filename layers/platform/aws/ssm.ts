/** Secret texts in SSM's Parameter Store (SecureString). */
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';

import { Fault, Unavailable } from '../../domain/fault.ts';
import type { ParameterStore } from '../platform.ts';
import { settingsOf, type Site, withoutWords } from './client.ts';

/** ms: the authorizer, who alone asks, has ten seconds for everything, and three tries have to end before. */
export const silence = 1_500;

export const createAwsParameters = ({ site = {} }: { readonly site?: Site }): ParameterStore => {
  const client = new SSMClient(settingsOf({ silence, ...site }));
  const find = async (name: string): Promise<string | undefined> => {
    const command = new GetParameterCommand({ Name: name, WithDecryption: true });
    try {
      const { Parameter } = await client.send(command);
      return Parameter?.Value ?? '';
    } catch (error) {
      if (error instanceof ParameterNotFound) return undefined;
      throw Unavailable(`The SSM parameter ${name} could not be read (${(error as Error).name}).`, withoutWords(error));
    }
  };
  return {
    find,
    read: async (name) => {
      const text = await find(name);
      if (text === undefined) throw new Fault('Configuration', 500, `There is no SSM parameter ${name}.`);
      return text;
    },
  };
};
