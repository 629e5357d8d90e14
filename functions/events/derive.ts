/** What a change of a node is worth: the events of it, made of the two forms of its item and of nothing else. */
import { isDeepStrictEqual } from 'node:util';

import { carried, type EventRow, eventRows, type EventDetail, type Told, watched } from '../../layers/domain/events.ts';
import { isoTime } from '../../layers/domain/values.ts';
import { type FeedRecord, fromImage, type Image } from '../../layers/platform/feed.ts';
import { toRecord } from '../../layers/store/kinds/form.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';

const read = [...new Set([...carried, ...watched])];

/** A node as far as events tell of it; in the form that nodes have now, so that a new form of the item is no change. */
const nodeOf = (image: Image | undefined, { pk, sk }: Image): StoredNode | undefined =>
  image && toRecord(kinds.node, { ...fromImage(image, read), ...fromImage({ pk: pk!, sk: sk! }) } as never);

type Forms = { readonly before: StoredNode | undefined; readonly after: StoredNode | undefined };

const valuesOf = (tells: Told, node: StoredNode | undefined): EventDetail['before'] =>
  node
    ? Object.fromEntries(
        Object.entries(tells).map(([name, { default: standard = null }]) => [
          name,
          node[name as keyof StoredNode] ?? standard,
        ]),
      )
    : null;

const happened = ({ before, after }: Forms): EventRow['on'] => {
  if (!before) return 'create';
  return after ? 'change' : 'delete';
};

/** Sorts as text: a node that was removed and made anew, under the same UUID, was made later. */
const sequenceOf = ({ before, after }: Forms): string => {
  const { position } = (after ?? before)!;
  const revision = after?.revision ?? before!.revision + 1;
  return `${position}-${String(revision).padStart(10, '0')}`;
};

const timeOf = ({ after }: Forms, told: number): string =>
  after ? (after.updated_at ?? after.created_at) : isoTime(told * 1000);

const envelopeOf = (forms: Forms, told: number) => {
  const { before, after } = forms;
  const either = <N extends keyof StoredNode>(name: N) => after?.[name] ?? before?.[name] ?? null;
  return {
    time: timeOf(forms, told),
    node_uuid: either('uuid')!,
    sequence: sequenceOf(forms),
    instance_uuid: either('instance_uuid'),
    owner: either('owner'),
    lessee: either('lessee'),
    // Who ends a run has made the change; a lock alone is that of a power action.
    run: before?.run ?? after?.run ?? before?.reservation ?? after?.reservation ?? null,
  };
};

/** The events of one change, in the order of their rows; mostly none. */
export const eventsOf = ({ dynamodb: told }: FeedRecord): EventDetail[] => {
  const { Keys, OldImage, NewImage, ApproximateCreationDateTime: seconds } = told;
  const forms: Forms = { before: nodeOf(OldImage, Keys), after: nodeOf(NewImage, Keys) };
  const on = happened(forms);
  return eventRows.flatMap(([type, row]) => {
    const before = valuesOf(row.tells, forms.before);
    const after = valuesOf(row.tells, forms.after);
    if (row.on !== on || (on === 'change' && isDeepStrictEqual(before, after))) return [];
    const { time, node_uuid, sequence, ...rest } = envelopeOf(forms, seconds);
    return [{ id: `${sequence}-${type}`, type, time, node_uuid, sequence, before, after, ...rest }];
  });
};
