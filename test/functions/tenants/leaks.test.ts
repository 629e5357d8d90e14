/** Tenants never see the machine behind a server, whatever they ask: not its name, nor where it is, nor what it says. */
import { beforeAll, describe, expect, it } from 'vitest';

import { computeKinds } from '../../../layers/store/kinds/compute.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { secrets, told } from '../compute-api/machines.ts';
import { createAsker } from './access.ts';
import { personas, root } from './personas.ts';
import { apiNames, type World } from './world.ts';

const tenants = personas.filter(([, who]) => who !== null && who.scope === 'project' && who.roles !== 'admin');

/** Ann's server is in error, and its history says on which machine. */
const spoil = async ({ platform, ids }: World): Promise<void> => {
  const node = ids.compute['node_id']!;
  const details = `Node ${node} (${secrets.name}) at ${secrets.driver_info.redfish_address}: ${secrets.last_error}`;
  const { name: run } = platform.workflows.started[0]!;
  const line = { severity: 'ERROR', event_type: 'deploying', message: details, run, phase: 'Deploy', details } as const;
  await changeRecord(platform, computeKinds.server, ids.compute['server_id']!, () => ({
    set: {
      vm_state: 'error',
      host: 'site-of-rack7',
      tried: [node],
      candidates: [node],
      fault: { code: 500, created: '2026-01-01T00:00:00Z', message: 'No valid host was found.', details },
    },
    events: [
      { ...line, kind: 'phase start' },
      { ...line, kind: 'error' },
    ],
  }));
};

let asker: Awaited<ReturnType<typeof createAsker>>;
beforeAll(async () => {
  asker = await createAsker(spoil);
});

const leaks = (text: string): boolean => told.test(text) || text.includes(asker.ids.compute['node_id']!);

describe.each(apiNames)('the machine of a server, by the %s API,', (api) => {
  it.each([1, 36, 60, 84, 96])('at 2.%i is told to no tenant by any route', async (version) => {
    for (const key of asker.keys(api).filter((one) => !/hypervisor_id|node_id/.test(one))) {
      for (const [name, subject] of tenants) {
        const { text } = await asker.send(api, key, subject, { version });
        expect([key, name, leaks(text) ? text : '']).toEqual([key, name, '']);
      }
    }
  });
});

describe('an administrator', () => {
  it.each([
    'GET /v2.1/servers/{server_id}',
    'GET /v2.1/servers/detail#all',
    'GET /v2.1/servers/{server_id}/os-instance-actions/{request_id}',
    'GET /v2.1/os-hypervisors',
  ])('is told by %s', async (key) => {
    expect(leaks((await asker.send('compute', key, root)).text)).toBe(true);
  });
});
