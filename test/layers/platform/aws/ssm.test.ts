import { afterEach, describe, expect, it } from 'vitest';

import { createAwsParameters } from '../../../../layers/platform/aws/ssm.ts';
import { type Line, serveScript } from './scripted-server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const open = async (...script: Line[]) => {
  const { site, seen, close } = await serveScript(...script);
  closers.push(close);
  return { parameters: createAwsParameters({ site }), seen };
};

describe('a parameter of SSM', () => {
  it('is read decrypted', async () => {
    const { parameters, seen } = await open({ body: { Parameter: { Value: 'text' } } });
    expect(await parameters.read('/ingot/keystone')).toBe('text');
    expect(seen[0]).toMatchObject({ headers: { 'x-amz-target': 'AmazonSSM.GetParameter' }, signed: true });
    expect(JSON.parse(seen[0]!.body.toString())).toEqual({ Name: '/ingot/keystone', WithDecryption: true });
  });

  it('that is not there is named', async () => {
    const { parameters } = await open({ status: 400, body: { __type: 'ParameterNotFound' } });
    await expect(parameters.read('/a')).rejects.toMatchObject({
      name: 'Configuration',
      message: expect.stringContaining('/a'),
    });
  });

  it('that may be missing is undefined then', async () => {
    const { parameters } = await open(
      { status: 400, body: { __type: 'ParameterNotFound' } },
      { body: { Parameter: { Value: 'a' } } },
    );
    expect([await parameters.find('/a'), await parameters.find('/a')]).toEqual([undefined, 'a']);
  });

  it('is Unavailable when SSM can not be reached', async () => {
    const { parameters, seen } = await open('drop', 'drop', 'drop');
    await expect(parameters.read('/a')).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
    expect(seen).toHaveLength(3);
    await expect(parameters.find('/a')).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
  });
});
