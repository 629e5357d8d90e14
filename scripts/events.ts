/** The events as a page: what each tells, and its schema. */
import * as z from 'zod';

import {
  envelope,
  type EventRow,
  eventRows,
  type EventType,
  schemaOf,
  type Told,
  toldSchema,
} from '../layers/domain/events.ts';
import { eventSource } from '../layers/platform/events.ts';
import { typeOf } from './fields.ts';
import { table } from './markdown.ts';

const fence = (value: object): string => ['```json', JSON.stringify(value, null, 2), '```'].join('\n');

const example = {
  id: '01M8185PXGC7KPA1PAWJE3DDN3-0000000045-node.provision_state',
  type: 'node.provision_state',
  time: '2026-11-22T09:07:51.204+00:00',
  node_uuid: '9b1a3732-fda6-4421-8688-963e0d127b5f',
  sequence: '01M8185PXGC7KPA1PAWJE3DDN3-0000000045',
  before: { provision_state: 'available', target_provision_state: null },
  after: { provision_state: 'deploying', target_provision_state: 'active' },
  instance_uuid: '5b1f3a52-7a53-4c11-bb2f-8d3ad3c9d2c1',
  owner: null,
  lessee: '7d2f0a6c4bd14d0e9d2a7e2a6b7f9c11',
  run: '9b1a3732-fda6-4421-8688-963e0d127b5f-01M8186C6B3SS2ZP3NMJ1K789F',
};

/** As a subscriber gets it; the example is one of its type. */
const whole = () => {
  const detail = schemaOf('node.provision_state').parse(example) as typeof example;
  const addressed = { version: '0', id: '3d4bf2bc-dfa6-4e01-abe0-01a1f554bd94', 'detail-type': detail.type };
  const where = { source: eventSource, account: '111122223333', time: '2026-11-22T09:07:51Z', region: 'eu-central-1' };
  return { ...addressed, ...where, resources: [], detail };
};

const intro = `# Events

Made from the rows in \`layers/domain/events.ts\`. How to subscribe, and what is promised: [guides/events.md](guides/events.md).

An event is in the form of EventBridge: its type stands in \`detail-type\`, \`source\` is \`${eventSource}\`, and \`detail\` is
what the tables below say. On one machine \`account\` and \`region\` are empty. The \`id\` of EventBridge is another one each
time an event is told; that in \`detail\` stays the same.`;

/** What a value is; null, too, where it can be. */
const typeText = (schema: z.ZodType): string =>
  schema instanceof z.ZodUnion ? schema.options.map((one) => typeText(one as z.ZodType)).join(' or ') : typeOf(schema);

const columns = ['field', 'type', 'meaning'];
const fieldRow = ([name, row]: readonly [string, Told[string]]): string[] => [
  `\`${name}\``,
  typeText(toldSchema(row)),
  row.doc,
];
const envelopeRow = ([name, { schema, doc }]: readonly [string, Told[string]]): string[] => [
  `\`${name}\``,
  name === 'type' ? 'one of those below' : typeText(schema),
  doc,
];

const where: { readonly [O in EventRow['on']]: string } = {
  create: '`before` is null, `after` has:',
  change: 'Due when one of these becomes another; `before` and `after` have all of them:',
  delete: '`before` has, `after` is null:',
};

const section = ([type, { on, tells, doc }]: readonly [EventType, EventRow]): string =>
  [
    `## ${type}`,
    doc,
    where[on],
    table(columns, Object.entries(tells).map(fieldRow)),
    `<details><summary>JSON Schema of <code>detail</code></summary>`,
    fence(z.toJSONSchema(schemaOf(type), { io: 'input' })),
    `</details>`,
  ].join('\n\n');

/** The whole page. */
export const eventsPage = (): string =>
  [
    intro,
    fence(whole()),
    '## What every event has',
    table(columns, Object.entries<Told[string]>(envelope).map(envelopeRow)),
    ...eventRows.map(section),
  ].join('\n\n');
