/**
 * What is published about nodes (DESIGN.md 10), a row an event: when it is due and what it tells. Ids and states only: no
 * text that a machine or a person wrote, for everybody who subscribes reads all of it. The function that follows the
 * changes of the table, the change log of one machine and docs/events.md read these rows.
 */
import * as z from 'zod';

import type { Field } from './fields.ts';
import { node, vifs } from './node.ts';
import { text, timestamp, uuid } from './values.ts';

/** What an event tells, by the names of the record. */
export type Told = { readonly [name: string]: Pick<Field, 'schema' | 'default' | 'required' | 'doc'> };

/** `on`: what happened to the node; a `change` is due when one of the values that it tells is another one. */
export type EventRow = {
  readonly on: 'create' | 'change' | 'delete';
  readonly tells: Told;
  readonly doc: string;
};

const { provision_state, target_provision_state, power_state, target_power_state, maintenance, fault } = node;

/** By their types, under which they are subscribed to. */
const events = {
  'node.create': { on: 'create', tells: { provision_state }, doc: 'A node was enrolled.' },
  'node.delete': { on: 'delete', tells: { provision_state }, doc: 'A node was removed from Ingot.' },
  'node.provision_state': {
    on: 'change',
    tells: { provision_state, target_provision_state },
    doc: 'A node made a transition of the provision state machine, or heads for another state.',
  },
  'node.power_state': {
    on: 'change',
    tells: { power_state, target_power_state },
    doc: 'A machine was switched on or off, or shall be, or its power was found to be another one.',
  },
  'node.maintenance': {
    on: 'change',
    tells: { maintenance, fault },
    doc: 'A node was taken out of service, or back into it, by somebody or because of a fault.',
  },
  'node.instance': {
    on: 'change',
    tells: { instance_uuid: node.instance_uuid },
    doc: 'A node was given to an instance, or taken from it.',
  },
  'node.vifs': { on: 'change', tells: { vifs }, doc: 'VIFs were attached to a node, or detached from it.' },
} as const satisfies { readonly [type: string]: EventRow };

export type EventType = keyof typeof events;

/** Types and rows. */
export const eventRows = Object.entries(events) as readonly [EventType, EventRow][];

const nullable = <S extends z.ZodType>(schema: S) => z.union([schema, z.null()]);
const values = nullable(z.record(z.string(), z.unknown()));

/** What an event can have for a field of the record: null unless it always has a value. */
export const toldSchema = ({ schema, default: standard, required }: Told[string]): z.ZodType =>
  required || standard !== undefined ? schema : nullable(schema);

/** What every event has. `before` and `after` are more of one type: `schemaOf`. */
export const envelope = {
  id: {
    schema: text(255),
    doc: 'Of this event; the same when it is told again, so that a consumer can drop what it had.',
  },
  type: { schema: z.enum(Object.keys(events) as [EventType, ...EventType[]]), doc: 'What happened.' },
  time: { schema: timestamp, doc: 'When it happened.' },
  node_uuid: { schema: uuid, doc: 'The node.' },
  sequence: {
    schema: text(255),
    doc: 'Sorts the events of one node as text. Those of one and the same change have the same.',
  },
  before: { schema: values, doc: 'What it tells of, as it was; null: there was no node.' },
  after: { schema: values, doc: 'As it is since; null: there is no node any more.' },
  instance_uuid: { schema: nullable(uuid), doc: 'The instance on the node, or that was on it until then.' },
  owner: { schema: nullable(text(255)), doc: 'Project that owns the node.' },
  lessee: { schema: nullable(text(255)), doc: 'Project that uses the node, or did until then.' },
  run: { schema: nullable(text(255)), doc: 'The run that the node was in, or began; null: none.' },
} as const satisfies Told;

/** An event as it is published. */
export type EventDetail = {
  readonly [N in keyof typeof envelope]: z.output<(typeof envelope)[N]['schema']>;
};

const shape = Object.fromEntries(Object.entries<Told[string]>(envelope).map(([name, { schema }]) => [name, schema]));

/** What all types of events have, and nothing else. */
export const eventDetail = z.strictObject(shape) as unknown as z.ZodType<EventDetail>;

/** The schema of one type of events. */
export const schemaOf = (type: EventType): z.ZodType => {
  const { on, tells }: EventRow = events[type];
  const told = z.strictObject(Object.fromEntries(Object.entries(tells).map(([name, row]) => [name, toldSchema(row)])));
  return z.strictObject({
    ...shape,
    type: z.literal(type),
    before: on === 'create' ? z.null() : told,
    after: on === 'delete' ? z.null() : told,
  });
};

/** Attributes of a node whose change is worth an event. */
export const watched: readonly string[] = [
  ...new Set(eventRows.filter(([, { on }]) => on === 'change').flatMap(([, { tells }]) => Object.keys(tells))),
];

/** What events tell besides, or are made of. No other attribute of a node is ever looked at. */
export const carried = [
  'uuid',
  'position',
  'revision',
  'created_at',
  'updated_at',
  'schema',
  'instance_uuid',
  'owner',
  'lessee',
  'run',
  'reservation',
] as const;
