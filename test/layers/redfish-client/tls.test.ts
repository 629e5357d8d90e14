import { describe, expect, it } from 'vitest';

import { computerSystem } from '../../../layers/redfish-client/resources.ts';
import type { Trust } from '../../../layers/redfish-client/trust.ts';
import type { FakeBmc } from '../../fakes/bmc.ts';
import { clientOf, optionsFor, startBmc } from './fixture.ts';

const system = '/redfish/v1/Systems/1';

const readWith = async (bmc: FakeBmc, trust: Trust) =>
  clientOf(bmc, { peer: { ...optionsFor(bmc).peer, trust } }).get(system, computerSystem);

describe('a certificate', () => {
  it('is accepted by its fingerprint, however it is written', async () => {
    const bmc = await startBmc();
    const written = bmc.fingerprint256.toLowerCase().replaceAll(':', '');
    await expect(readWith(bmc, { mode: 'pin', fingerprint256: written })).resolves.toBeDefined();
  });

  it('is accepted when it is the pinned one itself, and when nothing is asked of it', async () => {
    const bmc = await startBmc();
    await expect(readWith(bmc, { mode: 'pem', pem: bmc.certificate })).resolves.toBeDefined();
    await expect(readWith(bmc, { mode: 'insecure' })).resolves.toBeDefined();
  });

  it.each(['pin', 'pem', 'system'] as const)(
    'of somebody else is refused before anything is sent (%s)',
    async (mode) => {
      const bmc = await startBmc({ ownCertificate: true });
      const other = await startBmc({ ownCertificate: true });
      const trust: Trust =
        mode === 'pin'
          ? { mode, fingerprint256: other.fingerprint256 }
          : mode === 'pem'
            ? { mode, pem: other.certificate }
            : { mode };
      const error = await readWith(bmc, trust).catch((caught: Error) => caught);
      expect(error).toMatchObject({ name: 'BmcTlsMismatch' });
      // What an operator needs in order to pin it.
      expect((error as Error).message).toContain(bmc.fingerprint256);
      expect(bmc.requests).toEqual([]);
    },
  );
});
