/** An Ironic as it is read: by the highest microversion that both know, page by page, with patience. */
import * as z from 'zod';

import { Fault } from '../../layers/domain/fault.ts';
import { MAX } from '../../layers/domain/versions.ts';
import { faultstringOf, patiently, type Reply, type Service } from '../service.ts';
import { resources, type ResourceName } from './fields.ts';

export type Values = Readonly<Record<string, unknown>>;

/** Some records of a list, as its next page. */
export type Page = {
  readonly records: readonly Values[];
  /** The same page, as it is by now. */
  again(): Promise<readonly Values[]>;
};

export type Ironic = {
  /** The N of its 1.N. */
  readonly version: number;
  /** Any answer but one that may be better later. Throws Unavailable (503) after two minutes of patience, AccessDenied. */
  ask(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Reply>;
  /** The body of a GET. Throws Fault SourceFailed (502) for an answer that is no success. */
  read(path: string): Promise<Values>;
  /** All records of a list in its own order; none if the list came with a later version. `node`: whose list it is. */
  pages(name: ResourceName, node?: string): AsyncGenerator<Page>;
};

/** The oldest that can be moved: Rocky's, of which on all nodes have what is read of them. */
const oldest = 46;

/** Records in a page; Ironic takes its time for each of a node. */
const largestPage = 200;

const versionAnswer = z.object({ version: z.object({ version: z.string().regex(/^1\.\d+$/) }) });

const nameOf = (version: number) => ({
  'OpenStack-API-Version': `baremetal 1.${version}`,
  'X-OpenStack-Ironic-API-Version': `1.${version}`,
});

const SourceFailed = (path: string, { status, body }: Reply): Fault =>
  new Fault('SourceFailed', 502, `The source answered ${path.split('?')[0]} with ${status}: ${faultstringOf(body)}`);

const negotiate = async (service: Service): Promise<number> => {
  const reply = await service('GET', '/v1', {});
  const { data } = versionAnswer.safeParse(reply.body);
  if (!data)
    throw new Fault('SourceFailed', 502, 'The source does not answer as a Bare Metal API does: look at its URL.');
  const newest = Number(data.version.version.slice(2));
  if (newest >= oldest) return Math.min(newest, MAX);
  throw new Fault(
    'unsupported-version',
    400,
    `The source speaks up to 1.${newest}, and what is moved begins with 1.${oldest}: upgrade it to Rocky or later first.`,
  );
};

const pathOf = (name: ResourceName, version: number, node: string, marker: string | undefined): string => {
  const path = resources[name].path.replace('{node}', node);
  const query = new URLSearchParams({ limit: String(largestPage), ...(marker !== undefined && { marker }) });
  // Children of other nodes are in no list without it.
  if (name === 'node' && version >= 83) query.set('include_children', 'true');
  return `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`;
};

/** Finds out what it speaks. `sleep` takes milliseconds. Throws Fault SourceFailed (502), unsupported-version (400). */
export const openIronic = async (service: Service, sleep: (ms: number) => Promise<unknown>): Promise<Ironic> => {
  const version = await negotiate(service);
  const headers = nameOf(version);
  const ask: Ironic['ask'] = async (method, path, body) =>
    patiently(async () => service(method, path, { headers, ...(body && { body }) }), sleep);
  const read = async (path: string): Promise<Values> => {
    const reply = await ask('GET', path);
    if (reply.status !== 200 || typeof reply.body !== 'object' || reply.body === null) throw SourceFailed(path, reply);
    return reply.body as Values;
  };
  const pages: Ironic['pages'] = async function* (name, node = '') {
    const { list, since } = resources[name];
    if (since > version) return;
    let marker: string | undefined;
    for (;;) {
      const path = pathOf(name, version, node, marker);
      const answer = await read(path);
      const records = answer[list] as readonly Values[];
      if (records.length > 0) yield { records, again: async () => (await read(path))[list] as readonly Values[] };
      if (answer['next'] === undefined || records.length === 0) return;
      marker = records.at(-1)!['uuid'] as string;
    }
  };
  return { version, ask, read, pages };
};
