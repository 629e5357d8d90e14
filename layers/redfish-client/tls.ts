/** Connections over which a password may follow: the certificate is checked before anything is sent. */
import { isIP } from 'node:net';
import { checkServerIdentity, connect, type ConnectionOptions, createSecureContext, type TLSSocket } from 'node:tls';

import { bmcFault } from '../bmc/faults.ts';
import type { Fault } from '../domain/fault.ts';
import type { Peer } from '../platform/wire.ts';
import { normalFingerprint, pemFingerprints, type Trust } from '../bmc/trust.ts';

/** What Node needs of a way to trust. */
type Checks = Pick<ConnectionOptions, 'secureContext' | 'checkServerIdentity' | 'rejectUnauthorized'>;

const minVersion = 'TLSv1.2';

const checksOf = (trust: Trust): Checks => {
  switch (trust.mode) {
    case 'system':
      return { secureContext: createSecureContext({ minVersion }) };
    case 'pem': {
      const own = pemFingerprints(trust.pem);
      return {
        secureContext: createSecureContext({ minVersion, ca: trust.pem, allowPartialTrustChain: true }),
        checkServerIdentity: (host, cert) =>
          own.includes(cert.fingerprint256) ? undefined : checkServerIdentity(host, cert),
      };
    }
    case 'pin':
    case 'insecure':
      // Node would refuse every self-signed certificate before the fingerprint can be looked at; for `pin` it is
      // compared in openSocket, before the first byte is written.
      return { secureContext: createSecureContext({ minVersion }), rejectUnauthorized: false };
  }
};

const maxChecks = 100;
const known = new Map<string, Checks>();

/** Those of the ways that were asked for last are kept: to read certificates costs as much as a handshake. */
const keptChecks = (trust: Trust): Checks => {
  const key = trust.mode === 'pem' ? `pem ${trust.pem}` : trust.mode;
  const checks = known.get(key) ?? checksOf(trust);
  known.delete(key);
  known.set(key, checks);
  if (known.size > maxChecks) known.delete(known.keys().next().value!);
  return checks;
};

const begin = ({ host, address, port, trust }: Peer): TLSSocket =>
  connect({ host: address, port, ...(!isIP(host) && { servername: host }), ...keptChecks(trust) });

/** Rejects after `ms`, with TimeoutError. */
const secured = async (socket: TLSSocket, ms: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const late = () => reject(Object.assign(new Error('It took too long.'), { name: 'TimeoutError' }));
    const timer = setTimeout(late, ms);
    // Stays for the life of the socket: an error that nobody listens to would end the process.
    socket.on('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new Error('The connection was closed.'));
    });
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      resolve();
    });
  });

const isTlsError = (error: unknown) => /^(EPROTO|ERR_SSL|ERR_TLS)/.test((error as { code?: string }).code ?? '');

const explain = (peer: Peer, ms: number, error: unknown): Fault => {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  const where = `${peer.label} (${peer.address} port ${peer.port})`;
  if (name === 'TimeoutError') {
    return bmcFault('BmcUnreachable', `${where} did not take a connection within ${ms} ms.`, error);
  }
  if (isTlsError(error)) {
    return bmcFault('BmcUnsupported', `${where} speaks no TLS 1.2 or newer (${code}).`, error);
  }
  return bmcFault('BmcUnreachable', `${where} cannot be reached: ${code ?? message ?? 'no reason given'}.`, error);
};

/** The fingerprint of whatever certificate the server shows, for a message only; nothing is sent to it. */
const peek = async (peer: Peer, ms: number): Promise<string | undefined> => {
  const socket = begin({ ...peer, trust: { mode: 'insecure' } });
  try {
    await secured(socket, ms);
    return socket.getPeerX509Certificate()?.fingerprint256;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
};

const mismatch = (peer: Peer, reason: string, shown: string | undefined, cause?: unknown): Fault =>
  bmcFault(
    'BmcTlsMismatch',
    `${peer.label} shows a certificate that is not trusted: ${reason}. No credentials were sent. ` +
      (shown
        ? `If the certificate with SHA-256 fingerprint ${shown} is the right one, pin it.`
        : 'Check the certificate and what it is compared with.'),
    cause,
  );

/** `fingerprint256` is that of the certificate that was shown; a socket forgets it when it closes. */
export type Secured = { readonly socket: TLSSocket; readonly fingerprint256: string | null };

/**
 * A connection whose certificate has been checked; the caller destroys it. Nothing but the handshake is sent here.
 * Throws BmcTlsMismatch, BmcUnsupported (no TLS 1.2), BmcUnreachable (refused, no answer within `ms`).
 */
export const openSocket = async (peer: Peer, ms: number): Promise<Secured> => {
  const end = performance.now() + ms;
  const socket = begin(peer);
  try {
    await secured(socket, ms);
  } catch (error) {
    socket.destroy();
    if (!socket.authorizationError) throw explain(peer, ms, error);
    throw mismatch(peer, String(socket.authorizationError), await peek(peer, end - performance.now()), error);
  }
  // A renegotiation could bring another certificate after the check.
  socket.disableRenegotiation();
  const shown = socket.getPeerX509Certificate()?.fingerprint256;
  if (peer.trust.mode !== 'pin' || shown === normalFingerprint(peer.trust.fingerprint256)) {
    return { socket, fingerprint256: shown ?? null };
  }
  socket.destroy();
  throw mismatch(peer, 'its fingerprint is not the pinned one', shown);
};
