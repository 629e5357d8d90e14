import { afterEach, describe, expect, it, vi } from 'vitest';

import { createAwsFunctions } from '../../../../layers/platform/aws/functions.ts';
import { type Line, serveScript } from './scripted-server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const arn = 'arn:aws:lambda:eu-central-1:000000000000:function:ingot-proxy';

const open = async (...script: Line[]) => {
  const { site, seen, close } = await serveScript(...script);
  closers.push(close);
  return { functions: createAwsFunctions({ site, functions: { 'bmc-proxy': arn } }), seen };
};

const failed = (body?: unknown): Line => ({ headers: { 'X-Amz-Function-Error': 'Unhandled' }, body });

describe('functions on Lambda', () => {
  it('get the payload and give the answer', async () => {
    const { functions, seen } = await open({ body: { is: 'done' } });
    expect(await functions.invoke('bmc-proxy', { op: 'probe' })).toEqual({ is: 'done' });
    expect(seen[0]).toMatchObject({
      method: 'POST',
      path: `/2015-03-31/functions/${encodeURIComponent(arn)}/invocations`,
      signed: true,
    });
    expect(seen[0]!.body.toString()).toBe('{"op":"probe"}');
  });

  it('may answer nothing', async () => {
    const { functions } = await open({ body: null }, {});
    expect(await functions.invoke('bmc-proxy', {})).toBeNull();
    expect(await functions.invoke('bmc-proxy', {})).toBeUndefined();
  });

  it('that fail are Faults of their own name and message', async () => {
    const { functions } = await open(failed({ errorType: 'BmcBusy', errorMessage: 'Try again.', trace: [] }), failed());
    await expect(functions.invoke('bmc-proxy', {})).rejects.toMatchObject({ name: 'BmcBusy', message: 'Try again.' });
    await expect(functions.invoke('bmc-proxy', {})).rejects.toMatchObject({
      name: 'Unhandled',
      message: 'Function bmc-proxy failed.',
    });
  });

  it('are asked once only: they may be at work when the answer is lost', async () => {
    const { functions, seen } = await open('drop', { body: 'a second time' });
    await expect(functions.invoke('bmc-proxy', {})).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
    expect(seen).toHaveLength(1);
  });

  it('are part of the trace of the function that asks', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'workflow');
    vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-2-3');
    const { functions, seen } = await open({});
    await functions.invoke('bmc-proxy', {}).finally(() => vi.unstubAllEnvs());
    expect(seen[0]).toMatchObject({ headers: { 'x-amzn-trace-id': 'Root=1-2-3' }, signed: true });
  });

  it('that nobody named, or that cannot be called, say so', async () => {
    const { functions } = await open({ status: 429, headers: { 'x-amzn-ErrorType': 'TooManyRequestsException:http' } });
    await expect(functions.invoke('sync', {})).rejects.toMatchObject({ name: 'FunctionUnknown' });
    await expect(functions.invoke('bmc-proxy', {})).rejects.toMatchObject({
      name: 'Unavailable',
      code: 503,
      message: 'Function bmc-proxy could not be called (TooManyRequestsException), try again.',
    });
  });
});
