import type { LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';

import { createAwsFunctions } from '../../../../layers/store/aws/functions.ts';
import { createScriptedClient } from './client.ts';

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const open = (...answers: (object | Error)[]) => {
  const { client, sent } = createScriptedClient<LambdaClient>(answers);
  return { functions: createAwsFunctions({ client, functions: { 'bmc-proxy': 'ingot-proxy' } }), sent };
};

describe('functions on Lambda', () => {
  it('get the payload and give the answer', async () => {
    const { functions, sent } = open({ Payload: json({ is: 'done' }) });
    expect(await functions.invoke('bmc-proxy', { op: 'probe' })).toEqual({ is: 'done' });
    expect(sent[0]!.input).toEqual({ FunctionName: 'ingot-proxy', Payload: '{"op":"probe"}' });
  });

  it('may answer nothing', async () => {
    const { functions } = open({ Payload: json(null) }, {});
    expect(await functions.invoke('bmc-proxy', {})).toBeNull();
    expect(await functions.invoke('bmc-proxy', {})).toBeUndefined();
  });

  it('that fail are Faults of their own name and message', async () => {
    const { functions } = open(
      { FunctionError: 'Unhandled', Payload: json({ errorType: 'BmcBusy', errorMessage: 'Try again.', trace: [] }) },
      { FunctionError: 'Unhandled' },
    );
    await expect(functions.invoke('bmc-proxy', {})).rejects.toMatchObject({ name: 'BmcBusy', message: 'Try again.' });
    await expect(functions.invoke('bmc-proxy', {})).rejects.toMatchObject({
      name: 'Unhandled',
      message: 'Function bmc-proxy failed.',
    });
  });

  it('that nobody named, or that cannot be called, say so', async () => {
    const { functions } = open(Object.assign(new Error('slow down'), { name: 'TooManyRequestsException' }));
    await expect(functions.invoke('sync', {})).rejects.toMatchObject({ name: 'FunctionUnknown' });
    await expect(functions.invoke('bmc-proxy', {})).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
  });
});
