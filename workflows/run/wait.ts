/** Ending the wait of an execution whose task token stands with its owner. */
import type { Platform } from '../../layers/platform/platform.ts';
import { equals, isConditionFailed, type Key } from '../../layers/platform/table.ts';

type Needs = Pick<Platform, 'table' | 'workflows'>;

/** A task token, and where it stands. */
type Standing = { readonly key: Key; readonly token: string };

/**
 * Continues the execution that waits by the token. It is delivered before the item goes: a process that dies in between
 * delivers it again, which is harmless.
 */
export const deliverTo = async (
  { table, workflows }: Needs,
  { key, token }: Standing,
  output: object,
): Promise<void> => {
  await workflows.succeed(token, output);
  await table.write([{ delete: key, when: [equals('token', token)] }]).catch((error: unknown) => {
    // A newer wait has taken its place.
    if (!isConditionFailed(error)) throw error;
  });
};
