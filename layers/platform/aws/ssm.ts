/** Secret texts in SSM's Parameter Store (SecureString). */
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';

import { Fault, Unavailable } from '../../domain/fault.ts';
import type { ParameterStore } from '../platform.ts';

// For parameters.ts, which loads this file when it is needed, with the client.
export { SSMClient };

/** Throws Fault `Configuration` (500) for one that is not there, Unavailable (503). */
export const createAwsParameters = ({ client }: { readonly client: SSMClient }): ParameterStore => ({
  read: async (name) => {
    const command = new GetParameterCommand({ Name: name, WithDecryption: true });
    const { Parameter } = await client.send(command).catch((error: unknown) => {
      if (error instanceof ParameterNotFound)
        throw new Fault('Configuration', 500, `There is no SSM parameter ${name}.`, { cause: error });
      throw Unavailable(`The SSM parameter ${name} could not be read (${(error as Error).name}).`, error);
    });
    return Parameter?.Value ?? '';
  },
});
