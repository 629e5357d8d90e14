/** Images themselves: create, show, change, delete; their tags, and what only administrators do with them. */
import { Forbidden, NotFound, TooLarge } from '../../layers/domain/fault.ts';
import { image } from '../../layers/domain/image/image.ts';
import { patchImage, type Changes } from '../../layers/domain/image/patch.ts';
import { splitBody } from '../../layers/domain/image/properties.ts';
import { type ImageEvent, nextStatus } from '../../layers/domain/image/states.ts';
import { changingPatchBody, type PatchBody } from '../../layers/domain/patch.ts';
import { allows, denied, type Rule, type Subject } from '../../layers/domain/policy.ts';
import { check, checkField, createSchema } from '../../layers/domain/schema.ts';
import { json } from '../../layers/domain/values.ts';
import { finishDeletion } from '../../layers/store/image-objects.ts';
import { newRecord } from '../../layers/store/kinds/form.ts';
import { tenantKinds, type StoredImage } from '../../layers/store/kinds/tenants.ts';
import { changeRecord, createRecord } from '../../layers/store/records/change.ts';
import { uuidsIn } from '../../layers/store/records/list.ts';
import { findImage, findToDelete } from './find.ts';
import { importMethods } from './info.ts';
import { type Call, type Deps, route, type Route } from './route.ts';
import { imageShape, imagesPath, imageView } from './view.ts';

const kind = tenantKinds.image;
const at = `${imagesPath}/{image_id}` as const;

/** The rule that a visibility needs besides; absent: none. */
const ruleOf: Readonly<Record<string, Rule>> = { public: 'publicize_image', community: 'communitize_image' };

/** As checked; undefined: it is not said. */
type Visibility = StoredImage['visibility'] | undefined;

const authorizeVisibility = (visibility: Visibility, subject: Subject, owner: string | null): void => {
  const rule = ruleOf[visibility ?? ''];
  if (rule && !allows(rule, subject, { owner })) throw denied(rule);
};

const isAdmin = (subject: Subject): boolean => allows('publicize_image', subject);

type Values = Record<string, unknown>;

/** The values of a new image. Throws Invalid (400), Forbidden (403), TooLarge (413). */
const readNew = ({ body, subject, version }: Call<Values>): Values => {
  const { fields, properties } = splitBody(body);
  const given = check(createSchema(image, version), fields);
  const { id: uuid, ...values } = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const owner = (values['owner'] ?? subject.project) as string | null;
  if (owner !== subject.project && !isAdmin(subject)) {
    throw Forbidden(`You are not permitted to create images owned by '${owner}'`);
  }
  authorizeVisibility(values['visibility'] as Visibility, subject, owner);
  return { ...values, ...(uuid !== undefined && { uuid }), owner, properties };
};

/** Data has the form that it has. */
const formats = ['container_format', 'disk_format'] as const;

/**
 * Data of each may be 5 GB, and records are for ever. Nobody locks anything for it: who asks for many at once may get some
 * more. Throws TooLarge (413), as Glance has it.
 */
const refuseTooMany = async ({ table, config }: Deps, owner: string | null, subject: Subject): Promise<void> => {
  if (owner === null || isAdmin(subject) || config.imagesPerProject === Infinity) return;
  const { length: count } = await uuidsIn(table, kind, [{ index: 'owner', value: owner }]);
  if (count < config.imagesPerProject) return;
  throw TooLarge(`Project ${owner} has ${count} images, and may have ${config.imagesPerProject}. Delete some first.`);
};

const refuseChange = (stored: StoredImage, changes: Changes, subject: Subject): void => {
  const fixed = stored.status === 'queued' ? undefined : formats.find((name) => Object.hasOwn(changes, name));
  if (fixed) throw Forbidden(`Attribute ${fixed} can be only replaced for a queued image.`);
  const isMoved = Object.hasOwn(changes, 'owner') && changes.owner !== stored.owner;
  if (isMoved && !isAdmin(subject)) throw Forbidden("Owner can't be updated by non admin.");
  if (changes.visibility !== stored.visibility)
    authorizeVisibility(changes.visibility as Visibility, subject, stored.owner);
};

const changeImage = async (deps: Deps, { target, body, subject }: Call<PatchBody, StoredImage>) =>
  changeRecord(deps, kind, target.uuid, (stored) => {
    const changes = patchImage(stored, body);
    refuseChange(stored, changes, subject);
    return body.length === 0 ? undefined : { set: changes as Partial<StoredImage> };
  });

/** While its data goes the image is nobody's; what is cut off in between is done by the next DELETE, or by `sync`. */
const deleteImage = async (deps: Deps, { uuid }: StoredImage): Promise<void> => {
  const { after } = await changeRecord(deps, kind, uuid, ({ status, protected: isProtected }) => {
    if (isProtected) throw Forbidden(`Image ${uuid} is protected and cannot be deleted.`);
    return { set: { status: nextStatus(status, 'delete', '') } };
  });
  await finishDeletion(deps, after);
};

const tagged = async (deps: Deps, { target, params }: Call<undefined, StoredImage>, isThere: boolean) => {
  const tag = params['tag']!;
  await changeRecord(deps, kind, target.uuid, ({ tags }) => {
    if (tags.includes(tag) === isThere) {
      if (isThere) return undefined;
      throw NotFound(`The image has no tag ${tag}.`);
    }
    const changed = isThere ? [...tags, tag] : tags.filter((one) => one !== tag);
    return { set: { tags: checkField(image, 'tags', changed) as string[] } };
  });
  return {};
};

/** Deactivate and reactivate. Twice is as good as once. */
const action = (event: ImageEvent): Route =>
  route<undefined, StoredImage>({
    at: `POST ${at}/actions/${event}`,
    policy: event as Rule,
    find: findImage,
    handle: async (deps, { target }) => {
      await changeRecord(deps, kind, target.uuid, ({ status }) => {
        const why = `Not allowed to ${event} image in status '${status}'`;
        return { set: { status: nextStatus(status, event, why, Forbidden) } };
      });
      return {};
    },
  });

export const imageRoutes: readonly Route[] = [
  route<Values>({
    at: `POST ${imagesPath}`,
    policy: 'add_image',
    status: 201,
    body: json,
    answers: imageShape,
    handle: async (deps, call) => {
      const record = newRecord(deps, kind, readNew(call));
      await refuseTooMany(deps, record.owner, call.subject);
      await createRecord(deps, kind, record);
      const headers = { 'OpenStack-image-import-methods': importMethods.join(',') };
      return { body: imageView(call)(record), location: `${imagesPath}/${record.uuid}`, headers };
    },
  }),
  route<undefined, StoredImage>({
    at: `GET ${at}`,
    policy: 'get_image',
    find: findImage,
    answers: imageShape,
    handle: async (_deps, call) => ({ body: imageView(call)(call.target) }),
  }),
  route<PatchBody, StoredImage>({
    at: `PATCH ${at}`,
    policy: 'modify_image',
    find: findImage,
    body: changingPatchBody,
    answers: imageShape,
    handle: async (deps, call) => ({ body: imageView(call)((await changeImage(deps, call)).after) }),
  }),
  route<undefined, StoredImage>({
    at: `DELETE ${at}`,
    policy: 'delete_image',
    find: findToDelete,
    handle: async (deps, { target }) => {
      await deleteImage(deps, target);
      return {};
    },
  }),
  route<undefined, StoredImage>({
    at: `PUT ${at}/tags/{tag}`,
    policy: 'modify_image',
    doc: 'tag an image',
    find: findImage,
    handle: async (deps, call) => tagged(deps, call, true),
  }),
  route<undefined, StoredImage>({
    at: `DELETE ${at}/tags/{tag}`,
    policy: 'modify_image',
    doc: 'remove a tag of an image',
    find: findImage,
    handle: async (deps, call) => tagged(deps, call, false),
  }),
  action('deactivate'),
  action('reactivate'),
];
