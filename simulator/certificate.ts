/** The certificate that all BMCs and agents of one simulator show: made once, kept in the state directory. */
import { X509Certificate } from 'node:crypto';

import { generate } from 'selfsigned';

import type { StateFolder } from './snapshot.ts';

export type Certificate = { readonly key: string; readonly cert: string; readonly fingerprint256: string };

const years = 10;

/** Reads or makes a self-signed P-256 certificate for 127.0.0.1 (P-256: the cheapest handshake that all know). */
export const loadCertificate = async (folder: StateFolder, now: number): Promise<Certificate> => {
  const saved = folder.read<{ key: string; cert: string }>('certificate.json');
  const pair = saved ?? (await makePair(now));
  if (!saved) folder.write('certificate.json', pair);
  return { ...pair, fingerprint256: new X509Certificate(pair.cert).fingerprint256 };
};

const makePair = async (now: number) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'Simulated BMC' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 86_400_000),
    notAfterDate: new Date(now + years * 365 * 86_400_000),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 7, ip: '127.0.0.1' },
          { type: 2, value: 'localhost' },
        ],
      },
    ],
  });
  return { key, cert };
};
