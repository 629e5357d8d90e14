/** Ports out of an inspection: one for each network card that has none. */
import { defaults } from '../../layers/domain/fields.ts';
import { addressesOf, bootAddress, type Inspected } from '../../layers/domain/inspection.ts';
import { port as portFields, type Port } from '../../layers/domain/port.ts';
import { changeBelonging, createBelonging } from '../../layers/store/belongings.ts';
import { portByAddress, portKind, type StoredPort } from '../../layers/store/node-ports.ts';
import { isoTime, type StoredNode } from '../../layers/store/nodes.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import { requireLock } from '../../layers/store/reservation.ts';

type Needs = Pick<Platform, 'table' | 'clock' | 'ids'>;

const newPort = ({ clock, ids }: Needs, values: Partial<Port>): StoredPort =>
  ({
    ...defaults(portFields),
    uuid: ids.uuid(),
    ...values,
    created_at: isoTime(clock.now()),
    position: ids.ulid(),
    revision: 1,
  }) as unknown as StoredPort;

const heldBy = (run: string) => (node: StoredNode) => requireLock(node, run);

/** Throws Superseded once the node is another run's, NotFound for a port that was removed. */
export const changeInspectedPort = async (
  needs: Needs,
  uuid: string,
  run: string,
  values: Partial<Port>,
): Promise<void> => {
  await changeBelonging<Port>(needs, portKind, uuid, async (_port, node) => {
    heldBy(run)(node);
    return values;
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
    const port = await portByAddress(needs.table, address);
    if (!port) {
      await createBelonging<Port>(needs, portKind, newPort(needs, { node_uuid: uuid, address, ...pxe }), heldBy(run));
      created.push(address);
    } else if (port.node_uuid !== uuid) {
      taken.push(address);
    } else if (boots !== undefined && port.pxe_enabled !== pxe.pxe_enabled) {
      await changeInspectedPort(needs, port.uuid, run, pxe);
    }
  }
  return { created, taken, doubted };
};
