/**
 * What becomes of every row of a nova_bm, in the order of their ids, first nodes and then ports. Reading is in batches;
 * what is kept of a row is what later ones are compared with: its id, its UUID, its addresses.
 */
import type { Source } from '../sources/source.ts';
import { nodeOf, type NodeOptions, type NodeRecord, refuseNode, type Secrets } from './node.ts';
import { macOf, portOf, type PortRecord } from './port.ts';
import { survey, type Survey } from './survey.ts';
import { type InterfaceRow, type NodeRow, rowsOf, type SourceTable } from './tables.ts';

type Of = { readonly table: SourceTable; readonly id: number };

/** What is told of a row; each row has one entry that is no warning. */
export type Entry = Of &
  (
    | { readonly is: 'node'; readonly record: NodeRecord; readonly secrets: Secrets }
    | { readonly is: 'port'; readonly record: PortRecord }
    | { readonly is: 'rejected'; readonly reason: string; readonly detail: string }
    | { readonly is: 'skipped'; readonly reason: string; readonly uuid?: string }
    | { readonly is: 'warning'; readonly warning: string; readonly detail: string }
  );

/** Who has something that only one may have; the first one keeps it. */
const createClaims = () => {
  const holders = new Map<string, number>();
  return (what: string, id: number): number | undefined => {
    const holder = holders.get(what);
    if (holder === undefined) holders.set(what, id);
    return holder;
  };
};
type Claim = ReturnType<typeof createClaims>;

const nodes = { table: 'bm_nodes' } as const;
const interfaces = { table: 'bm_interfaces' } as const;

/** A node without a password can be imported, and nobody can power it. */
const withoutCredentials = ({ pm_user, pm_password }: NodeRow): string | undefined => {
  const missing = Object.entries({ pm_user, pm_password }).filter(([, value]) => value === null);
  const names = missing.map(([name]) => name).join(' and ');
  return names === '' ? undefined : `${names} ${missing.length > 1 ? 'are' : 'is'} NULL`;
};

const importNode = function* (row: NodeRow, options: NodeOptions, consoles: Claim, managers: Claim): Generator<Entry> {
  const { id, service_host, terminal_port, pm_address } = row;
  const console = terminal_port === null ? undefined : consoles(JSON.stringify([service_host, terminal_port]), id);
  const manager = managers(pm_address!, id);
  const warnings = {
    'missing-power-credentials': withoutCredentials(row),
    'shared-terminal-port':
      console === undefined
        ? undefined
        : `terminal_port ${terminal_port} on ${service_host ?? 'no host'} is already used by bm_nodes id ${console}; not carried over`,
    'shared-power-address':
      manager === undefined ? undefined : `pm_address ${pm_address} is already used by bm_nodes id ${manager}`,
  };
  yield { is: 'node', ...nodes, id, ...nodeOf(row, options, console === undefined) };
  for (const [warning, detail] of Object.entries(warnings)) {
    if (detail !== undefined) yield { is: 'warning', ...nodes, id, warning, detail };
  }
};

/** UUIDs of the nodes that are imported, by the id of their row. */
type Imported = Map<number, string>;

const planNodes = async function* (
  source: Source,
  all: Survey,
  options: NodeOptions,
  imported: Imported,
): AsyncGenerator<Entry> {
  const [consoles, managers] = [createClaims(), createClaims()];
  for await (const batch of rowsOf(source, 'bm_nodes')) {
    for (const row of batch) {
      const { id } = row;
      const refused = refuseNode(row, all);
      if (row.deleted === true) yield { is: 'skipped', ...nodes, id, reason: 'soft-deleted' };
      else if (refused) yield { is: 'rejected', ...nodes, id, ...refused };
      else {
        imported.set(id, row.uuid!.toLowerCase());
        yield* importNode(row, options, consoles, managers);
      }
    }
  }
};

/** Why an interface is rejected; undefined: it becomes a port. A MAC is that of the first one that is imported. */
const refuseInterface = (
  { id, bm_node_id, address }: InterfaceRow,
  all: Survey,
  imported: Imported,
  addresses: Claim,
): { reason: string; detail: string } | undefined => {
  if (bm_node_id === null) return { reason: 'orphan-interface', detail: 'bm_node_id is NULL' };
  if (!all.has(bm_node_id)) return { reason: 'orphan-interface', detail: `bm_node_id ${bm_node_id} does not exist` };
  if (!imported.has(bm_node_id)) {
    return { reason: 'parent-not-imported', detail: `bm_nodes id ${bm_node_id} was not imported` };
  }
  const mac = macOf(address ?? '');
  if (mac === undefined) return { reason: 'invalid-mac', detail: `address is not a MAC: ${address ?? 'NULL'}` };
  const holder = addresses(mac, id);
  if (holder === undefined) return undefined;
  return { reason: 'duplicate-mac', detail: `${mac} is already used by bm_interfaces id ${holder}` };
};

const planPorts = async function* (
  source: Source,
  all: Survey,
  imported: Imported,
  withPorts: Set<number>,
): AsyncGenerator<Entry> {
  const addresses = createClaims();
  for await (const batch of rowsOf(source, 'bm_interfaces')) {
    for (const row of batch) {
      const { id, bm_node_id } = row;
      if (row.deleted === true) {
        yield { is: 'skipped', ...interfaces, id, reason: 'soft-deleted' };
        continue;
      }
      const refused = refuseInterface(row, all, imported, addresses);
      if (refused) yield { is: 'rejected', ...interfaces, id, ...refused };
      else {
        withPorts.add(bm_node_id!);
        yield { is: 'port', ...interfaces, id, record: portOf(row, imported.get(bm_node_id!)!, macOf(row.address!)!) };
      }
    }
  }
};

/** `checkSchema` comes first. Throws what the source throws. */
export const planNovaBm = async function* (source: Source, options: NodeOptions): AsyncGenerator<Entry> {
  const all = await survey(source);
  const imported: Imported = new Map();
  const withPorts = new Set<number>();
  yield* planNodes(source, all, options, imported);
  yield* planPorts(source, all, imported, withPorts);
  for (const id of imported.keys()) {
    if (withPorts.has(id)) continue;
    yield { is: 'warning', ...nodes, id, warning: 'no-ports', detail: 'node was imported without any port' };
  }
};
