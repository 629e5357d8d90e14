/** Extra specs of flavors: what a flavor asks of a machine besides its size (exact-filters.md 3 to 5). */
import * as z from 'zod';

import { trait } from '../traits.ts';
import { lacksOperand } from './requirement.ts';

/** A group of them may have a number or a word: `trait1:`. One node has to meet those of all groups. */
const group = '(?:[a-zA-Z0-9_-]{1,64})?';

const amount = z.string().regex(/^\d{1,9}$/, 'must be a whole number that is not negative');
const present = z.string().min(1, 'must not be empty');

type SpecRow = {
  /** How people write the key. */
  readonly shown: string;
  /** Keys that are meant to be of this row. */
  readonly scope: RegExp;
  /** Those that are; the first group is the name in it. */
  readonly key: RegExp;
  readonly value: z.ZodType<string>;
  readonly doc: string;
};

/** What Ingot reads. Keys that are in no row are kept for others, such as `hw:cpu_policy`. */
export const specRows = {
  resources: {
    shown: 'resources:CUSTOM_<CLASS>',
    scope: new RegExp(`^resources${group}:`),
    key: new RegExp(`^resources${group}:([A-Z0-9_]{1,255})$`),
    value: amount,
    doc: 'How many of a resource class: 1 of that of the node. 0 switches a standard class off, such as `resources:VCPU=0`.',
  },
  traits: {
    shown: 'trait:<NAME>',
    scope: new RegExp(`^trait${group}:`),
    key: new RegExp(`^trait${group}:(.+)$`),
    value: z.enum(['required', 'forbidden'], { error: 'must be required or forbidden' }),
    doc: '`required` or `forbidden`. Required traits are told to the node, too, which checks them before a deploy.',
  },
  group_policy: {
    shown: 'group_policy',
    scope: /^group_policy$/,
    key: /^(group_policy)$/,
    value: z.enum(['none', 'isolate'], { error: 'must be none or isolate' }),
    doc: '`none` or `isolate`; a node is one provider of resources, so nothing depends on it.',
  },
  capabilities: {
    shown: 'capabilities:<name>',
    scope: /^capabilities(?::|$)/,
    key: /^capabilities:(.+)$/,
    value: present.refine((value) => !lacksOperand(value), 'must have a word after its operator'),
    doc: "What a capability of the node's `properties` has to be, by the operators below. Told to the node, too.",
  },
  cpu_arch: {
    shown: 'cpu_arch, baremetal:cpu_arch',
    scope: /^(?:baremetal:)?cpu_arch$/,
    key: /^(?:baremetal:)?(cpu_arch)$/,
    value: present,
    doc: "The node's `properties.cpu_arch` as it is written there: `x86_64` is not `amd64`. A node that has none passes.",
  },
  deploy: {
    shown: 'baremetal:deploy_kernel_id, baremetal:deploy_ramdisk_id',
    scope: /^baremetal:deploy_/,
    key: /^baremetal:(deploy_(?:kernel|ramdisk)_id)$/,
    value: present,
    doc: 'Kept for clients of nova_bm; machines boot the ramdisk that their node names.',
  },
} as const satisfies { readonly [name: string]: SpecRow };

const rows: readonly SpecRow[] = Object.values(specRows);

/** A key, as paths name one. */
const specKey = z.string().regex(/^[a-zA-Z0-9\-_:. ]{1,255}$/);

/** What is wrong with one, as `must ...`; undefined if nothing is. */
const complaint = (key: string, value: string): string | undefined => {
  if (!specKey.safeParse(key).success) return 'must have a name of 1 to 255 letters, digits, - _ : . and blanks';
  const row = rows.find(({ scope }) => scope.test(key));
  if (!row) return undefined;
  const [, name] = row.key.exec(key) ?? [];
  if (name === undefined || (row === specRows.traits && !trait.safeParse(name).success)) {
    return `must be written ${row.shown}`;
  }
  return row.value.safeParse(value).error?.issues[0]!.message;
};

/** Numbers, true and false are kept as texts. */
const specValue = z
  .union([z.string(), z.number(), z.boolean()], { error: 'must be a text' })
  .transform(String)
  .pipe(z.string().max(255));

/** What a flavor may have. */
export const extraSpecs = z.record(z.string(), specValue).superRefine((specs, context) => {
  for (const [key, value] of Object.entries(specs)) {
    const message = complaint(key, value);
    if (message) context.addIssue({ code: 'custom', path: [key], message });
  }
});

type Specs = Readonly<Record<string, string>>;

/** The specs of a row: name and value of each. */
const under = ({ key }: SpecRow, specs: Specs): [string, string][] =>
  Object.entries(specs).flatMap(([given, value]): [string, string][] => {
    const [, name] = key.exec(given) ?? [];
    return name === undefined ? [] : [[name, value]];
  });

/** How many of each resource class are asked for, all groups together; none of which 0 are. */
export const resourcesIn = (specs: Specs): ReadonlyMap<string, number> => {
  const amounts = new Map<string, number>();
  for (const [name, value] of under(specRows.resources, specs)) {
    if (Number(value) > 0) amounts.set(name, (amounts.get(name) ?? 0) + Number(value));
  }
  return amounts;
};

/** The traits that are required, or forbidden, by all groups together. */
export const traitsIn = (specs: Specs, how: 'required' | 'forbidden'): string[] => [
  ...new Set(
    under(specRows.traits, specs)
      .filter(([, value]) => value === how)
      .map(([name]) => name),
  ),
];

/** What capabilities have to be, by their names: what a node is told in instance_info, too. */
export const capabilitiesIn = (specs: Specs): Readonly<Record<string, string>> =>
  Object.fromEntries(under(specRows.capabilities, specs));

/** The same of keys without a scope: only a node that has such a capability has to meet it. */
export const unscopedIn = (specs: Specs): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(specs).filter(([key]) => !key.includes(':') && key !== 'group_policy')),
  ...Object.fromEntries(under(specRows.cpu_arch, specs)),
});
