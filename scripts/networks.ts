/** What the Networking API knows, as tables: fields, limits, extensions, rules. */
import { extensions } from '../functions/network-api/extension.ts';
import type { Field, Fields } from '../layers/domain/fields.ts';
import { floatingIp } from '../layers/domain/network/floating-ip.ts';
import { network } from '../layers/domain/network/network.ts';
import { network as policy } from '../layers/domain/network/policy.ts';
import { port } from '../layers/domain/network/port.ts';
import { counted, quota } from '../layers/domain/network/quota.ts';
import { subnet } from '../layers/domain/network/subnet.ts';
import { table } from './markdown.ts';

const code = (text: string): string => `\`${text}\``;

const settable = { create: 'POST', update: 'POST, PUT', patch: 'PUT', read: '' } as const;

/** What it is when nobody says so; of what is not stored nothing is said. */
const usually = (name: string, { required, computed, default: usual }: Field): string => {
  if (name === 'project_id') return 'your own';
  if (computed || (required && usual === undefined && name.endsWith('_at'))) return '';
  return required && usual === undefined ? 'required' : code(JSON.stringify(usual ?? null));
};

const fieldTable = (rows: Fields): string =>
  table(
    ['field', 'settable', 'without a value', 'meaning'],
    Object.entries(rows).map(([name, row]) => [
      code(name),
      settable[row.access],
      usually(name, row),
      [
        row.doc,
        ...(row.rule ? ['Set by administrators.'] : []),
        ...(row.withheld ? ['Seen by administrators.'] : []),
      ].join(' '),
    ]),
  );

const resources: Readonly<Record<string, Fields>> = {
  Network: network,
  Subnet: subnet,
  Port: port,
  'Floating IP': floatingIp,
};

export const networkFieldTables = (): string =>
  Object.entries(resources)
    .map(([title, rows]) => `### ${title}\n\n${fieldTable(rows)}`)
    .join('\n\n');

export const networkQuotaTable = (): string =>
  table(
    ['quota', 'usually', 'meaning'],
    counted.map((what) => [code(what), String(quota[what].default), quota[what].doc]),
  );

export const extensionTable = (): string =>
  table(
    ['extension', 'meaning'],
    Object.entries(extensions).map(([alias, [, doc]]) => [code(alias), doc]),
  );

export const networkPolicyTable = (): string =>
  table(
    ['rule', 'who'],
    Object.entries(policy.rules).map(([rule, check]) => [code(rule), policy.checks[check].join(', ')]),
  );
