/** Who sees an image, and in which lists (compute-api.md 9, and as Glance does it). */
import type { Lookup } from '../filters.ts';
import type { Owned, Subject } from '../policy.ts';
import type { Image } from './image.ts';
import type { MemberStatus } from './member.ts';

type Seen = Pick<Image, 'owner' | 'visibility' | 'members' | 'status'>;

/** What rules look at: of a shared image the caller may be a member, whatever it makes of the offer. */
export const ownedAs = (image: Seen, { project }: Subject): Owned => ({
  owner: image.owner,
  lessee: image.visibility === 'shared' && project !== null && Object.hasOwn(image.members, project) ? project : null,
  public: image.visibility === 'public' || image.visibility === 'community',
});

/** Which images a list is about. `member_status`: of those that are offered to the project. */
export type View = { readonly visibility: string | undefined; readonly member_status: MemberStatus | 'all' };

const isOffered = ({ visibility, members }: Seen, project: string, { member_status: wanted }: View): boolean => {
  const status = visibility === 'shared' && Object.hasOwn(members, project) ? members[project]!.status : undefined;
  return status !== undefined && (wanted === 'all' || wanted === status);
};

/**
 * Whether a list shows the image to this caller: what is of its project, what is public, and what it has accepted. What
 * the community shares is shown to whoever asks for that visibility, or for all. Administrators see everything else.
 */
export const isListed = (image: Seen, { project, scope }: Subject, view: View): boolean => {
  const { visibility, owner, status } = image;
  if (status === 'pending_delete') return false;
  const isOwn = owner === project;
  const asked = view.visibility === 'all' || view.visibility === visibility;
  if (view.visibility === undefined ? visibility === 'community' && !isOwn : !asked) return false;
  if (scope === 'system' || isOwn) return true;
  return visibility === 'public' || visibility === 'community' || isOffered(image, project ?? '', view);
};

/** Where those are that a list may show to this caller; undefined: everywhere. */
export const lookupsFor = ({ project, scope }: Subject, { visibility }: View): readonly Lookup[] | undefined => {
  if (scope === 'system') return undefined;
  const open = visibility === 'all' ? ['public', 'community'] : [visibility === 'community' ? visibility : 'public'];
  return [
    ...open.map((value) => ({ index: 'visibility', value })),
    ...(project === null ? [] : ['owner', 'member'].map((index) => ({ index, value: project }))),
  ];
};
