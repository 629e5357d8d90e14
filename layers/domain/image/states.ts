/** The states of an image as a table (compute-api.md 9): what may happen to it, and what it then is. */
import { Conflict } from '../fault.ts';

const rows = {
  /** There is no data yet. */
  queued: { save: 'saving', stage: 'uploading', link: 'uploading', locate: 'active', delete: 'pending_delete' },
  /** A request is storing its data. One that died is known by its age. */
  saving: { saved: 'active', save: 'saving', lost: 'queued', delete: 'pending_delete' },
  /** It is uploaded by a link, or was, and waits for its import. */
  uploading: { link: 'uploading', staged: 'active', lost: 'queued', delete: 'pending_delete' },
  /** Servers are made of it. */
  active: { deactivate: 'deactivated', reactivate: 'active', delete: 'pending_delete' },
  /** Administrators have stopped it: nobody else gets its data. */
  deactivated: { deactivate: 'deactivated', reactivate: 'active', delete: 'pending_delete' },
  /** It is gone for everybody; its data is removed first, then this record of it. */
  pending_delete: { delete: 'pending_delete' },
} as const;

export type ImageStatus = keyof typeof rows;
export type ImageEvent = { [S in ImageStatus]: keyof (typeof rows)[S] }[ImageStatus];

const imageStates: { readonly [S in ImageStatus]: { readonly [E in ImageEvent]?: ImageStatus } } = rows;

/** Those that filters and schemas name, with those of Glance that no image has here. */
export const imageStatuses = [
  ...(Object.keys(rows) as [ImageStatus, ...ImageStatus[]]),
  'importing',
  'killed',
  'deleted',
] as const;

/** What `event` makes of an image in this state. Throws Conflict (409), or `refuse` with the words of Glance, if it is not possible. */
export const nextStatus = (status: ImageStatus, event: ImageEvent, why: string, refuse = Conflict): ImageStatus => {
  const next = imageStates[status][event];
  if (next === undefined) throw refuse(why);
  return next;
};
