/** The field tables as a page: what each resource has, since when, and who may set it. */
import * as z from 'zod';

import { allocation } from '../layers/domain/allocation.ts';
import { chassis } from '../layers/domain/chassis.ts';
import { conductor } from '../layers/domain/conductor.ts';
import { microTimestamp } from '../layers/domain/compute/times.ts';
import { deployTemplate } from '../layers/domain/deploy-template.ts';
import { driver } from '../layers/domain/driver.ts';
import type { Access, Field, Fields } from '../layers/domain/fields.ts';
import { history } from '../layers/domain/history.ts';
import { inspectionRule } from '../layers/domain/inspection-rule.ts';
import { node } from '../layers/domain/node.ts';
import { lifetimes, notes, type Note } from '../layers/domain/notes.ts';
import { port } from '../layers/domain/port.ts';
import { portgroup } from '../layers/domain/portgroup.ts';
import { runbook } from '../layers/domain/runbook.ts';
import { volumeConnector, volumeTarget } from '../layers/domain/volume.ts';
import { bool, json, logicalName, mac, timestamp, uuid } from '../layers/domain/values.ts';
import { table } from './markdown.ts';

const named = new Map<z.ZodType, string>([
  [uuid, 'UUID'],
  [bool, 'boolean'],
  [json, 'object'],
  [logicalName, 'logical name'],
  [mac, 'MAC address'],
  [timestamp, 'time'],
  [microTimestamp, 'time'],
]);

const wordsOf = ({ type, enum: values, const: value, maxLength, anyOf }: z.core.JSONSchema.BaseSchema): string => {
  if (anyOf) return [...new Set(anyOf.map(wordsOf))].join(' or ');
  if (value !== undefined) return JSON.stringify(value);
  if (values) return values.length > 12 ? 'one of the states' : values.map((each) => JSON.stringify(each)).join(', ');
  if (type === 'string') return maxLength === undefined ? 'text' : `text, at most ${maxLength}`;
  if (type === 'array') return 'list';
  return typeof type === 'string' ? type : 'object';
};

/** What a value is, in a word or some. */
export const typeOf = (schema: z.ZodType): string =>
  named.get(schema) ?? wordsOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));

const settable: { readonly [A in Access]: string } = {
  create: 'POST',
  update: 'POST, PATCH',
  patch: 'PATCH',
  read: '',
};

const initial = (field: Field): string => {
  if (field.computed) return 'computed';
  if (field.default !== undefined) return `\`${JSON.stringify(field.default)}\``;
  return field.required ? 'required' : '`null`';
};

const row = ([name, field]: readonly [string, Field]): string[] => [
  `\`${name}\``,
  `1.${field.since ?? 1}`,
  typeOf(field.schema),
  settable[field.access],
  initial(field),
  [
    field.summary && 'brief',
    field.filter && 'filter',
    field.unique && 'unique',
    field.masked && 'masked',
    field.withheld && 'withheld',
    field.rule && `\`${field.rule}\``,
  ]
    .filter(Boolean)
    .join(', '),
  field.doc,
];

const resources: { readonly [name: string]: Fields } = {
  Node: node,
  'History entry': history,
  Port: port,
  'Port group': portgroup,
  Chassis: chassis,
  Allocation: allocation,
  'Volume connector': volumeConnector,
  'Volume target': volumeTarget,
  'Deploy template': deployTemplate,
  Runbook: runbook,
  'Inspection rule': inspectionRule,
  Driver: driver,
  Conductor: conductor,
};

const intro = `# Fields

Made from the field tables in \`layers/domain\`. *Settable* by which methods; empty: by Ingot alone. *Without a value*
what it is when nobody gave one. *More*: \`brief\` fields come in lists without \`?detail=true\` or \`?fields=\`; \`filter\`:
the list has a parameter of this name; \`unique\`: a second record with the same value is refused with 409; \`masked\`:
secrets in it show as \`******\`; \`withheld\`: not everybody who sees the record sees it; a rule: PATCH of it needs that
one, too.`;

const privateNotes = `## Private notes of a node

What Ingot notes in a node's \`driver_internal_info\`, for itself and for who looks at the node; nobody can set it. Names
that Ironic has mean what they mean there. *Masked*: shown as \`******\`, as is everything in it that is called a password,
a secret or a token. *Read by*: what \`people\` read decides nothing. A note that is not in this table was made by
another version: it stays as it is until the node is deleted, and nothing is decided by it.`;

const noteRow = ([name, { schema, lifetime, masked, unread, doc }]: readonly [string, Note]): string[] => [
  `\`${name}\``,
  typeOf(schema),
  lifetime,
  [unread ? 'people' : 'Ingot', masked && 'masked'].filter(Boolean).join(', '),
  doc,
];

const lifetimeRow = ([name, { doc, ends }]: readonly [string, { doc: string; ends: readonly string[] }]): string[] => [
  name,
  doc,
  ends.join(', '),
];

const notesSection = (): string =>
  [
    privateNotes,
    table(['note', 'type', 'lifetime', 'read by', 'meaning'], Object.entries<Note>(notes).map(noteRow)),
    'When a lifetime is over its notes are forgotten, and those of the lifetimes that end with it.',
    table(['lifetime', 'a note is there', 'ends as well'], Object.entries(lifetimes).map(lifetimeRow)),
  ].join('\n\n');

/** The whole page. */
export const fieldsPage = (): string =>
  [
    intro,
    ...Object.entries(resources).map(([name, fields]) =>
      [
        `## ${name}`,
        table(
          ['field', 'since', 'type', 'settable', 'without a value', 'more', 'meaning'],
          Object.entries(fields).map(row),
        ),
      ].join('\n\n'),
    ),
    notesSection(),
  ].join('\n\n');
