/** Connections over which a password may follow: the certificate is checked before anything is sent. */
import { isIP } from 'node:net';
import { checkServerIdentity, connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

import { bmcFault } from '../bmc/faults.ts';
import type { Fault } from '../domain/fault.ts';
import type { Peer } from '../platform/wire.ts';
import { normalFingerprint, pemFingerprints, type Trust } from '../bmc/trust.ts';

const trustOptions = (trust: Trust): ConnectionOptions => {
  switch (trust.mode) {
    case 'system':
      return {};
    case 'pem': {
      const own = pemFingerprints(trust.pem);
      return {
        ca: trust.pem,
        allowPartialTrustChain: true,
        checkServerIdentity: (host, cert) =>
          own.includes(cert.fingerprint256) ? undefined : checkServerIdentity(host, cert),
      };
    }
    case 'pin':
    case 'insecure':
      // Node would refuse every self-signed certificate before the fingerprint can be looked at; for `pin` it is
      // compared in openSocket, before the first byte is written.
      return { rejectUnauthorized: false };
  }
};

const begin = ({ host, address, port, trust }: Peer): TLSSocket =>
  connect({
    host: address,
    port,
    minVersion: 'TLSv1.2',
    ...(!isIP(host) && { servername: host }),
    ...trustOptions(trust),
  });

const secured = async (socket: TLSSocket, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    // Stays for the life of the socket: an error that nobody listens to would end the process.
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('The connection was closed.')));
    socket.once('secureConnect', resolve);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
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
const peek = async (peer: Peer, signal: AbortSignal): Promise<string | undefined> => {
  const socket = begin({ ...peer, trust: { mode: 'insecure' } });
  try {
    await secured(socket, signal);
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
  const signal = AbortSignal.timeout(ms);
  const socket = begin(peer);
  try {
    await secured(socket, signal);
  } catch (error) {
    socket.destroy();
    if (!socket.authorizationError) throw explain(peer, ms, error);
    throw mismatch(peer, String(socket.authorizationError), await peek(peer, signal), error);
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
