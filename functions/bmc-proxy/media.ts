/** Virtual media (redfish.md 4.1, 5 rows 12-17). */
import { bmcFault, isRejection } from '../../layers/bmc/faults.ts';
import type { Quirks } from '../../layers/bmc/quirks.ts';
import { type Fault, isFault } from '../../layers/domain/fault.ts';
import { refusalOf } from '../../layers/redfish-client/answer.ts';
import type { Accepted } from '../../layers/redfish-client/client.ts';
import { virtualMedia } from '../../layers/redfish-client/resources.ts';
import { withBmc, type Bmc } from './bmc.ts';
import { done, type Call } from './call.ts';
import { ensure, firstAccepted, maySend } from './ensure.ts';
import {
  findSlots,
  isInserted,
  type Kind,
  managerSlots,
  readSlots,
  type Slot,
  slotsBeside,
  slotsFor,
  slotsOfKind,
  systemSlots,
} from './media-slots.ts';

/** How long a BMC may take to show that media are in or out (Dell: Inserted stays true for a while). */
const lagMs = 30_000;

const withoutQuery = (url: string) => url.split('?')[0]!;
const fileName = (url: string) => withoutQuery(url).split('/').at(-1)!;

/** Signatures in the query change with every presigned link; the image is the same. */
const hasImage = (slot: Slot, image: string): boolean => {
  const { Image, ImageName } = slot.body;
  if (!isInserted(slot)) return false;
  return Image ? withoutQuery(Image) === withoutQuery(image) : ImageName === fileName(image);
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

type Ejection = { readonly slot: Slot; readonly accepted?: Accepted; readonly rejected?: Fault };

/**
 * One after another. A rejection is not thrown: BMCs that show one drive twice, or an eject late, reject the second one
 * (400), and only what they show when the lag is over says whether they meant it.
 */
const ejectEach = async (bmc: Bmc, slots: readonly Slot[], quirks: Quirks): Promise<Ejection[]> => {
  const ejections: Ejection[] = [];
  for (const slot of slots) {
    try {
      ejections.push({ slot, accepted: await ejectFrom(bmc, slot, quirks) });
    } catch (error) {
      if (!isFault(error) || !isRejection(error.name)) throw error;
      ejections.push({ slot, rejected: error });
    }
  }
  return ejections;
};

/**
 * Takes other images out and waits until they are. Answers whether there were any. Throws BmcBusy if that takes too
 * long, or why the BMC will not.
 */
const makeRoom = async (
  { clock, config, end }: Call,
  bmc: Bmc,
  slots: readonly Slot[],
  quirks: Quirks,
): Promise<boolean> => {
  const ejections = await ejectEach(bmc, slots.filter(isInserted), quirks);
  const lagEnds = clock.now() + lagMs;
  for (const { slot, rejected } of ejections) {
    while (isInserted(await bmc.redfish.get(slot.path, virtualMedia))) {
      if (clock.now() + config.pollIntervalMs >= Math.min(lagEnds, end)) {
        const stays = bmcFault('BmcBusy', 'The BMC does not let go of the image that is inserted.');
        throw lagEnds < end ? (rejected ?? stays) : stays;
      }
      await clock.sleep(config.pollIntervalMs);
    }
  }
  return ejections.length > 0;
};

const insertAnywhere = async (call: Call, bmc: Bmc, slots: readonly Slot[], image: string, quirks: Quirks) => {
  // ETags are new after an eject.
  const changed = await makeRoom(call, bmc, slots, quirks);
  const fresh = async (slot: Slot) => (changed ? bmc.redfish.get(slot.path, virtualMedia) : slot);
  // Cisco UCS and others list slots that only their own viewer can use (400, 405).
  return firstAccepted(slots.map((slot) => async () => insertInto(bmc, await fresh(slot), image)));
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

/** Shorter parts of a query are words, not signatures. */
const shortestSignature = 24;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** What in the address of an image is between us and the image server: BMCs quote it in their errors, whole or in part. */
const concealParts = (call: Call, image: string): void => {
  const { password, search, searchParams } = new URL(image);
  const signatures = [...searchParams.values()].filter(({ length }) => length >= shortestSignature);
  for (const value of [password, decoded(password), search.slice(1), ...signatures]) {
    if (value !== '') call.conceal(value);
  }
};

/** Done when a slot shows the image inserted. */
export const insertMedia = async (call: Call<'vmedia.insert'>) => {
  const { params } = call;
  const { slot: kind, image } = params;
  concealParts(call, image);
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

/** Without those that look like one before them: sushy-tools and others show a drive under System and Manager. */
const withoutTwins = (slots: readonly Slot[]): Slot[] => {
  const nameOf = ({ body: { Id, Image } }: Slot) => JSON.stringify([Id, Image]);
  return slots.filter((slot, at) => slots.findIndex((other) => nameOf(other) === nameOf(slot)) === at);
};

/** Throws only if the BMC rejects all of them. */
const ejectAll = async (bmc: Bmc, slots: readonly Slot[], quirks: Quirks): Promise<Accepted> => {
  const ejections = await ejectEach(bmc, slots, quirks);
  const accepted = ejections.findLast((one) => one.accepted)?.accepted;
  if (accepted) return accepted;
  throw ejections.at(-1)!.rejected!;
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
              // What still shows something when the lag is over is a drive of its own.
              send: async () => ejectAll(bmc, entry?.sends ? full : withoutTwins(full), quirks),
            }
          : undefined,
      task: bmc.redfish.task,
      quirks: async () => names,
    });
  });
};
