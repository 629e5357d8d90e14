/**
 * Removes configdrives that no node refers to: left by a crash between storing one and the write that names it, or
 * between undeploy's write and the removal.
 */
import { configdriveObject, configdrivesOf } from '../../layers/domain/configdrive.ts';
import { readNode } from '../../layers/store/nodes.ts';
import type { Ports } from '../../layers/store/ports.ts';

/** Younger ones may be about to be named, ms. */
const minAge = 24 * 60 * 60 * 1000;

/** A UUID's first two digits part the fleet; each part has its five minutes, all have one in 21 hours. */
const parts = 256;
const turn = 5 * 60 * 1000;

type Needs = Pick<Ports, 'table' | 'objects' | 'clock' | 'log'>;

/** One part of the fleet, so that a call costs little however many nodes there are. */
export const sweepConfigdrives = async ({ table, objects, clock, log }: Needs): Promise<void> => {
  const now = clock.now();
  const part = (Math.floor(now / turn) % parts).toString(16).padStart(2, '0');
  for (const { key, put_at } of await objects.list(configdrivesOf(part))) {
    const uuid = key.split('/')[1]!;
    if (now - put_at < minAge) continue;
    const node = await readNode(table, uuid);
    if (node && configdriveObject(node) === key) continue;
    await objects.remove(key);
    log.info('A configdrive that no node refers to was removed.', { node: uuid });
  }
};
