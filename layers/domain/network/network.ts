/** The network as a table: what ports on it can reach each other by, whoever makes that so. */
import * as z from 'zod';

import { fields, type RecordOf } from '../fields.ts';
import { bool, uuid, word } from '../values.ts';
import { InvalidInput } from './faults.ts';
import { standard } from './standard.ts';
import { whole } from './values.ts';

/** What an operator says of the network in his equipment; a tenant is not told. */
const provider = {
  access: 'create',
  rule: 'create_network:provider',
  withheld: { notice: null, unless: ['get_network:provider'] },
  filter: true,
} as const;

export const network = fields({
  ...standard,
  admin_state_up: { access: 'update', schema: bool, default: true, filter: true, doc: 'Whether it is in service.' },
  status: { access: 'read', schema: z.string(), computed: true, filter: true, doc: 'ACTIVE, or DOWN out of service.' },
  shared: {
    access: 'update',
    schema: bool,
    default: false,
    filter: true,
    rule: 'update_network:shared',
    doc: 'Whether all projects use it.',
  },
  'router:external': {
    access: 'update',
    schema: bool,
    default: false,
    filter: true,
    rule: 'update_network:router:external',
    doc: 'Whether floating addresses are of it; all projects see it, and none but the administrator makes ports on it unless it is shared.',
  },
  mtu: {
    access: 'update',
    schema: whole(68, 65_535),
    default: 1500,
    filter: true,
    doc: 'Most bytes of a packet on it.',
  },
  'provider:network_type': {
    ...provider,
    schema: word(['flat', 'vlan', 'vxlan', 'gre', 'geneve', 'local']),
    doc: 'How the equipment keeps it apart from others.',
  },
  'provider:physical_network': {
    ...provider,
    schema: z.string().min(1).max(64),
    doc: 'The physical network it is in.',
  },
  'provider:segmentation_id': { ...provider, schema: whole(0, 2 ** 24 - 1), doc: 'Its VLAN, or its tunnel.' },
  subnets: { access: 'read', schema: z.array(uuid), default: [], doc: 'UUIDs of its subnets.' },
  port_security_enabled: {
    access: 'update',
    schema: z.literal(false, { error: 'must be false: nothing here filters packets' }),
    default: false,
    doc: 'Always false: nothing here filters packets.',
  },
  availability_zone_hints: { access: 'read', schema: z.array(z.string()), default: [], doc: 'Always empty.' },
  availability_zones: {
    access: 'read',
    schema: z.array(z.string()),
    default: [],
    doc: 'Always empty: no agents serve it.',
  },
});

export type Network = RecordOf<typeof network>;

/** Who else than its project uses a network sees it: whom it is shared with, and everybody if it is external. */
export const isPublic = (record: Pick<Network, 'shared' | 'router:external'>): boolean =>
  record.shared || record['router:external'];

type Segment = Pick<Network, 'provider:network_type' | 'provider:physical_network' | 'provider:segmentation_id'>;

/** What a type of network needs to be told apart: whether it has a physical network, and which numbers. */
const segments: Readonly<Record<string, { readonly physical: boolean; readonly numbers?: readonly [number, number] }>> =
  {
    local: { physical: false },
    flat: { physical: true },
    vlan: { physical: true, numbers: [1, 4094] },
    vxlan: { physical: false, numbers: [1, 2 ** 24 - 1] },
    gre: { physical: false, numbers: [1, 2 ** 24 - 1] },
    geneve: { physical: false, numbers: [1, 2 ** 24 - 1] },
  };

const given = (value: unknown): boolean => (value ?? null) !== null;

/** Refuses what is said of the equipment if it makes no sense together. Throws InvalidInput (400). */
export const checkSegment = (record: Segment): void => {
  const type = record['provider:network_type'];
  const [physical, number] = [record['provider:physical_network'], record['provider:segmentation_id']];
  if (type === null) {
    if (given(physical) || given(number)) throw InvalidInput('provider:network_type is required with provider:*');
    return;
  }
  const needs = segments[type]!;
  if (needs.physical !== given(physical)) {
    throw InvalidInput(
      `provider:physical_network is ${needs.physical ? 'required' : 'not possible'} for ${type} network`,
    );
  }
  if (!needs.numbers && given(number))
    throw InvalidInput(`provider:segmentation_id is not possible for ${type} network`);
  const [low, high] = needs.numbers ?? [];
  if (needs.numbers && !(number !== null && number >= low! && number <= high!)) {
    throw InvalidInput(`provider:segmentation_id of a ${type} network has to be ${low} to ${high}`);
  }
};

/** What no two networks have in common, of those that say where they are in the equipment. */
export const segmentOf = (record: Segment): string | undefined => {
  const type = record['provider:network_type'];
  if (type === null || type === 'local') return undefined;
  return [type, record['provider:physical_network'] ?? '', record['provider:segmentation_id'] ?? ''].join('#');
};
