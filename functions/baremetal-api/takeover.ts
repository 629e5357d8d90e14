/**
 * /v1/takeovers, an addition to Ironic's API for whoever moves in (ADR 22): machines that came with an instance are
 * looked at before anything may be done to them. Many are asked for at a time, and again as often as one likes.
 */
import * as z from 'zod';

import { eachAtOnce } from '../../layers/domain/at-once.ts';
import { takeoverProgress } from '../../layers/domain/baremetal/takeover.ts';
import { isFault } from '../../layers/domain/fault.ts';
import { note } from '../../layers/domain/notes.ts';
import type { Subject } from '../../layers/domain/policy.ts';
import { isoTime, timestamp, uuid } from '../../layers/domain/values.ts';
import { askedBy } from '../../layers/store/events.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { findRecord } from '../../layers/store/records/find.ts';
import { eachRecord, listRecords } from '../../layers/store/records/list.ts';
import { startRun } from '../../workflows/run/start.ts';
import { beginTakeover } from '../../workflows/takeover/begin.ts';
import { type Deps, route, type Route } from './route.ts';

/** Each is a write and the start of an execution. */
const maxNodes = 100;
/** Those that failed, of which each comes with its reason. */
const maxFailed = 1000;
/** At a time: one after the other API Gateway would not wait; fewer than connections that the SDK opens. */
const atOnce = 16;

const body = z.strictObject({
  nodes: z.array(z.string()).min(1).max(maxNodes).optional().describe('By UUID or name. Absent: those of `states`.'),
  states: z
    .array(z.enum(['pending', 'failed']))
    .min(1)
    .optional()
    .describe('How far those are that are looked for. Default: pending.'),
  limit: z.int().min(1).max(maxNodes).optional().describe('How many of them at most.'),
});
type Body = z.output<typeof body>;

const begun = z.object({
  started: z.array(uuid),
  refused: z.array(z.object({ node: z.string(), reason: z.string() })),
});

const failure = z.object({
  node_uuid: uuid,
  name: z.string().nullable(),
  since: timestamp,
  reason: z.string().nullable(),
});
const progress = z.object({
  counts: z.object(Object.fromEntries(takeoverProgress.map((state) => [state, z.int()]))),
  failed: z.array(failure),
});

const page = (limit: number) => ({ limit, marker: undefined, sort_key: 'id', descending: false });

const wanted = async ({ table }: Deps, { nodes, states = ['pending'], limit = maxNodes }: Body) => {
  if (nodes) return [...new Set(nodes)];
  const lookups = [...new Set(states)].map((value) => ({ index: 'takeover', value }));
  return (await listRecords(table, kinds.node, page(limit), { lookups, reads: ['uuid'] })).map((node) => node.uuid);
};

/** Gives the node to a run and starts that. Answers the UUID. Throws NotFound (404), NodeLocked, Conflict (409). */
const begin = async (deps: Deps, ident: string, subject: Subject): Promise<string> => {
  const { uuid: found } = await findRecord(deps.table, kinds.node, ident);
  const birth = deps.ids.ulid();
  const { after } = await changeRecord(deps, kinds.node, found, (node) => {
    const set = beginTakeover(node, birth, isoTime(deps.clock.now()));
    const asked = {
      kind: 'request',
      severity: 'INFO',
      event_type: 'takeover',
      message: 'Asked for takeover.',
    } as const;
    return { set, events: [{ ...asked, run: set.run!, ...askedBy(subject) }] };
  });
  await startRun(deps, 'takeover', after.run!, { node: found });
  return found;
};

const count = async ({ table }: Deps, state: string): Promise<number> => {
  let found = 0;
  const lookups = [{ index: 'takeover', value: state }];
  await eachRecord(table, kinds.node, { lookups, reads: ['uuid'] }, () => (found += 1));
  return found;
};

const failed = async ({ table }: Deps): Promise<z.output<typeof failure>[]> => {
  const lookups = [{ index: 'takeover', value: 'failed' }];
  const nodes = await listRecords(table, kinds.node, page(maxFailed), { lookups });
  return nodes.map((node) => {
    const { since, reason = null } = note(node, 'takeover')!;
    return { node_uuid: node.uuid, name: node.name, since, reason };
  });
};

export const takeoverRoutes: readonly Route[] = [
  route<Body>({
    at: 'POST /v1/takeovers',
    movesIn: true,
    policy: 'baremetal:takeover:create',
    status: 202,
    body,
    shows: begun,
    doc: 'Looks at machines that were moved in with an instance; once that has succeeded, they can be worked with.',
    handle: async (deps, call) => {
      const started: string[] = [];
      const refused: { node: string; reason: string }[] = [];
      await eachAtOnce(await wanted(deps, call.body), atOnce, async (node) => {
        try {
          started.push(await begin(deps, node, call.subject));
        } catch (error) {
          if (!isFault(error) || error.code >= 500) throw error;
          refused.push({ node, reason: error.message });
        }
      });
      return { body: { started, refused } };
    },
  }),
  route({
    at: 'GET /v1/takeovers',
    policy: 'baremetal:takeover:get',
    shows: progress,
    doc: 'How many takeovers are how far, and why some have failed.',
    handle: async (deps) => {
      const counts = await Promise.all(
        takeoverProgress.map(async (state) => [state, await count(deps, state)] as const),
      );
      return { body: { counts: Object.fromEntries(counts), failed: await failed(deps) } };
    },
  }),
];
