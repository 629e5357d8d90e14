/** Finding a machine for a server, and claiming it (exact-filters.md 4). */
import { isBaremetal } from '../../layers/baremetal-client/faults.ts';
import type { ShownNode } from '../../layers/baremetal-client/shown.ts';
import { zoneOf } from '../../layers/domain/compute/availability-zone.ts';
import type { GroupPolicy } from '../../layers/domain/compute/server-group.ts';
import type { Table } from '../../layers/platform/table.ts';
import { findCandidates, type Findings, tellFindings } from '../../layers/schedule/search.ts';
import { type Wish, wishOf } from '../../layers/schedule/wish.ts';
import { computeKinds, type StoredServer } from '../../layers/store/kinds/compute.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { NoValidHost } from '../owners/server/failures.ts';
import { imageOf } from '../owners/server/guest.ts';
import { note } from '../owners/server/history.ts';
import { stillOwn } from '../owners/server/hold.ts';
import { answer, done, type ServerContext, type ServerPhase } from '../owners/server/phase.ts';

/** Nodes that are kept of those that fit. */
const kept = 10;

/** How often others may take all of them before it is looked for no more. */
const maxSearches = 20;
/** Who comes too late pauses by chance, longer with each time, ms. */
const pause = 250;

const policyOf = async (table: Table, { server_groups: [group] }: StoredServer): Promise<GroupPolicy | null> => {
  const found = group === undefined ? undefined : await readRecord(table, computeKinds.server_group, group);
  return found?.policy ?? null;
};

const readWish = async ({ platform: { table }, server, settings }: ServerContext): Promise<Wish> => {
  const [image, policy] = await Promise.all([imageOf(table, server), policyOf(table, server)]);
  const { flavor, pinned_availability_zone: zone, tried } = server;
  return wishOf({ flavor, image: image?.properties ?? {}, zone, policy, tried }, settings);
};

/** For administrators: which filter dropped how many nodes, and which ones. */
const reportOf = (findings: Findings): string =>
  JSON.stringify({ summary: tellFindings(findings), ...findings, candidates: findings.candidates.slice(0, kept) });

/** Throws NoValidHost. */
export const schedule: ServerPhase = {
  shows: 'scheduling',
  run: async (context) => {
    const { machines, platform, server, settings } = context;
    if (server.searches >= maxSearches) throw NoValidHost(`Others took all nodes that fit, ${server.searches} times.`);
    await platform.clock.sleep(platform.chance.number() * pause * server.searches);
    const wish = await readWish(context);
    const list = machines.listCandidates;
    const findings = await findCandidates({ list, chance: platform.chance }, wish, settings.strategy);
    if (findings.candidates.length === 0) {
      await note(context, 'Schedule found no machine.', reportOf(findings));
      throw NoValidHost(tellFindings(findings));
    }
    const candidates = findings.candidates.slice(0, kept);
    return done(({ searches }) => ({ candidates, searches: searches + 1 }), { details: reportOf(findings) });
  },
};

const claimed =
  ({ settings }: ServerContext, node: ShownNode) =>
  ({ tried }: StoredServer): Partial<StoredServer> => ({
    node_uuid: node.uuid,
    host: settings.host,
    availability_zone: zoneOf(node),
    tried: tried.at(-1) === node.uuid ? tried : [...tried, node.uuid],
    candidates: [],
    searches: 0,
  });

const answers = { is: ['claimed', 'none'] } as const;

/** Whoever else wants the node is not in the way for long: the next one is tried, which costs no build. */
const isOthers = (error: unknown): boolean =>
  isBaremetal(error, 'BaremetalTaken') || isBaremetal(error, 'BaremetalNotFound');

const claimFirst = async (context: ServerContext): Promise<ShownNode | undefined> => {
  const { machines, platform, server, run } = context;
  for (const candidate of server.candidates) {
    await stillOwn(platform, { uuid: server.uuid, run });
    try {
      return await machines.claim(candidate, server.uuid);
    } catch (error) {
      if (!isOthers(error)) throw error;
    }
  }
  return undefined;
};

/** Claims the first candidate that nobody else has; a claim whose answer was lost counts. */
export const claim: ServerPhase<typeof answers> = {
  answers,
  run: async (context) => {
    const node = (await context.machines.nodeOfInstance(context.server.uuid)) ?? (await claimFirst(context));
    return node ? answer({ is: 'claimed' }, claimed(context, node)) : answer({ is: 'none' });
  },
};
