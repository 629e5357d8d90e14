/** The real parts together in this process: all but simulated machines, which test/machine has. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { type Cloud, startCloud } from '../../local/cloud.ts';
import { createClient, metalVersion } from '../../local/demo/client.ts';
import { lead, type NodeView } from '../../local/demo/node.ts';
import type { StateEvent } from '../../local/states/history.ts';
import { systemClock } from '../../layers/platform/clock.ts';
import { firstItems } from '../conformance/upgrade.ts';
import { writeFirstFile } from './table/first-file.ts';

let stateDir: string;
let cloud: Cloud | undefined;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'ingot-cloud-'));
});
afterEach(async () => {
  await cloud?.stop();
  rmSync(stateDir, { recursive: true });
});

const variables = { INGOT_AUTH_STRATEGY: 'noauth' };

const start = async (port = 0) => {
  cloud = await startCloud({ stateDir, port, variables });
  const api = createClient({ url: cloud.url, clock: systemClock, headers: metalVersion });
  return { cloud, api, needs: { api, clock: systemClock, onVerb: () => undefined } };
};

it('leads a node through real workflows, tells of each step, and knows everything again after a restart', async () => {
  const first = await start();
  const events: StateEvent[] = [];
  first.cloud.onWorkflowEvent((event) => events.push(event));
  const { uuid } = await first.api<NodeView>('POST /v1/nodes', { driver: 'fake-hardware', name: 'n1' });
  expect(await lead(first.needs, uuid, 'available')).toMatchObject({ provision_state: 'available' });
  const told = () => events.map(({ workflow, is, state }) => `${workflow} ${is} ${state ?? ''}`.trim());
  // The node is available a little before its run has ended.
  await vi.waitFor(() => expect(told()).toContain('clean ended'), { timeout: 60_000 });
  expect(told()).toEqual(expect.arrayContaining(['verify started', 'verify ended', 'clean entered Prepare']));
  await first.cloud.stop();

  const second = await start();
  expect(await second.api('GET /v1/nodes/n1')).toMatchObject({ uuid, provision_state: 'available' });
});

it('lets nobody else use its state directory, until it has stopped', async () => {
  const { cloud: first } = await start();
  await expect(startCloud({ stateDir, port: 0, variables })).rejects.toMatchObject({ name: 'StateDir' });
  await first.stop();
  await start();
});

it('leaves nothing running and nothing locked when it cannot start', async () => {
  await (await start()).cloud.stop();
  const key = join(stateDir, 'keys', 'secrets');
  writeFileSync(key, 'no key');
  await expect(start()).rejects.toMatchObject({ message: expect.stringContaining('damaged') as string });
  rmSync(key);
  await start();
});

it('takes over the state directory of the first version, with all that is in it', async () => {
  writeFileSync(join(stateDir, 'ingot.json'), '{"format":1}\n');
  writeFirstFile(join(stateDir, 'table.db'), firstItems);
  const { api } = await start();
  const names = async (query: string) =>
    (await api<{ nodes: { name: string }[] }>(`GET /v1/nodes?${query}`)).nodes.map(({ name }) => name);
  expect(await names('resource_class=gold')).toEqual(['plain', 'second']);
  const body = [{ op: 'replace', path: '/resource_class', value: 'platinum' }];
  await api('PATCH /v1/nodes/plain', body);
  expect(await names('resource_class=gold')).toEqual(['second']);
  await cloud!.stop();
  const again = await start();
  expect((await again.api<{ nodes: object[] }>('GET /v1/nodes')).nodes).toHaveLength(12);
});
