import { ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';
import { expect, it } from 'vitest';

import { createAwsParameters } from '../../../../layers/platform/aws/ssm.ts';
import { createScriptedClient } from './client.ts';

it('reads a parameter decrypted', async () => {
  const { client, sent } = createScriptedClient<SSMClient>([{ Parameter: { Value: 'text' } }]);
  expect(await createAwsParameters({ client }).read('/ingot/keystone')).toBe('text');
  expect(sent).toEqual([{ command: 'GetParameterCommand', input: { Name: '/ingot/keystone', WithDecryption: true } }]);
});

it('names one that is not there, and tries nothing else when SSM can not be reached', async () => {
  const missing = new ParameterNotFound({ message: 'no', $metadata: {} });
  const { client } = createScriptedClient<SSMClient>([missing, new Error('socket')]);
  const parameters = createAwsParameters({ client });
  await expect(parameters.read('/a')).rejects.toMatchObject({
    name: 'Configuration',
    message: expect.stringContaining('/a'),
  });
  await expect(parameters.read('/a')).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
});
