import { afterEach, describe, expect, it } from 'vitest';

import { awsOpener, awsSealer } from '../../../../layers/platform/aws/platform.ts';
import { createAwsOpener, createAwsSealer } from '../../../../layers/platform/aws/secrets.ts';
import { describeSecrets } from '../../../conformance/secrets.ts';
import { createMemorySecrets } from '../../../../layers/platform/memory/secrets.ts';
import { type Line, type Scripted, serveScript } from './scripted-server.ts';
import type { Seen } from './signature.ts';

type Input = {
  readonly EncryptionContext: { node: string; name: string };
  readonly Plaintext: string;
  readonly CiphertextBlob: string;
};

const refuse = (code: string): Scripted => ({ status: 400, body: { __type: `com.amazonaws.kms#${code}` } });

/** KMS, as far as the platform needs it: the context is authenticated, empty text refused, 4096 bytes the most. */
const createKms = () => {
  const inner = createMemorySecrets();
  const encrypt = async ({ Plaintext, EncryptionContext }: Input): Promise<Scripted> => {
    const plain = Buffer.from(Plaintext, 'base64');
    if (plain.length === 0 || plain.length > 4096) return refuse('ValidationException');
    const sealed = await inner.seal(plain.toString('latin1').slice(0, 3000), EncryptionContext);
    return { body: { CiphertextBlob: Buffer.from(`${sealed}|${Plaintext}`).toString('base64') } };
  };
  const decrypt = async ({ CiphertextBlob, EncryptionContext }: Input): Promise<Scripted> => {
    const [sealed = '', Plaintext = ''] = Buffer.from(CiphertextBlob, 'base64').toString().split('|');
    return inner.open(sealed, EncryptionContext).then(
      () => ({ body: { Plaintext } }),
      () => refuse('InvalidCiphertextException'),
    );
  };
  return async ({ headers, body }: Seen) => {
    const input = JSON.parse(body.toString()) as Input;
    return headers['x-amz-target'] === 'TrentService.Encrypt' ? encrypt(input) : decrypt(input);
  };
};

const closers: (() => Promise<void>)[] = [];

const open = async (...script: Line[]) => {
  const { site, seen, close } = await serveScript(...script);
  closers.push(close);
  const needs = { site, keyId: 'key-1' };
  return { secrets: { ...createAwsSealer(needs), ...createAwsOpener(needs) }, seen };
};

describeSecrets('secrets with KMS', async () => (await open(createKms())).secrets);

// A test server or AWS is used when there is one: INGOT_KMS_ENDPOINT and KMS_KEY_ID name it.
if (process.env['INGOT_KMS_ENDPOINT']) {
  describeSecrets('secrets with KMS, for real', async () => ({ ...awsSealer(process.env), ...awsOpener(process.env) }));
}

describe('secrets with KMS', () => {
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
  const context = { node: 'n', name: 'redfish_password' };

  it('name the key and the context in each request', async () => {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const { secrets, seen } = await open(
      { body: { CiphertextBlob: base64('sealed') } },
      { body: { Plaintext: base64('scalvin') } },
    );
    const sealed = await secrets.seal('calvin', context);
    expect(await secrets.open(sealed, context)).toBe('calvin');
    expect(seen.map(({ headers, signed }) => [headers['x-amz-target'], headers['content-type'], signed])).toEqual([
      ['TrentService.Encrypt', 'application/x-amz-json-1.1', true],
      ['TrentService.Decrypt', 'application/x-amz-json-1.1', true],
    ]);
    for (const { body } of seen) {
      expect(JSON.parse(body.toString())).toMatchObject({ KeyId: 'key-1', EncryptionContext: context });
    }
  });

  it('are asked for again while KMS is throttled', async () => {
    const { secrets, seen } = await open(
      { status: 400, body: { __type: 'ThrottlingException' } },
      { body: { Plaintext: Buffer.from('scalvin').toString('base64') } },
    );
    expect(await secrets.open('c2VhbGVk', context)).toBe('calvin');
    expect(seen).toHaveLength(2);
  });

  it('leave no words of KMS in a log, because they quote values', async () => {
    const { secrets } = await open({ status: 400, body: { __type: 'ValidationException', message: 'not calvin' } });
    const fault = await secrets.seal('calvin', context).catch((error: Error) => error);
    expect(fault).toMatchObject({
      message: 'KMS could not encrypt with key key-1 (ValidationException), try again.',
      cause: { name: 'ValidationException', message: 'The service answered 400 ValidationException.' },
    });
  });

  it('are Unavailable, not lost, when KMS does not answer', async () => {
    const { secrets } = await open('drop', 'drop', 'drop');
    await expect(secrets.open('c2VhbGVk', context)).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
  });
});
