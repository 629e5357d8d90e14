/** The VIFs of nodes, which stand with their ports and port groups. */
import { type Cards, vifOf, withVif } from '../domain/vifs.ts';
import type { Table } from '../platform/table.ts';
import type { KindOf } from './kinds/kind.ts';
import { kinds, type StoredPort, type StoredPortgroup } from './kinds/kinds.ts';
import { changeRecord, type Needs } from './records/change.ts';
import { recordsOf } from './records/find.ts';

/** The ports and port groups of a node. */
export const cardsOf = async (table: Table, uuid: string): Promise<Cards<StoredPort, StoredPortgroup>> => {
  const [ports, groups] = await Promise.all([
    recordsOf(table, kinds.port, uuid),
    recordsOf(table, kinds.portgroup, uuid),
  ]);
  return { ports, groups };
};

/** The VIFs that are attached to a node, those of groups first. */
export const vifsOf = async (table: Table, uuid: string): Promise<string[]> => {
  const { ports, groups } = await cardsOf(table, uuid);
  return [...groups, ...ports].flatMap((card) => vifOf(card) ?? []);
};

const detach = async <R extends StoredPort | StoredPortgroup>(
  needs: Needs,
  kind: KindOf<R>,
  cards: readonly R[],
): Promise<void> => {
  for (const card of cards.filter(vifOf)) {
    await changeRecord(needs, kind, card.uuid, (fresh) => ({ set: withVif(fresh, undefined) as Partial<R> }));
  }
};

/** Detaches all VIFs of a node whose instance goes. */
export const detachVifs = async (needs: Needs, uuid: string): Promise<void> => {
  const { ports, groups } = await cardsOf(needs.table, uuid);
  await detach(needs, kinds.port, ports);
  await detach(needs, kinds.portgroup, groups);
};
