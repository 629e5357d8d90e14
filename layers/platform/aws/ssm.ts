/** Secret texts in SSM's Parameter Store (SecureString). */
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';

import { Fault, Unavailable } from '../../domain/fault.ts';
import type { ParameterStore } from '../platform.ts';
import { settingsOf, type Site, withoutWords } from './client.ts';

/** ms: the authorizer, who alone asks, has ten seconds for everything, and three tries have to end before. */
export const silence = 1_500;

/** Throws Fault `Configuration` (500) for one that is not there, Unavailable (503). */
export const createAwsParameters = ({ site = {} }: { readonly site?: Site }): ParameterStore => {
  const client = new SSMClient(settingsOf({ silence, ...site }));
  return {
    read: async (name) => {
      const command = new GetParameterCommand({ Name: name, WithDecryption: true });
      const { Parameter } = await client.send(command).catch((error: Error) => {
        const cause = withoutWords(error);
        if (error instanceof ParameterNotFound)
          throw new Fault('Configuration', 500, `There is no SSM parameter ${name}.`, { cause });
        throw Unavailable(`The SSM parameter ${name} could not be read (${error.name}).`, cause);
      });
      return Parameter?.Value ?? '';
    },
  };
};
