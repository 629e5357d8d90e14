/**
 * Whether the machine of a server has a network card left for one more port. Nova plugs while the client waits, and refuses
 * (400) what there is no device for; here a run plugs later, so it is looked beforehand. What is not known by then, such as
 * a card that an operator takes meanwhile, fails in the run.
 */
import type { ServerInterface } from '../../../layers/domain/compute/server-keeping.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import type { GuestNetwork } from '../../../layers/guest/network.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import { machinesFor, orMissing } from '../cloud/machines.ts';
import type { Call, Deps } from '../route.ts';

type Cards = Pick<GuestNetwork, 'cards' | 'groups'>;

/**
 * Cards that nothing is plugged into, or what is about to go, less those that are waited for: ports without a card of their
 * own. A machine that remembers no VIFs (network interface `noop`) has all of them so. Of a group whose cards may not
 * stand alone it counts too many, never too few.
 */
const freeCards = ({ cards, groups }: Cards, interfaces: readonly ServerInterface[]): number => {
  const leaving = interfaces.filter(({ state }) => state === 'leaving').map(({ port_id: port }) => port);
  const isFree = ({ vif }: { readonly vif: string | null }) => vif === null || leaving.includes(vif);
  const blocked = groups.filter((group) => !isFree(group)).map(({ uuid }) => uuid);
  const free = cards.filter((card) => isFree(card) && !blocked.includes(card.portgroup_uuid ?? ''));
  const plugged = [...cards, ...groups].map(({ vif }) => vif);
  const waiting = interfaces.filter(({ state, port_id: port }) => state !== 'leaving' && !plugged.includes(port));
  return free.length - waiting.length;
};

/**
 * Looks at the machine, and answers what refuses one more port beside these interfaces, by throwing Invalid (400). Throws
 * Unavailable (503) if machines cannot be asked.
 */
export const lookForCards = async (
  deps: Deps,
  { request_id, target: { uuid, node_uuid: node } }: Pick<Call<unknown, StoredServer>, 'request_id' | 'target'>,
) => {
  const refused = () =>
    Invalid(`Failed to attach a network adapter to instance ${uuid}: its machine has no network card left.`);
  const machines = machinesFor(deps, { request_id });
  const cards = node === null ? undefined : await orMissing(machines.getCards(node), refused);
  return (interfaces: readonly ServerInterface[]): void => {
    if (cards && freeCards(cards, interfaces) < 1) throw refused();
  };
};
