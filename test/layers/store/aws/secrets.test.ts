import {
  type DecryptCommandInput,
  type EncryptCommandInput,
  InvalidCiphertextException,
  type KMSClient,
} from '@aws-sdk/client-kms';
import { describe, expect, it } from 'vitest';

import { createAwsOpener, createAwsSealer } from '../../../../layers/store/aws/secrets.ts';
import { createFakeSecrets } from '../../../fakes/secrets.ts';
import { describeSecrets } from '../../../conformance/secrets.ts';
import { createScriptedClient } from './client.ts';

/** KMS, as far as the port needs it: the context is authenticated, empty text refused, 4096 bytes the most. */
const createKms = (): KMSClient => {
  const inner = createFakeSecrets();
  const context = ({ EncryptionContext = {} }: EncryptCommandInput) =>
    EncryptionContext as { node: string; name: string };
  const encrypt = async (input: EncryptCommandInput) => {
    const size = input.Plaintext!.length;
    if (size === 0 || size > 4096) throw new Error('ValidationException');
    const sealed = await inner.seal(Buffer.from(input.Plaintext!).toString('latin1').slice(0, 3000), context(input));
    return { CiphertextBlob: Buffer.from(`${sealed}|${Buffer.from(input.Plaintext!).toString('base64')}`) };
  };
  const decrypt = async (input: DecryptCommandInput) => {
    const [sealed = '', text = ''] = Buffer.from(input.CiphertextBlob!).toString().split('|');
    await inner.open(sealed, context(input as EncryptCommandInput)).catch(() => {
      throw new InvalidCiphertextException({ message: 'no', $metadata: {} });
    });
    return { Plaintext: Buffer.from(text, 'base64') };
  };
  const send = async ({ constructor, input }: { constructor: { name: string }; input: never }) =>
    constructor.name === 'EncryptCommand' ? encrypt(input) : decrypt(input);
  return { send } as unknown as KMSClient;
};

describeSecrets('secrets with KMS', async () => {
  const needs = { client: createKms(), keyId: 'key-1' };
  return { ...createAwsSealer(needs), ...createAwsOpener(needs) };
});

describe('secrets with KMS', () => {
  const context = { node: 'n', name: 'redfish_password' };

  it('name the key and the context in each request', async () => {
    const { client, sent } = createScriptedClient<KMSClient>([
      { CiphertextBlob: Buffer.from('sealed') },
      { Plaintext: Buffer.from('scalvin') },
    ]);
    const sealed = await createAwsSealer({ client, keyId: 'key-1' }).seal('calvin', context);
    expect(await createAwsOpener({ client, keyId: 'key-1' }).open(sealed, context)).toBe('calvin');
    for (const { input } of sent) expect(input).toMatchObject({ KeyId: 'key-1', EncryptionContext: context });
  });

  it('are Unavailable, not lost, when KMS does not answer', async () => {
    const { client } = createScriptedClient<KMSClient>([new Error('timeout')]);
    await expect(createAwsOpener({ client, keyId: 'key-1' }).open('c2VhbGVk', context)).rejects.toMatchObject({
      name: 'Unavailable',
      code: 503,
    });
  });
});
