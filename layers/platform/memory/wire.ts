/** A wire on which machines are functions: no socket, no certificate, time by the clock of whoever answers. */
import { bmcFault } from '../../bmc/faults.ts';
import type { Answer, Exchange, Peer, Wire } from '../wire.ts';

/** Who answers at `address:port`. It may throw the faults of a wire, or answer whatever a machine would. */
export type Machine = (wanted: Exchange, peer: Peer) => Promise<Omit<Answer, 'fingerprint256'>>;

export type MemoryWire = Wire & {
  /** By `address:port`; may be added to or changed at any time. */
  readonly machines: Map<string, Machine>;
};

/** Throws BmcUnreachable where nobody answers. Bodies pass through JSON, as on a real wire. */
export const createMemoryWire = (machines: MemoryWire['machines'] = new Map()): MemoryWire => ({
  machines,
  open: (peer) => ({
    exchange: async (wanted) => {
      const machine = machines.get(`${peer.address}:${peer.port}`);
      if (!machine) {
        throw bmcFault(
          'BmcUnreachable',
          `${peer.label} (${peer.address} port ${peer.port}) cannot be reached: nobody is there.`,
        );
      }
      const { body, ...rest } = wanted;
      const sent = body === undefined ? rest : { ...rest, body: JSON.parse(JSON.stringify(body)) as unknown };
      return { ...(await machine(sent, peer)), fingerprint256: null };
    },
    close: () => {},
  }),
});
