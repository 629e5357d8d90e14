import { describe, expect, it } from 'vitest';

import { computerSystem } from '../../../layers/redfish-client/resources.ts';
import type { Trust } from '../../../layers/bmc/trust.ts';
import { makeCa, makeCertificate, type FakeBmc } from '../../fakes/bmc.ts';
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
      const bmc = await startBmc({ certificate: await makeCertificate('127.0.0.1') });
      const other = await startBmc({ certificate: await makeCertificate('127.0.0.1') });
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

  it('that is pinned may name any host, one that a CA signed must name the right one', async () => {
    const ca = await makeCa();
    const own = await startBmc({ certificate: await makeCertificate('10.9.9.9') });
    const right = await startBmc({ certificate: await makeCertificate('127.0.0.1', ca) });
    const wrong = await startBmc({ certificate: await makeCertificate('10.9.9.9', ca) });
    await expect(readWith(own, { mode: 'pem', pem: own.certificate })).resolves.toBeDefined();
    await expect(readWith(right, { mode: 'pem', pem: ca.cert })).resolves.toBeDefined();
    await expect(readWith(wrong, { mode: 'pem', pem: ca.cert })).rejects.toMatchObject({ name: 'BmcTlsMismatch' });
    expect(wrong.requests).toEqual([]);
  });
});
