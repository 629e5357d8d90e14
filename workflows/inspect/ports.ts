/** Ports out of an inspection: one for each network card that has none. */
import { addressesOf, bootAddress, type Inspected } from '../../layers/domain/inspection.ts';
import type { Port } from '../../layers/domain/port.ts';
import { newRecord } from '../../layers/store/kinds/form.ts';
import { requireLock } from '../../layers/store/reservation.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { changeRecord, createRecord, type Needs } from '../../layers/store/records/change.ts';
import { readRecordBy } from '../../layers/store/records/find.ts';

/** Throws Superseded once the node is another run's, NotFound for a port that was removed. */
export const changeInspectedPort = async (
  needs: Needs,
  uuid: string,
  run: string,
  values: Partial<Port>,
): Promise<void> => {
  await changeRecord(needs, kinds.port, uuid, (_port, node) => {
    requireLock(node, run);
    return { set: values };
  });
};

/** `doubted`: left alone, because nobody vouches for them. */
export type Found = { readonly [K in 'created' | 'taken' | 'doubted']: readonly string[] };

/**
 * Creates what is missing of the cards that `vouched` answers for, and notes on the ports that there are which of them boots the machine, if that is known.
 * May be repeated. An address that another node's port has is left alone: `taken`. Throws Superseded once the node is
 * another run's, Conflict for a port that somebody creates at this moment.
 */
export const createInspectedPorts = async (
  needs: Needs,
  { uuid }: StoredNode,
  run: string,
  inspected: Inspected,
  vouched: (address: string) => boolean,
): Promise<Found> => {
  const [created, taken, doubted]: [string[], string[], string[]] = [[], [], []];
  const boots = bootAddress(inspected);
  for (const address of addressesOf(inspected)) {
    if (!vouched(address)) {
      doubted.push(address);
      continue;
    }
    const pxe = boots === undefined ? {} : { pxe_enabled: address === boots };
    const port = await readRecordBy(needs.table, kinds.port, 'port_address', address);
    if (!port) {
      await createRecord(
        needs,
        kinds.port,
        newRecord(needs, kinds.port, { node_uuid: uuid, address, ...pxe }),
        (node) => requireLock(node, run),
      );
      created.push(address);
    } else if (port.node_uuid !== uuid) {
      taken.push(address);
    } else if (boots !== undefined && port.pxe_enabled !== pxe.pxe_enabled) {
      await changeInspectedPort(needs, port.uuid, run, pxe);
    }
  }
  return { created, taken, doubted };
};
