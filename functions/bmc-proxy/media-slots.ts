/** The drives for virtual media that a BMC shows, and which of them are for what (redfish.md 4.1, 5 rows 12-17). */
import { bmcFault } from '../../layers/bmc/faults.ts';
import type { Quirks } from '../../layers/bmc/quirks.ts';
import type { Resource } from '../../layers/redfish-client/client.ts';
import { manager, virtualMedia, type VirtualMedia } from '../../layers/redfish-client/resources.ts';
import type { Bmc } from './bmc.ts';
import type { Parsed } from './call.ts';

export type Slot = Resource<VirtualMedia>;
export type Kind = 'cd' | 'usb';

const mediaTypes: Readonly<Record<Kind, readonly string[]>> = { cd: ['CD', 'DVD'], usb: ['USBStick'] };

const takes = (kind: Kind) => (slot: Slot) => slot.body.MediaTypes?.some((type) => mediaTypes[kind].includes(type));

/**
 * The slots of one collection that are for a kind. Where all take anything (Dell iDRAC 9), the last is for the stick
 * and the others for CDs, so that neither throws the other out; an only one holds one thing at a time.
 */
export const slotsOfKind = (slots: readonly Slot[], kind: Kind): Slot[] => {
  const able = slots.filter(takes(kind));
  const own = able.filter((slot) => !takes(kind === 'cd' ? 'usb' : 'cd')(slot));
  if (own.length > 0 || able.length < 2) return own.length > 0 ? own : able;
  return kind === 'cd' ? able.slice(0, -1) : able.slice(-1);
};

/** Those of a kind that no CD goes into. */
export const slotsBeside = (slots: readonly Slot[], kind: Kind): Slot[] => {
  const taken = slotsOfKind(slots, 'cd');
  return slotsOfKind(slots, kind).filter((slot) => !taken.includes(slot));
};

/** HPE iLO 4 does not say whether something is inserted; then the image does. */
export const isInserted = ({ body }: Slot): boolean => body.Inserted ?? Boolean(body.Image);

/** Reads them, in this order. */
export const readSlots = async ({ redfish }: Bmc, links: readonly string[]): Promise<Slot[]> => {
  const slots: Slot[] = [];
  for (const link of links) slots.push(await redfish.get(link, virtualMedia));
  return slots;
};

const slotsIn = async (bmc: Bmc, collection: string | undefined): Promise<Slot[]> =>
  collection ? readSlots(bmc, await bmc.redfish.members(collection)) : [];

/** Those below the system. */
export const systemSlots = async (bmc: Bmc) => slotsIn(bmc, (await bmc.lastSystem()).VirtualMedia?.['@odata.id']);

/** Those below its managers. */
export const managerSlots = async (bmc: Bmc): Promise<Slot[]> => {
  const slots: Slot[] = [];
  for (const link of await bmc.managers()) {
    const { body } = await bmc.redfish.get(link, manager);
    slots.push(...(await slotsIn(bmc, body.VirtualMedia?.['@odata.id'])));
  }
  return slots;
};

type Choice = typeof slotsOfKind;

/** Slots to insert into: those of the system, else those of its managers. */
export const findSlots = async (bmc: Bmc, kind: Kind, { media_slot }: Quirks, choose: Choice): Promise<Slot[]> => {
  const own = choose(await systemSlots(bmc), kind);
  const all = own.length > 0 ? own : choose(await managerSlots(bmc), kind);
  return media_slot ? all.filter(({ body }) => body.Id === media_slot) : all;
};

/** The slots that what is to be inserted may go into. Throws BmcUnsupported if there is none. */
export const slotsFor = async (
  bmc: Bmc,
  { slot: kind, beside }: Parsed<'vmedia.insert'>,
  quirks: Quirks,
): Promise<Slot[]> => {
  const usable = await findSlots(bmc, kind, quirks, beside ? slotsBeside : slotsOfKind);
  if (usable.length > 0) return usable;
  const which = `${mediaTypes[kind].join(' or ')}${beside ? ' beside the one for CDs' : ''}`;
  throw bmcFault('BmcUnsupported', `The BMC offers no virtual media of type ${which}.`);
};
