/** What every Sealer and Opener do alike. */
import { beforeAll, describe, expect, it } from 'vitest';

import type { Opener, Sealer } from '../../layers/platform/platform.ts';

export const describeSecrets = (name: string, make: () => Promise<Sealer & Opener>): void => {
  describe(name, () => {
    const context = { node: '11111111-1111-4111-8111-111111111111', name: 'redfish_password' };
    let secrets: Sealer & Opener;
    beforeAll(async () => {
      secrets = await make();
    });

    it.each(['calvin', '', 'pässwörd 🦊\n\u0000', 'x'.repeat(4095)])('opens what it sealed', async (plain) => {
      const sealed = await secrets.seal(plain, context);
      expect(await secrets.open(sealed, context)).toBe(plain);
    });

    it('hides what it sealed', async () => {
      expect(await secrets.seal('calvin', context)).not.toContain('calvin');
    });

    it('seals one value differently each time', async () => {
      expect(await secrets.seal('calvin', context)).not.toBe(await secrets.seal('calvin', context));
    });

    it.each([
      { ...context, node: '22222222-2222-4222-8222-222222222222' },
      { ...context, name: 'agent_secret_token' },
      { ...context, recipient: 'one' },
    ])('does not open it for another node, name or recipient', async (other) => {
      const sealed = await secrets.seal('calvin', context);
      await expect(secrets.open(sealed, other)).rejects.toMatchObject({ name: 'Unsealable', code: 500 });
    });

    it('opens what it sealed for somebody for nobody else', async () => {
      const sealed = await secrets.seal('calvin', { ...context, recipient: 'one' });
      expect(await secrets.open(sealed, { ...context, recipient: 'one' })).toBe('calvin');
      await expect(secrets.open(sealed, { ...context, recipient: 'two' })).rejects.toMatchObject({
        name: 'Unsealable',
      });
      await expect(secrets.open(sealed, context)).rejects.toMatchObject({ name: 'Unsealable' });
    });

    it('does not open what was changed or is no sealed value, and does not show it', async () => {
      const sealed = await secrets.seal('calvin', context);
      const changed = sealed.slice(0, 30) + (sealed[30] === 'A' ? 'B' : 'A') + sealed.slice(31);
      for (const wrong of [changed, sealed.slice(0, 20), '', 'calvin']) {
        const failure = secrets.open(wrong, context);
        await expect(failure).rejects.toMatchObject({ name: 'Unsealable' });
        await expect(failure).rejects.not.toThrow(/calvin/);
      }
    });

    it('refuses to seal more than 4095 bytes', async () => {
      await expect(secrets.seal('é'.repeat(2048), context)).rejects.toMatchObject({ name: 'TooLarge', code: 413 });
    });
  });
};
