/** Virtual media (redfish.md 4.1, 5 rows 12-17). */
import { bmcFault } from '../../layers/bmc/faults.ts';
import type { Quirks } from '../../layers/bmc/quirks.ts';
import { refusalOf } from '../../layers/redfish-client/answer.ts';
import type { Accepted, Resource } from '../../layers/redfish-client/client.ts';
import { manager, virtualMedia, type VirtualMedia } from '../../layers/redfish-client/resources.ts';
import { withBmc, type Bmc } from './bmc.ts';
import { done, type Call, type Parsed } from './call.ts';
import { ensure, firstAccepted, maySend } from './ensure.ts';

type Slot = Resource<VirtualMedia>;
type Kind = 'cd' | 'usb';

const mediaTypes: Readonly<Record<Kind, readonly string[]>> = { cd: ['CD', 'DVD'], usb: ['USBStick'] };

/** How long a BMC may take to show that media are in or out (Dell: Inserted stays true for a while). */
const lagMs = 30_000;

const takes = (kind: Kind) => (slot: Slot) => slot.body.MediaTypes?.some((type) => mediaTypes[kind].includes(type));

/**
 * The slots of one collection that are for a kind. Where all take anything (Dell iDRAC 9), the last is for the stick
 * and the others for CDs, so that neither throws the other out; an only one holds one thing at a time.
 */
const slotsOfKind = (slots: readonly Slot[], kind: Kind): Slot[] => {
  const able = slots.filter(takes(kind));
  const own = able.filter((slot) => !takes(kind === 'cd' ? 'usb' : 'cd')(slot));
  if (own.length > 0 || able.length < 2) return own.length > 0 ? own : able;
  return kind === 'cd' ? able.slice(0, -1) : able.slice(-1);
};

/** Those of a kind that no CD goes into. */
const slotsBeside = (slots: readonly Slot[], kind: Kind): Slot[] => {
  const taken = slotsOfKind(slots, 'cd');
  return slotsOfKind(slots, kind).filter((slot) => !taken.includes(slot));
};

/** HPE iLO 4 does not say whether something is inserted; then the image does. */
const isInserted = ({ body }: Slot): boolean => body.Inserted ?? Boolean(body.Image);

const withoutQuery = (url: string) => url.split('?')[0]!;
const fileName = (url: string) => withoutQuery(url).split('/').at(-1)!;

/** Signatures in the query change with every presigned link; the image is the same. */
const hasImage = (slot: Slot, image: string): boolean => {
  const { Image, ImageName } = slot.body;
  if (!isInserted(slot)) return false;
  return Image ? withoutQuery(Image) === withoutQuery(image) : ImageName === fileName(image);
};

const readSlots = async ({ redfish }: Bmc, links: readonly string[]): Promise<Slot[]> => {
  const slots: Slot[] = [];
  for (const link of links) slots.push(await redfish.get(link, virtualMedia));
  return slots;
};

/** Looks at slots again and again; the first look is the one they were found with. */
const watch = (bmc: Bmc, found: Slot[]) => {
  const paths = found.map(({ path }) => path);
  let next: Slot[] | undefined = found;
  return async (): Promise<Slot[]> => {
    const slots = next ?? (await readSlots(bmc, paths));
    next = undefined;
    return slots;
  };
};

const slotsIn = async (bmc: Bmc, collection: string | undefined): Promise<Slot[]> =>
  collection ? readSlots(bmc, await bmc.redfish.members(collection)) : [];

const systemSlots = async (bmc: Bmc) => slotsIn(bmc, (await bmc.system()).body.VirtualMedia?.['@odata.id']);

const managerSlots = async (bmc: Bmc): Promise<Slot[]> => {
  const slots: Slot[] = [];
  for (const link of await bmc.managers()) {
    const { body } = await bmc.redfish.get(link, manager);
    slots.push(...(await slotsIn(bmc, body.VirtualMedia?.['@odata.id'])));
  }
  return slots;
};

type Choice = typeof slotsOfKind;

/** Slots to insert into: those of the system, else those of its managers. */
const findSlots = async (bmc: Bmc, kind: Kind, { media_slot }: Quirks, choose: Choice): Promise<Slot[]> => {
  const own = choose(await systemSlots(bmc), kind);
  const all = own.length > 0 ? own : choose(await managerSlots(bmc), kind);
  return media_slot ? all.filter(({ body }) => body.Id === media_slot) : all;
};

const slotsFor = async (bmc: Bmc, { slot: kind, beside }: Parsed<'vmedia.insert'>, quirks: Quirks): Promise<Slot[]> => {
  const usable = await findSlots(bmc, kind, quirks, beside ? slotsBeside : slotsOfKind);
  if (usable.length > 0) return usable;
  const which = `${mediaTypes[kind].join(' or ')}${beside ? ' beside the one for CDs' : ''}`;
  throw bmcFault('BmcUnsupported', `The BMC offers no virtual media of type ${which}.`);
};

const ejectFrom = async ({ redfish }: Bmc, { path, etag, body }: Slot, quirks: Quirks): Promise<Accepted> => {
  const target = body.Actions?.['#VirtualMedia.EjectMedia']?.target;
  if (target) {
    // HPE iLO wants an empty object, others want nothing (415, 400).
    const bodies = quirks.media_eject_body ? [{}] : [undefined, {}];
    return firstAccepted(bodies.map((empty) => async () => redfish.post(target, empty)));
  }
  // Lenovo XCC: no actions, the resource itself is changed.
  const changes = [{ Image: null }, { Image: null, Inserted: false }];
  return firstAccepted(changes.map((change) => async () => redfish.patch(path, change, etag)));
};

/** Fields that some BMCs insist on, each sent once an error names it: sending them unasked makes others refuse. */
const additions = (image: string): readonly { names: RegExp; set: object }[] => [
  { names: /TransferProtocolType/, set: { TransferProtocolType: image.startsWith('https:') ? 'HTTPS' : 'HTTP' } },
  { names: /TransferMethod/, set: { TransferMethod: 'Stream' } },
  // NVIDIA DGX H100: credentials even for images that need none.
  { names: /UserName|Password/i, set: { UserName: 'none', Password: 'none' } },
  { names: /\bInserted\b|WriteProtected/, set: { Inserted: true, WriteProtected: true } },
];

const maxPosts = 4;

const postImage = async ({ redfish }: Bmc, target: string, image: string): Promise<Accepted> => {
  let body: object = { Image: image };
  let open = additions(image);
  for (let posts = 1; ; posts += 1) {
    try {
      return await redfish.post(target, body);
    } catch (error) {
      const said = (refusalOf(error)?.complaints ?? []).flatMap(({ message, properties }) => [message, ...properties]);
      const named = open.find(({ names }) => names.test(said.join(' ')));
      if (!named || posts >= maxPosts) throw error;
      body = { ...body, ...named.set };
      open = open.filter((addition) => addition !== named);
    }
  }
};

const insertInto = async (bmc: Bmc, { path, etag, body }: Slot, image: string): Promise<Accepted> => {
  const target = body.Actions?.['#VirtualMedia.InsertMedia']?.target;
  if (target) return postImage(bmc, target, image);
  return bmc.redfish.patch(path, { Image: image, Inserted: true, WriteProtected: true }, etag);
};

/** Takes other images out and waits until they are. Throws BmcBusy if that takes too long. */
const makeRoom = async ({ clock, config, end }: Call, bmc: Bmc, slots: readonly Slot[], quirks: Quirks) => {
  const full = slots.filter(isInserted);
  for (const slot of full) await ejectFrom(bmc, slot, quirks);
  const until = Math.min(clock.now() + lagMs, end);
  for (const { path } of full) {
    while (isInserted(await bmc.redfish.get(path, virtualMedia))) {
      if (clock.now() + config.pollIntervalMs >= until) {
        throw bmcFault('BmcBusy', 'The BMC does not let go of the image that is inserted.');
      }
      await clock.sleep(config.pollIntervalMs);
    }
  }
};

const insertAnywhere = async (call: Call, bmc: Bmc, slots: readonly Slot[], image: string, quirks: Quirks) => {
  await makeRoom(call, bmc, slots, quirks);
  // Cisco UCS and others list slots that only their own viewer can use (400, 405); ETags are new after the eject.
  return firstAccepted(
    slots.map(
      ({ path }) =>
        async () =>
          insertInto(bmc, await bmc.redfish.get(path, virtualMedia), image),
    ),
  );
};

/** An image's place without its signature and credentials. */
const publicUrl = (image: string): string =>
  URL.canParse(image) ? withoutQuery(image).replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1') : fileName(image);

/** The slots with what is in them: those of the system, else those of its managers. Throws BmcUnsupported. */
export const getMedia = async (call: Call<'vmedia.get'>) =>
  withBmc(call, async (bmc) => {
    const own = await systemSlots(bmc);
    const slots = own.length > 0 ? own : await managerSlots(bmc);
    if (slots.length === 0) throw bmcFault('BmcUnsupported', 'The BMC offers no virtual media.');
    const media = slots.map((slot) => {
      const { MediaTypes, Image, ImageName } = slot.body;
      const inserted = isInserted(slot);
      const image = Image ? publicUrl(Image) : (ImageName ?? null);
      // Supermicro X11, X12: the entry of an image remains after it was ejected.
      return { media_types: MediaTypes ?? [], inserted, image: inserted ? image : null };
    });
    const { quirks } = await bmc.quirks();
    return done<'vmedia.get'>({ media, removable: (await findSlots(bmc, 'usb', quirks, slotsBeside)).length > 0 });
  });

/** Done when a slot shows the image inserted. */
export const insertMedia = async (call: Call<'vmedia.insert'>) => {
  const { params } = call;
  const { slot: kind, image } = params;
  return withBmc(call, async (bmc) => {
    const { names, quirks } = await bmc.quirks();
    const look = watch(bmc, await slotsFor(bmc, params, quirks));
    let slots: Slot[] = [];
    return ensure(call, {
      observe: async () => {
        slots = await look();
        if (slots.some((slot) => hasImage(slot, image))) return { so: {} };
        return { not: `The BMC does not show ${fileName(image)} inserted yet.` };
      },
      next: (entry) =>
        maySend(call, entry, lagMs)
          ? {
              what: `insert ${kind}`,
              repeatable: true,
              send: async () => insertAnywhere(call, bmc, slots, image, quirks),
            }
          : undefined,
      task: bmc.redfish.task,
      quirks: async () => names,
    });
  });
};

/** Done when nothing of these kinds is inserted, in the slots of the system and of its managers. */
export const ejectMedia = async (call: Call<'vmedia.eject'>) => {
  const { slot } = call.params;
  const kinds: readonly Kind[] = slot === 'all' ? ['cd', 'usb'] : [slot];
  return withBmc(call, async (bmc) => {
    const { names, quirks } = await bmc.quirks();
    const all = [await systemSlots(bmc), await managerSlots(bmc)];
    const look = watch(
      bmc,
      all.flatMap((slots) => kinds.flatMap((kind) => slotsOfKind(slots, kind))),
    );
    let full: Slot[] = [];
    return ensure(call, {
      observe: async () => {
        full = (await look()).filter(isInserted);
        return full.length === 0 ? { so: {} } : { not: `The BMC still shows ${full.length} image(s) inserted.` };
      },
      next: (entry) =>
        maySend(call, entry, lagMs)
          ? {
              what: `eject ${slot}`,
              repeatable: true,
              send: async () => {
                for (const each of full.slice(0, -1)) await ejectFrom(bmc, each, quirks);
                return ejectFrom(bmc, full.at(-1)!, quirks);
              },
            }
          : undefined,
      task: bmc.redfish.task,
      quirks: async () => names,
    });
  });
};
