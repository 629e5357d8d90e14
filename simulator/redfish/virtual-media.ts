/** Virtual media: slots in which images on the network are inserted. */
import { recordViolation } from '../evidence.ts';
import type { Answer } from '../http.ts';
import type { Media } from '../machine.ts';
import { checkMedia } from '../media.ts';
import type { Slot } from '../profiles.ts';
import { collection, done, healthy, link, refusal, type Act, type Call, type View } from './call.ts';
import { runAsTask } from './job.ts';

/** Where the drives are, as the profile says; they are the same in both places. */
const folders = ({ profile: { ids, media_under: under } }: Call): string[] => [
  ...(under === 'Managers' ? [] : [`/Systems/${ids.system}/VirtualMedia`]),
  ...(under === 'Systems' ? [] : [`/Managers/${ids.manager}/VirtualMedia`]),
];

/** The one that the request is about. Throws a refusal for a place where there are none. */
const folder = (call: Call): string => {
  const found = folders(call).find((path) => `${call.ask.path}/`.startsWith(`/redfish/v1${path}/`));
  if (found === undefined) throw refusal('Base.1.16.ResourceMissingAtURI');
  return found;
};

const slotOf = ({ profile, params }: Call): Slot => {
  const slot = profile.slots.find(({ id }) => id === params['slot']);
  if (!slot) throw refusal('Base.1.16.ResourceMissingAtURI');
  return slot;
};

const inserted = ({ world, machine }: Call, { id }: Slot): Media | undefined => {
  const media = machine.media[id];
  return media && media.ready_at <= world.clock.now() ? media : undefined;
};

/** Whether the drive still shows what was ejected. */
const isEmptied = ({ world, machine }: Call, { id }: Slot): boolean => (machine.emptied?.[id] ?? 0) > world.clock.now();

/** The collection of slots. */
export const mediaCollection: View = (call) => {
  const paths = call.profile.slots.map(({ id }) => `${folder(call)}/${id}`);
  return collection(call.machine, 'VirtualMediaCollection', 'Virtual Media', paths);
};

/** One slot, with the actions that the profile has. */
export const mediaSlot: View = (call) => {
  const slot = slotOf(call);
  const media = inserted(call, slot);
  const path = `${folder(call)}/${slot.id}`;
  const action = (name: string) => ({ target: link(call.machine, `${path}/Actions/${name}`)['@odata.id'] });
  return {
    '@odata.type': '#VirtualMedia.v1_6_0.VirtualMedia',
    Id: slot.id,
    Name: `Virtual Media ${slot.id}`,
    MediaTypes: slot.media_types,
    Image: media?.image ?? null,
    ImageName: media ? media.image.split('?')[0]!.split('/').at(-1) : null,
    Inserted: Boolean(media) || isEmptied(call, slot),
    WriteProtected: media?.write_protected ?? true,
    ConnectedVia: media ? 'URI' : 'NotConnected',
    Status: healthy,
    ...(call.profile.insert !== 'patch' && {
      Actions: {
        '#VirtualMedia.InsertMedia': action('VirtualMedia.InsertMedia'),
        '#VirtualMedia.EjectMedia': action('VirtualMedia.EjectMedia'),
      },
    }),
  };
};

const imageOf = (body: Record<string, unknown>): string => {
  const { Image: image } = body;
  if (typeof image !== 'string') throw refusal('Base.1.16.ActionParameterMissing', 'Image');
  const known = URL.canParse(image) && ['http:', 'https:'].includes(new URL(image).protocol);
  if (!known) throw refusal('Base.1.16.ResourceAtUriInUnknownFormat', 'Image must be an http or https URL.');
  return image;
};

const insert = async (call: Call, slot: Slot): Promise<number> => {
  const { world, machine, profile, body } = call;
  const image = imageOf(body);
  if (machine.media[slot.id] || isEmptied(call, slot))
    throw refusal('Base.1.16.ResourceInUse', 'Media are inserted already.');
  if (world.faults.strikes('media_insert_fails', machine)) throw refusal('Base.1.16.InternalError');
  const reason = profile.insert_checks && (await checkMedia(world, machine, image));
  if (reason) throw refusal('Base.1.16.ResourceAtUriInUnknownFormat', `${reason}.`);
  const ready_at = world.clock.now() + profile.insert_lag * 1000 * world.scale;
  if (world.faults.strikes('media_insert_silent', machine)) return ready_at;
  machine.media[slot.id] = { image, write_protected: body['WriteProtected'] !== false, ready_at };
  world.changed(machine);
  return ready_at;
};

const eject = (call: Call, slot: Slot): void => {
  const { world, machine, profile } = call;
  if (world.faults.strikes('media_eject_fails', machine)) throw refusal('Base.1.16.InternalError');
  const inUse = machine.device === slot.id && (machine.phase === 'load' || machine.disk.writing);
  if (inUse) recordViolation(world, machine, 'media were ejected while the machine was working from them');
  if (profile.eject_lag > 0) {
    if (!machine.media[slot.id]) throw refusal('Base.1.16.InvalidObject', 'There is no media inserted.');
    machine.emptied = { ...machine.emptied, [slot.id]: world.clock.now() + profile.eject_lag * 1000 * world.scale };
  }
  machine.media[slot.id] = null;
  world.changed(machine);
};

const actionSlot = (call: Call): Slot => {
  folder(call);
  if (call.profile.insert === 'patch') throw refusal('Base.1.16.ResourceMissingAtURI');
  return slotOf(call);
};

/** The action InsertMedia: done at once or as a task, as the profile says. */
export const insertMedia: Act = async (call): Promise<Answer> => {
  const slot = actionSlot(call);
  const refused = call.profile.insert_refuses.find((name) => name in call.body);
  if (refused) throw refusal('Base.1.16.ActionParameterUnknown', refused);
  if (call.profile.insert === 'task') return runAsTask(call, 'Insert media', async () => insert(call, slot));
  await insert(call, slot);
  return done;
};

/** The action EjectMedia; some BMCs want a body of {}. */
export const ejectMedia: Act = (call) => {
  const slot = actionSlot(call);
  if (call.profile.eject_needs_object && call.ask.body.length === 0) {
    throw refusal('Base.1.16.MalformedJSON', 'The body must be {}.');
  }
  eject(call, slot);
  return done;
};

/** BMCs without the actions take PATCH: Image inserts, Image null or Inserted false ejects. */
export const patchMedia: Act = async (call) => {
  folder(call);
  const slot = slotOf(call);
  if (call.profile.insert !== 'patch') throw refusal('Base.1.16.OperationNotAllowed');
  const { Image: image, Inserted: wanted } = call.body;
  if (image === null || wanted === false) eject(call, slot);
  else await insert(call, slot);
  return done;
};
