/**
 * What an import did, for machines: the form of nova-bm-migration.md 9. Records are written as they come, so that a report
 * of any size needs no memory; a secret is never in it, not even on its way to the file.
 */
import { mask } from '../../layers/domain/masking.ts';
import type { Entry } from './plan.ts';

type Problem = Extract<Entry, { is: 'rejected' | 'skipped' | 'warning' }>;

const nothing = {
  nodes_read: 0,
  nodes_imported: 0,
  nodes_rejected: 0,
  nodes_skipped: 0,
  interfaces_read: 0,
  ports_imported: 0,
  interfaces_rejected: 0,
  interfaces_skipped: 0,
  warnings: 0,
};
export type Summary = { -readonly [N in keyof typeof nothing]: number };

/** What is counted for each entry. Each row read is imported, rejected or skipped. */
const counted = ({ is, table }: Entry): (keyof Summary)[] => {
  if (is === 'warning') return ['warnings'];
  if (is === 'node') return ['nodes_read', 'nodes_imported'];
  if (is === 'port') return ['interfaces_read', 'ports_imported'];
  const rows = table === 'bm_nodes' ? 'nodes' : 'interfaces';
  return [`${rows}_read`, `${rows}_${is}`];
};

const shown = (entry: Extract<Entry, { is: 'node' | 'port' }>): object => {
  if (entry.is === 'port') return entry.record;
  const { record, secrets } = entry;
  const masked = Object.fromEntries(Object.keys(secrets).map((name) => [name, mask]));
  return { ...record, driver_info: { ...record.driver_info, ...masked } };
};

const lists = { rejected: 'rejected', skipped: 'skipped', warning: 'warnings' } as const;

const order = { bm_nodes: 0, bm_interfaces: 1 } as const;

export type Report = {
  readonly summary: Readonly<Summary>;
  readonly problems: readonly Problem[];
  add(entry: Entry): void;
  /** What remains to be told. */
  end(): void;
};

/** `write` takes the text, piece by piece. `head`: what was asked for; it comes first, and has something in it. */
export const createReport = (head: object, write: (text: string) => void): Report => {
  const summary: Summary = { ...nothing };
  const problems: Problem[] = [];
  let list: 'nodes' | 'ports' | undefined;
  let count = 0;
  write(JSON.stringify(head, undefined, 1).replace(/\n?\}$/, ''));

  const open = (next: typeof list): void => {
    if (list !== undefined) write(count === 0 ? ']' : '\n ]');
    if (next !== undefined) write(`,\n "${next}": [`);
    [list, count] = [next, 0];
  };
  const put = (record: object): void => {
    write(`${count === 0 ? '' : ','}\n  ${JSON.stringify(record)}`);
    count += 1;
  };
  open('nodes');

  return {
    summary,
    problems,
    add: (entry) => {
      for (const name of counted(entry)) summary[name] += 1;
      if (entry.is !== 'node' && entry.is !== 'port') {
        problems.push(entry);
        return;
      }
      if (entry.is === 'port' && list === 'nodes') open('ports');
      put(shown(entry));
    },
    end: () => {
      if (list === 'nodes') open('ports');
      open(undefined);
      problems.sort((a, b) => order[a.table] - order[b.table] || a.id - b.id);
      for (const [is, name] of Object.entries(lists)) {
        const found = problems.filter((one) => one.is === is).map((one) => ({ ...one, is: undefined }));
        write(`,\n "${name}": ${JSON.stringify(found, undefined, 1).replaceAll('\n', '\n ')}`);
      }
      write(`,\n "summary": ${JSON.stringify(summary, undefined, 1).replaceAll('\n', '\n ')}\n}\n`);
    },
  };
};
