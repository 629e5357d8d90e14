/** What makes a certificate good enough (redfish.md 8). Pure. */
import { X509Certificate } from 'node:crypto';

/**
 * `pin`: the server's certificate has this SHA-256 fingerprint; nothing else is asked of it.
 * `pem`: the certificate is among these (names are not compared: BMC certificates seldom carry the right one), or one
 * of these signed it (then the name must fit). `system`: signed by a public CA. `insecure`: any certificate. `plain`: there is
 * none, because it is called over http.
 */
export type Trust =
  | { readonly mode: 'pin'; readonly fingerprint256: string }
  | { readonly mode: 'pem'; readonly pem: string }
  | { readonly mode: 'system' }
  | { readonly mode: 'insecure' }
  | { readonly mode: 'plain' };

const blocks = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The SHA-256 fingerprints (AA:BB:...) of all certificates in a PEM text. Throws on a block that is no certificate. */
export const pemFingerprints = (pem: string): string[] =>
  (pem.match(blocks) ?? []).map((block) => new X509Certificate(block).fingerprint256);

/** Upper case hexadecimal pairs with colons, as Node prints fingerprints. */
export const normalFingerprint = (text: string): string =>
  (text.replace(/[^0-9a-f]/gi, '').match(/../g) ?? []).join(':').toUpperCase();
