/** The server group as a table (compute-api.md 7): servers whose place depends on one another. */
import * as z from 'zod';

import { fields, isKnown, type RecordOf } from '../fields.ts';
import { json, text, uuid, word } from '../values.ts';

type Policy = {
  readonly doc: string;
  /** The microversion 2.N that introduced it. */
  readonly since?: number;
  /** Why no server of such a group ever finds a machine: the group is not made. */
  readonly refused?: string;
};

/** Each server has a machine of its own, so its neighbours are always elsewhere. */
export const groupPolicies = {
  'anti-affinity': { doc: 'Servers are on different machines: they always are.' },
  'soft-anti-affinity': { since: 15, doc: 'The same, as far as possible: it always is.' },
  'soft-affinity': {
    since: 15,
    doc: 'Servers are on one machine as far as possible: it never is, which is no reason to refuse.',
  },
  affinity: {
    doc: 'Refused: servers would have to be on one machine.',
    refused: 'a machine holds one server, so no two of them can be on the same. Use soft-affinity or anti-affinity',
  },
} as const satisfies { readonly [name: string]: Policy };

export type GroupPolicy = keyof typeof groupPolicies;
const names = Object.keys(groupPolicies) as [GroupPolicy, ...GroupPolicy[]];

/** Why servers under this policy find no machine; undefined: they may. */
export const refusedPolicy = (policy: GroupPolicy): string | undefined => (groupPolicies[policy] as Policy).refused;

/** Whether there is such a policy at 2.`version`. */
export const knowsPolicy = (policy: GroupPolicy, version: number): boolean =>
  isKnown(groupPolicies[policy] as Policy, version);

const policy = word(names).superRefine((name, context) => {
  const refused = refusedPolicy(name);
  if (refused !== undefined) context.addIssue({ code: 'custom', message: `policy ${name}: ${refused}` });
});

export const serverGroup = fields({
  id: { access: 'read', schema: uuid, computed: true, doc: 'UUID of the group.' },
  name: { access: 'create', schema: text(255), required: true, doc: 'Its name.' },
  policies: {
    access: 'create',
    until: 63,
    schema: z.tuple([policy], { error: 'must be a list of one policy' }),
    required: true,
    computed: true,
    doc: 'A list of one policy: how it was given before 2.64.',
  },
  policy: {
    access: 'create',
    since: 64,
    schema: policy,
    required: true,
    doc: 'Where its servers are to each other.',
  },
  rules: {
    access: 'create',
    since: 64,
    schema: z.strictObject({
      max_server_per_host: z
        .union([
          z.int().min(1),
          z
            .string()
            .regex(/^[1-9]\d{0,8}$/)
            .transform(Number),
        ])
        .optional(),
    }),
    default: {},
    doc: 'max_server_per_host of anti-affinity: it is always 1.',
  },
  members: { access: 'read', schema: z.array(uuid), default: [], doc: 'UUIDs of its servers.' },
  metadata: { access: 'read', until: 63, schema: json, default: {}, computed: true, doc: 'Always empty.' },
  project_id: {
    access: 'read',
    since: 13,
    schema: text(255),
    required: true,
    index: true,
    doc: 'Project it belongs to.',
  },
  user_id: { access: 'read', since: 13, schema: text(255), doc: 'Who made it.' },
});

export type ServerGroup = RecordOf<typeof serverGroup>;
