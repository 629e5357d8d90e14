/**
 * The sealed values of a node (DESIGN.md 7): driver_info credentials and the agent token, in an item of their own that
 * the node's record never holds. A write names the revision that was read, so two writers cannot undo each other.
 */
import type { Key, Table, Write } from '../platform/table.ts';
import { absent, equals } from '../platform/table.ts';

export type NodeSecrets = {
  /** driver_info names, or `agent_secret_token`, to sealed values. */
  readonly values: Readonly<Record<string, string>>;
  /** 0: there is no item yet. */
  readonly revision: number;
};

/** The sealed values stand with the node, in an item that only secrets are read from. */
export const secretKey = (uuid: string): Key => ({ pk: `node#${uuid}`, sk: 'secret' });

/** What is sealed for a node; empty for one that has nothing or does not exist. */
export const readSecrets = async (table: Table, uuid: string): Promise<NodeSecrets> => {
  const item = await table.get(secretKey(uuid));
  return {
    values: (item?.['values'] as Record<string, string> | undefined) ?? {},
    revision: (item?.['revision'] as number | undefined) ?? 0,
  };
};

/** The write that replaces all values, for the transaction that changes the node; refused if somebody else wrote. */
export const secretsWrite = (uuid: string, before: NodeSecrets, values: NodeSecrets['values']): Write => ({
  put: { ...secretKey(uuid), values, revision: before.revision + 1 },
  when: [before.revision === 0 ? absent : equals('revision', before.revision)],
});
