/** Where servers are moved to: the import operation of our Compute API (ADR 25), in batches that may come again. */
import * as z from 'zod';

import { Fault } from '../../layers/domain/fault.ts';
import { type Asking as Asked, patiently, type Service } from '../service.ts';
import { outcome, type Outcome } from '../target.ts';
import { answered } from './answer.ts';
import type { ServerRecord } from './server-record.ts';

export type ServerTarget = {
  /** UUIDs of the machines that are there. */
  nodes(): Promise<ReadonlySet<string>>;
  /** In the order of the records, at most `largestBatch` of them. */
  write(servers: readonly ServerRecord[]): Promise<readonly Outcome[]>;
};

/** Servers in a request. */
export const largestBatch = 50;

const headers = { 'OpenStack-API-Version': 'compute 2.53' };

const machines = z.object({ hypervisors: z.array(z.object({ id: z.string(), hypervisor_hostname: z.string() })) });
const answer = z.object({ results: z.array(outcome) });

const Wrong = (asked: string) => new Fault('ComputeFailed', 502, `What answered ${asked} is no Compute API of Ingot.`);

type Options = {
  /** Nothing is written, and `created` is what would be. */
  readonly dry_run: boolean;
  /** Takes milliseconds. */
  sleep(ms: number): Promise<unknown>;
};

/** Throws Fault ComputeFailed (502) and what the service throws. */
export const createServerTarget = (compute: Service, { dry_run, sleep }: Options): ServerTarget => {
  const ask = async (method: 'GET' | 'POST', path: string, asking: Asked = {}): Promise<unknown> => {
    const reply = await patiently(async () => compute(method, path, { headers, ...asking }), sleep);
    return answered(reply, `${method} ${path.split('?')[0]}`);
  };
  return {
    nodes: async () => {
      const found = new Set<string>();
      for (let marker = ''; ;) {
        const { data } = machines.safeParse(await ask('GET', `/os-hypervisors?limit=1000${marker}`));
        if (!data) throw Wrong('GET /os-hypervisors');
        for (const { hypervisor_hostname: name } of data.hypervisors) found.add(name.toLowerCase());
        const last = data.hypervisors.at(-1);
        if (!last) return found;
        marker = `&marker=${last.id}`;
      }
    },
    write: async (servers) => {
      const { data } = answer.safeParse(await ask('POST', '/imports', { body: { servers, dry_run } }));
      if (data?.results.length !== servers.length) throw Wrong('POST /imports');
      return data.results;
    },
  };
};
