/**
 * What is read of the answers of the Bare Metal API: what somebody here needs, and no more. A field that is missing is an
 * error; those that a newer service has besides are ignored.
 */
import * as z from 'zod';

import { provisionStates, type ProvisionState } from '../domain/baremetal/transitions.ts';
import { takeoverStates } from '../domain/notes.ts';
import { json } from '../domain/values.ts';
import { vifOf } from '../domain/vifs.ts';
import type { Card, CardGroup } from '../guest/network.ts';
import type { Candidate } from '../schedule/candidate.ts';

const text = z.string();
const provisionState = z.enum(provisionStates as [ProvisionState, ...ProvisionState[]]);
const powerState = z.enum(['power on', 'power off', 'error']);

const candidate = z.object({
  uuid: text,
  driver: text,
  resource_class: text.nullable(),
  traits: z.array(text),
  properties: json,
  conductor_group: text,
  maintenance: z.boolean(),
  power_state: powerState.nullable(),
  provision_state: provisionState,
  instance_uuid: text.nullable(),
  reservation: text.nullable(),
}) satisfies z.ZodType<Candidate>;

const node = candidate.extend({
  target_provision_state: provisionState.nullable(),
  target_power_state: powerState.nullable(),
  protected: z.boolean(),
  /** ISO 8601. */
  provision_updated_at: text.nullable(),
  last_error: text.nullable(),
});

/** A node as those who deploy servers see it. */
export type ShownNode = Readonly<z.output<typeof node>>;

/** A machine as those look at it who look after all of them; `conductor`: the site that is responsible for it. */
const machine = candidate.extend({ conductor: text.nullable() });

export type ShownMachine = Readonly<z.output<typeof machine>>;

const conductor = z.object({ hostname: text, conductor_group: text, alive: z.boolean(), updated_at: text.nullable() });

export type ShownConductor = Readonly<z.output<typeof conductor>>;

const info = z.object({ instance_uuid: text.nullable(), instance_info: json });

const port = z
  .object({ uuid: text, address: text, portgroup_uuid: text.nullable(), internal_info: json })
  .transform(({ internal_info, ...others }): Card => ({ ...others, vif: vifOf({ internal_info }) ?? null }));

const portgroup = z
  .object({ uuid: text, address: text.nullable(), mode: text, properties: json, internal_info: json })
  .transform(({ internal_info, ...others }): CardGroup => ({ ...others, vif: vifOf({ internal_info }) ?? null }));

/** Notes of a node that somebody here goes by. */
const noted = z.object({
  driver_internal_info: z.object({ takeover: z.object({ state: z.enum(takeoverStates) }).optional() }),
});

/** `result` null: there is no such interface. */
const validation = z.record(text, z.object({ result: z.boolean().nullable(), reason: text.nullish() }));

const fieldsOf = ({ shape }: { readonly shape: object }): string => `fields=${Object.keys(shape).join(',')}`;

/** The form of each answer and, where a request may ask for less than all, the query for that. */
export const shown = {
  candidates: {
    schema: z.object({ nodes: z.array(candidate), next: text.nullish() }),
    fields: fieldsOf(candidate),
  },
  machines: { schema: z.object({ nodes: z.array(machine), next: text.nullish() }), fields: fieldsOf(machine) },
  machine: { schema: machine, fields: fieldsOf(machine) },
  conductors: { schema: z.object({ conductors: z.array(conductor) }), fields: fieldsOf(conductor) },
  nodes: { schema: z.object({ nodes: z.array(node) }), fields: fieldsOf(node) },
  node: { schema: node, fields: fieldsOf(node) },
  noted: { schema: noted, fields: fieldsOf(noted) },
  info: { schema: info, fields: fieldsOf(info) },
  ports: { schema: z.object({ ports: z.array(port) }), fields: fieldsOf(port.in) },
  portgroups: { schema: z.object({ portgroups: z.array(portgroup) }), fields: fieldsOf(portgroup.in) },
  vifs: { schema: z.object({ vifs: z.array(z.object({ id: text })) }) },
  validation: { schema: validation },
} as const;
