import { describe, expect, it } from 'vitest';

import { createMemoryPlatform } from '../../../../layers/platform/memory/platform.ts';
import { configdriveLink } from '../../../../workflows/owners/node/instance-media.ts';
import { aNode } from '../../nodes.ts';

describe('configdriveLink', () => {
  const linkOf = async (configdrive?: string) =>
    configdriveLink(
      createMemoryPlatform(),
      aNode({ instance_info: configdrive === undefined ? {} : { configdrive } }),
      'agent',
      60,
    );

  it('is none without a configdrive, and the client’s own URL as it is', async () => {
    expect(await linkOf()).toBeUndefined();
    expect(await linkOf('https://drives.test/a.iso?x=1')).toBe('https://drives.test/a.iso?x=1');
  });

  it('is never made for what is not this node’s', async () => {
    await expect(linkOf('object:configdrives/11111111-2222-4333-8444-555555555555/01J0')).rejects.toThrow(
      'pass the configdrive again',
    );
  });
});
