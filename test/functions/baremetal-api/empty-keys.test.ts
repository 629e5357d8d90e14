/** DynamoDB takes no empty key at any depth; one machine says the same, whatever field it is in. */
import { describe, expect, it } from 'vitest';

import { allocation } from '../../../layers/domain/allocation.ts';
import { chassis } from '../../../layers/domain/chassis.ts';
import { deployTemplate } from '../../../layers/domain/deploy-template.ts';
import type { Fields } from '../../../layers/domain/fields.ts';
import { node } from '../../../layers/domain/node.ts';
import { port } from '../../../layers/domain/port.ts';
import { portgroup } from '../../../layers/domain/portgroup.ts';
import { runbook } from '../../../layers/domain/runbook.ts';
import { json } from '../../../layers/domain/values.ts';
import { volumeConnector, volumeTarget } from '../../../layers/domain/volume.ts';
import { createFront } from './front.ts';

const step = { interface: 'deploy', step: 'x', args: {}, priority: 1 };
const withArgs = (args: object) => ({ steps: [{ ...step, args }] });

/** By collection: its fields, and what a record needs besides. */
const collections: Readonly<Record<string, { rows: Fields; needs(node_uuid: string): object }>> = {
  nodes: { rows: node, needs: () => ({ driver: 'fake-hardware' }) },
  ports: { rows: port, needs: (node_uuid) => ({ node_uuid, address: '52:54:00:00:00:01' }) },
  portgroups: { rows: portgroup, needs: (node_uuid) => ({ node_uuid }) },
  chassis: { rows: chassis, needs: () => ({}) },
  allocations: { rows: allocation, needs: () => ({ resource_class: 'x' }) },
  deploy_templates: { rows: deployTemplate, needs: () => ({ name: 'CUSTOM_X', steps: [step] }) },
  runbooks: { rows: runbook, needs: () => ({ name: 'CUSTOM_X', steps: [{ ...step, order: 1, priority: undefined }] }) },
  'volume/connectors': { rows: volumeConnector, needs: (node_uuid) => ({ node_uuid, type: 'iqn', connector_id: 'x' }) },
  'volume/targets': {
    rows: volumeTarget,
    needs: (node_uuid) => ({ node_uuid, volume_type: 'iscsi', boot_index: 0, volume_id: 'x' }),
  },
};

const free = (rows: Fields) =>
  Object.entries(rows).flatMap(([name, { schema, access }]) =>
    (schema as unknown) === json && (access === 'update' || access === 'create') ? [name] : [],
  );
const fields = Object.entries(collections).flatMap(([name, { rows }]) =>
  free(rows).map((field) => [name, field] as const),
);

const empty = { a: [{ '': 1 }] };
/** A field that wants a form has it. */
const emptyIn = (field: string) =>
  field === 'network_data' ? { links: [], networks: [], services: [], ...empty } : empty;
const sentence = (path: string) => `${path} has a key that is empty, which cannot be stored: give it a name.`;

describe('an empty key in', () => {
  it.each(fields)('%s: %s is refused when the record is made and when it is changed', async (collection, field) => {
    const { request, enrol, force, platform } = createFront();
    const { uuid } = await enrol();
    await force(uuid, { power_state: 'power off' });
    const body = collections[collection]!.needs(uuid);
    const before = platform.table.items().length;
    const refused = await request(`POST /v1/${collection}`, { body: { ...body, [field]: emptyIn(field) } });
    expect([refused.status, refused.error]).toEqual([400, sentence(`${field}.a.0`)]);
    expect(platform.table.items().length).toBe(before);
    const made = await request(`POST /v1/${collection}`, { body });
    expect([made.status, made.error]).toEqual([201, '']);
    const patch = [{ op: 'add', path: `/${field}`, value: emptyIn(field) }];
    const changed = await request(`PATCH /v1/${collection}/${made.body.uuid}`, { body: patch });
    expect([changed.status, changed.error]).toEqual([400, sentence(`${field}.a.0`)]);
  });

  it.each([
    ['deploy_templates', { name: 'CUSTOM_X', ...withArgs(empty) }, 'steps.0.args.a.0'],
    [
      'runbooks',
      { name: 'CUSTOM_X', steps: [{ interface: 'deploy', step: 'x', args: empty, order: 1 }] },
      'steps.0.args.a.0',
    ],
  ])('the arguments of a step of %s is refused', async (collection, body, path) => {
    const { status, error } = await createFront().request(`POST /v1/${collection}`, { body });
    expect([status, error]).toEqual([400, sentence(path)]);
  });

  it('the arguments of a step that is asked for is refused, and nothing begins', async () => {
    const { request, enrol, force } = createFront();
    const { uuid } = await enrol();
    await force(uuid, { provision_state: 'manageable' });
    const clean_steps = [{ interface: 'deploy', step: 'erase_devices', args: empty }];
    const { status, error } = await request(`PUT /v1/nodes/${uuid}/states/provision`, {
      body: { target: 'clean', clean_steps },
    });
    expect(status).toBe(400);
    expect(error).toMatch(/args\.a\.0 has a key that is empty/);
    const { body } = await request(`GET /v1/nodes/${uuid}`);
    expect(body).toMatchObject({ provision_state: 'manageable', reservation: null });
  });

  it('a rule of inspection is refused', async () => {
    const body = {
      description: 'x',
      conditions: [],
      actions: [{ op: 'set-attribute', args: { path: '/extra/x', value: empty } }],
    };
    const { status, error } = await createFront().request('POST /v1/inspection_rules', { body });
    expect(status).toBe(400);
    expect(error).toMatch(/actions\.0\.args\.value\.a\.0 has a key that is empty/);
  });
});
