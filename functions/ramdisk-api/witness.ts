/**
 * Who was refused something that only an agent may have is told in the history of the node that it was about, with the
 * address. A stranger who asks in a loop leaves one line a minute.
 */
import { isoTime } from '../../layers/domain/values.ts';
import type { Platform } from '../../layers/platform/platform.ts';
import { eventWrite, type NodeEvent } from '../../layers/store/events.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';

/** The history's line about an agent, or about somebody who says to be one. */
export const agentEvent = (message: string, run: string | null): NodeEvent => ({
  kind: 'agent',
  severity: 'INFO',
  event_type: 'agent',
  message,
  ...(run !== null && { run }),
});

export type Witness = {
  /** Never throws: what was refused stays refused, also if nobody can write it down. */
  refused(node: StoredNode, source: string, what: string): Promise<void>;
};

const quietMs = 60_000;
/** Past so many different refusals within a minute it begins anew, so that nobody can fill the memory. */
const maxKept = 1000;

/** Keeps in memory what it told lately; another container may tell it again. */
export const createWitness = ({
  table,
  clock,
  ids,
  log,
}: Pick<Platform, 'table' | 'clock' | 'ids' | 'log'>): Witness => {
  const told = new Map<string, number>();
  const isNews = (what: string, now: number): boolean => {
    if (now - (told.get(what) ?? -Infinity) < quietMs) return false;
    if (told.size >= maxKept) told.clear();
    told.set(what, now);
    return true;
  };
  return {
    refused: async (node, source, what) => {
      const now = clock.now();
      const message = `Refused to ${source}: ${what}.`;
      if (!isNews(`${node.uuid} ${message}`, now)) return;
      const event = agentEvent(message, node.run);
      await table.write([eventWrite(node, event, isoTime(now), ids)]).catch((error: unknown) => {
        log.warn('A refusal was not written into the history.', { node: node.uuid, source, what, error });
      });
    },
  };
};
