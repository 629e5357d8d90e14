/** What the history of a node tells of who changed what of it: the names of fields, never their values. */
import { isDeepStrictEqual } from 'node:util';

import type { Subject } from '../../../layers/domain/policy.ts';
import { isObject, isoTime } from '../../../layers/domain/values.ts';
import { askedBy, eventWrite, type NodeEvent } from '../../../layers/store/events.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Change } from '../../../layers/store/records/plan.ts';
import type { Deps } from '../route.ts';

type Values = Readonly<Record<string, unknown>>;

const keysThatDiffer = (before: Values, after: Values): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );

/** The fields that differ, of objects the keys that do: `name`, `driver_info.redfish_address`. */
export const changedNames = (before: object, set: object): string[] => {
  const old: Values = { ...before };
  return Object.entries(set).flatMap(([field, value]) => {
    const was = old[field];
    if (isDeepStrictEqual(was, value)) return [];
    return isObject(was) && isObject(value) ? keysThatDiffer(was, value).map((key) => `${field}.${key}`) : [field];
  });
};

/** The event of a request that did `what`, such as `Changed`, to these. */
export const toldBy = (subject: Subject, what: string, names: readonly string[]): NodeEvent => ({
  kind: 'request',
  severity: 'INFO',
  event_type: 'change',
  message: `${what} ${names.join(', ')}.`,
  ...askedBy(subject),
});

/** The same of what belongs to the node, for the transaction that changes it. */
export const besideNode = (
  { clock, ids }: Pick<Deps, 'clock' | 'ids'>,
  node: StoredNode,
  event: NodeEvent,
): Pick<Change<never>, 'also'> => ({ also: [eventWrite(node, event, isoTime(clock.now()), ids)] });
