/** Carries servers over: each is written, or it is told why not. May be stopped anywhere and begun again. */
import type { Outcome } from '../target.ts';
import { judgeServer, type Judged, type ServerRecord } from './server-record.ts';
import { largestBatch, type ServerTarget } from './server-target.ts';
import type { Odd, Server, Servers } from './servers.ts';

/** What became of a server of the listing; each has one. */
export type Moved = { readonly id: string; readonly name: string } & (
  | { readonly is: 'imported'; readonly node_uuid: unknown }
  | { readonly is: 'rejected'; readonly reason: string; readonly detail: string }
  | { readonly is: 'skipped'; readonly reason: string }
);

const become = ({ record }: { record: ServerRecord }, { outcome, reason = 'no reason given' }: Outcome) => {
  if (outcome === 'created') return { is: 'imported', node_uuid: record['node_uuid'] } as const;
  if (outcome === 'unchanged') return { is: 'skipped', reason: 'identical' } as const;
  return { is: 'rejected', reason: outcome, detail: reason } as const;
};

type Pair = { readonly server: Server | Odd; readonly judged: Judged };

const moveBatch = async (batch: readonly Pair[], target: ServerTarget): Promise<Moved[]> => {
  const wanted = batch.flatMap(({ judged }) => (judged.is === 'server' ? [judged] : []));
  const outcomes = wanted.length === 0 ? [] : await target.write(wanted.map(({ record }) => record));
  const became = new Map(wanted.map((one, at) => [one as Judged, become(one, outcomes[at]!)]));
  return batch.map(({ server: { id, name }, judged }) => {
    return { id, name, ...(judged.is === 'server' ? became.get(judged)! : judged) };
  });
};

/** In the order of the listing. Throws what source and target throw. */
export const moveServers = async function* (servers: Servers, target: ServerTarget): AsyncGenerator<Moved> {
  const nodes = await target.nodes();
  const flavors = await servers.flavors();
  for await (const page of servers.pages()) {
    const judged = page.map((server) => ({ server, judged: judgeServer(server, flavors, nodes) }));
    for (let at = 0; at < judged.length; at += largestBatch) {
      yield* await moveBatch(judged.slice(at, at + largestBatch), target);
    }
  }
};
