/** What a change of a node is worth: the events of it, made of the two forms of its item and of nothing else. */
import { isDeepStrictEqual } from 'node:util';

import { carried, type EventRow, eventRows, type EventDetail, type Told, watched } from '../../layers/domain/events.ts';
import { isoTime } from '../../layers/domain/values.ts';
import { type FeedRecord, fromImage, type Image } from '../../layers/platform/feed.ts';
import { valuesOf } from '../../layers/store/kinds/form.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';

const read = [...new Set([...carried, ...watched])];

/** What is stored of a node, as far as events tell of it. */
type Stored = Partial<StoredNode>;

/** In the form that nodes have now, so that a new form of the item is no change. */
const nodeOf = (image: Image | undefined): Stored | undefined =>
  image && valuesOf(kinds.node, fromImage(image, read) as never);

type Forms = { readonly before: Stored | undefined; readonly after: Stored | undefined };

const valueOf = (node: Stored, name: string, { default: standard = null }: Told[string]): unknown =>
  node[name as keyof StoredNode] ?? standard;

const told = (tells: Told, node: Stored | undefined): EventDetail['before'] =>
  node ? Object.fromEntries(Object.entries(tells).map(([name, row]) => [name, valueOf(node, name, row)])) : null;

const isDue = ({ on, tells }: EventRow, { before, after }: Forms): boolean => {
  if (!before || !after) return on === (after ? 'create' : 'delete');
  const differs = ([name, row]: readonly [string, Told[string]]) =>
    !isDeepStrictEqual(valueOf(before, name, row), valueOf(after, name, row));
  return on === 'change' && Object.entries(tells).some(differs);
};

/** Sorts as text: a node that was removed and made anew, under the same UUID, was made later. */
const sequenceOf = ({ before, after }: Forms): string => {
  const { position } = (after ?? before)!;
  const revision = after ? after.revision! : before!.revision! + 1;
  return `${position}-${String(revision).padStart(10, '0')}`;
};

const timeOf = ({ after }: Forms, seconds: number): string =>
  after ? (after.updated_at ?? after.created_at!) : isoTime(seconds * 1000);

const envelopeOf = (forms: Forms, seconds: number) => {
  const { before, after } = forms;
  const either = <N extends keyof StoredNode>(name: N) => after?.[name] ?? before?.[name] ?? null;
  return {
    time: timeOf(forms, seconds),
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
export const eventsOf = ({ dynamodb }: FeedRecord): EventDetail[] => {
  const forms: Forms = { before: nodeOf(dynamodb.OldImage), after: nodeOf(dynamodb.NewImage) };
  const due = eventRows.filter(([, row]) => isDue(row, forms));
  if (due.length === 0) return [];
  const { time, node_uuid, sequence, ...rest } = envelopeOf(forms, dynamodb.ApproximateCreationDateTime);
  return due.map(([type, { tells }]) => {
    const [before, after] = [told(tells, forms.before), told(tells, forms.after)];
    return { id: `${sequence}-${type}`, type, time, node_uuid, sequence, before, after, ...rest };
  });
};
