/** Members of images: projects that a shared image is offered to, and what they make of it. */
import * as z from 'zod';

import { Conflict, Forbidden, NotFound, TooLarge } from '../../layers/domain/fault.ts';
import { most } from '../../layers/domain/image/image.ts';
import { type Members, memberStatuses } from '../../layers/domain/image/member.ts';
import { allows } from '../../layers/domain/policy.ts';
import { isoTime, word } from '../../layers/domain/values.ts';
import { tenantKinds, type StoredImage } from '../../layers/store/kinds/tenants.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { findImage } from './find.ts';
import { type Call, type Deps, route, type Route } from './route.ts';
import { imagesPath, memberShape, memberView, schemasPath } from './view.ts';

const kind = tenantKinds.image;
const collection = `${imagesPath}/{image_id}/members` as const;
const at = `${collection}/{member_id}` as const;

/** As a key of an item it has to be one that keeps, and a project's is. */
const projectId = z
  .string()
  .regex(/^[\w.:@~-]{1,255}$/, 'must be the ID of a project')
  .refine((id) => id !== '__proto__');

const newBody = z.strictObject({ member: projectId });
const statusBody = z.looseObject({ status: word(memberStatuses) });

const refuseOthers = ({ visibility }: StoredImage): void => {
  if (visibility !== 'shared') throw Forbidden('Only shared images have members.');
};

const noSuch = (id: string, { uuid }: StoredImage) =>
  NotFound(`${id} not found in the member list of the image ${uuid}.`);

/** The members that this caller sees: the owner all, a member itself. */
const seenBy = (image: StoredImage, { subject }: Pick<Call, 'subject'>): Members => {
  refuseOthers(image);
  if (allows('get_members', subject, { owner: image.owner })) return image.members;
  return Object.fromEntries(Object.entries(image.members).filter(([id]) => id === subject.project));
};

type Wanted<Body = undefined> = Call<Body, StoredImage>;

/** Changes the members; `change` answers them as they are to be. */
const changeMembers = async (
  deps: Deps,
  { target }: Wanted<unknown>,
  change: (image: StoredImage, at: string) => Members,
) => {
  const { after } = await changeRecord(deps, kind, target.uuid, (image) => {
    refuseOthers(image);
    return { set: { members: change(image, isoTime(deps.clock.now())) } };
  });
  return after;
};

const add = async (deps: Deps, call: Wanted<z.output<typeof newBody>>) => {
  const { member: id } = call.body;
  const after = await changeMembers(deps, call, ({ uuid, members }, now) => {
    if (Object.hasOwn(members, id)) throw Conflict(`Member ${id} is duplicated for image ${uuid}`);
    if (Object.keys(members).length >= most.members) {
      throw TooLarge(`Image member limit exceeded for image ${uuid}: it has ${most.members} members already.`);
    }
    return { ...members, [id]: { status: 'pending', created_at: now, updated_at: now } };
  });
  return { body: memberView(after.uuid, id, after.members[id]!) };
};

/** What the member itself says; administrators may say it for any. Throws Forbidden (403), NotFound (404). */
const setStatus = async (deps: Deps, call: Wanted<z.output<typeof statusBody>>) => {
  const id = call.params['member_id']!;
  const { status } = call.body;
  const after = await changeMembers(deps, call, (image, now) => {
    const { members } = image;
    if (!Object.hasOwn(members, id) || !Object.hasOwn(seenBy(image, call), id)) throw noSuch(id, image);
    return { ...members, [id]: { ...members[id]!, status, updated_at: now } };
  });
  return { body: memberView(after.uuid, id, after.members[id]!) };
};

export const memberRoutes: readonly Route[] = [
  route<undefined, StoredImage>({
    at: `GET ${collection}`,
    policy: 'get_members',
    answers: { ...memberShape, list: 'members' },
    find: findImage,
    handle: async (_deps, call) => {
      const members = Object.entries(seenBy(call.target, call)).map(([id, one]) =>
        memberView(call.target.uuid, id, one),
      );
      return { body: { members, schema: `${schemasPath}/members` } };
    },
  }),
  route<z.output<typeof newBody>, StoredImage>({
    at: `POST ${collection}`,
    policy: 'add_member',
    find: findImage,
    body: newBody,
    takes: newBody,
    answers: memberShape,
    handle: add,
  }),
  route<undefined, StoredImage>({
    at: `GET ${at}`,
    policy: 'get_member',
    answers: memberShape,
    find: findImage,
    handle: async (_deps, call) => {
      const id = call.params['member_id']!;
      const members = seenBy(call.target, call);
      if (!Object.hasOwn(members, id)) throw noSuch(id, call.target);
      return { body: memberView(call.target.uuid, id, members[id]!) };
    },
  }),
  route<z.output<typeof statusBody>, StoredImage>({
    at: `PUT ${at}`,
    policy: 'modify_member',
    find: findImage,
    body: statusBody,
    answers: memberShape,
    handle: setStatus,
  }),
  route<undefined, StoredImage>({
    at: `DELETE ${at}`,
    policy: 'delete_member',
    find: findImage,
    handle: async (deps, call) => {
      const id = call.params['member_id']!;
      await changeMembers(deps, call, (image) => {
        if (!Object.hasOwn(image.members, id)) throw noSuch(id, image);
        const { [id]: _gone, ...left } = image.members;
        return left;
      });
      return {};
    },
  }),
];
