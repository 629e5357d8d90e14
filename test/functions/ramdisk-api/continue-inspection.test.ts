import { describe, expect, it } from 'vitest';

import { inspectionKey, tokenHash } from '../../../layers/store/agent-tokens.ts';
import { companions } from '../../../layers/store/kinds/companions.ts';
import { waitKey, waitWrite } from '../../../workflows/owners/node/wait.ts';
import { aNode, uuid } from '../../workflows/nodes.ts';
import { createFront } from './front.ts';
import { readInventory } from '../../../layers/store/inventories.ts';
import { guardKey } from '../../../layers/store/kinds/key.ts';
import { keyOf } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { createRecord } from '../../../layers/store/records/change.ts';

const mac = '52:54:00:12:34:56';
const inventory = { interfaces: [{ name: 'eth0', mac_address: mac }] };
const post = 'POST /v1/continue_inspection';
const run = `${uuid}-1`;

/** A node that waits for its inventory and has one port. */
const createWaiting = async (more: Partial<StoredNode> = {}) => {
  const front = await createFront(
    { provision_state: 'inspect wait', run, run_workflow: 'inspect', ...more },
    { INGOT_AGENT_ENDPOINT: 'http://metal.test' },
  );
  const port = { uuid: '00000000-0000-4000-8000-000000000001', address: mac, node_uuid: uuid };
  await front.platform.table.write([
    { put: { ...guardKey('port_address', mac), node: uuid, port: port.uuid } },
    { put: { ...keyOf(kinds.port, port.uuid, uuid), ...port } },
    waitWrite(uuid, { token: 'token-1', phase: 'WaitForAgent', run, since: '2026-01-01T00:00:00+00:00' }),
  ]);
  const stored = async () => readInventory(front.platform, uuid);
  /** The request line of the ramdisk that was booted for it: its medium says so. */
  const keyed = async () => {
    const key = inspectionKey(tokenHash(await front.makeMedium()));
    return `${post}?node_uuid=${uuid}&key=${key}`;
  };
  return { ...front, stored, keyed };
};

describe('continue_inspection', () => {
  it('takes what an agent sends that names no version, and says which node it is on', async () => {
    const { request } = await createWaiting();
    const { status, body, headers } = await request(post, { version: null, body: { inventory } });
    expect([status, body]).toEqual([202, { uuid }]);
    expect(headers['X-OpenStack-Ironic-API-Version']).toBe('1.1');
  });

  it('continues the run that waits', async () => {
    const { request, platform, read } = await createWaiting();
    await request(post, { version: null, body: { inventory } });
    expect(platform.workflows.delivered).toEqual([{ token: 'token-1', output: { is: 'heartbeat' } }]);
    expect(await platform.table.get(waitKey(uuid))).toBeUndefined();
    expect((await read()).driver_internal_info).toMatchObject({ inspected_by_run: run });
  });

  it('stores the inventory and what came beside it, but not the logs of the ramdisk', async () => {
    const { request, stored } = await createWaiting();
    await request(post, { version: null, body: { inventory, logs: 'H4sI...', root_disk: { name: '/dev/sda' } } });
    expect(await stored()).toEqual({ inventory, plugin_data: { root_disk: { name: '/dev/sda' } } });
  });

  it('stores what it is sent under empty keys, which an attribute of the table could not have', async () => {
    const { request, stored } = await createWaiting();
    const odd = { ...inventory, disks: [{ '': 1 }] };
    const { status } = await request(post, { version: null, body: { inventory: odd, lldp: { '': { '': null } } } });
    expect(status).toBe(202);
    expect(await stored()).toEqual({ inventory: odd, plugin_data: { lldp: { '': { '': null } } } });
  });

  it('stores what is too large for the table as an object', async () => {
    const { request, platform, stored } = await createWaiting();
    const lldp = { eth0: 'x'.repeat(400 * 1024) };
    await request(post, { version: null, body: { inventory, lldp_raw: lldp } });
    const [key] = platform.objects.keys();
    expect(key).toMatch(new RegExp(`^inventories/${uuid}/`));
    expect(await platform.table.get(companions.inventory.key(uuid))).toMatchObject({ object: key });
    expect(await stored()).toEqual({ inventory, plugin_data: { lldp_raw: lldp } });
  });

  it('tells no more than the UUID from 1.84 either, and is not there from 1.2 to 1.83', async () => {
    const { request } = await createWaiting();
    for (const version of ['1.2', '1.83']) {
      expect(await request(post, { version, body: { inventory } })).toMatchObject({ status: 404 });
    }
    const { status, body } = await request(post, { version: '1.84', body: { inventory } });
    expect([status, body]).toEqual([202, { uuid }]);
  });

  it('may be sent again: the answer to the first may have been lost', async () => {
    const { request } = await createWaiting();
    for (const _ of [1, 2]) {
      expect(await request(post, { version: null, body: { inventory } })).toMatchObject({ status: 202 });
    }
  });

  it('finds the node by the UUID that the ramdisk was given, without any port', async () => {
    const { request } = await createFront({ provision_state: 'inspect wait', run, run_workflow: 'inspect' });
    const body = { inventory: { interfaces: [] } };
    expect(await request(`${post}?node_uuid=${uuid}`, { version: null, body })).toMatchObject({ status: 202 });
  });

  it.each([
    ['10.0.0.7', 'https://10.0.0.7'],
    ['10.0.0.7', '10.0.0.7:8443/prefix'],
    ['2001:DB8:0::7', 'https://[2001:db8::7]/'],
    ['2001:db8::7/64', 'https://[2001:db8:0:0::7]'],
  ])('finds a machine without ports by its BMC at %s, of which driver_info says %s', async (seen, known) => {
    const front = await createFront({
      provision_state: 'inspect wait',
      run,
      run_workflow: 'inspect',
      driver_info: { redfish_address: known },
    });
    const key = seen.includes(':') ? 'bmc_v6address' : 'bmc_address';
    const body = { inventory: { ...inventory, [key]: seen } };
    expect(await front.request(post, { version: null, body })).toMatchObject({ status: 202, body: { uuid } });
  });

  it('does not know a machine that two nodes could be', async () => {
    const { request, platform } = await createFront({ provision_state: 'inspect wait', run, run_workflow: 'inspect' });
    const other = '11111111-2222-4333-8444-555555555555';
    await createRecord(
      platform,
      kinds.node,
      aNode({ uuid: other, provision_state: 'inspect wait', position: '01000000000000000000000002' }),
    );
    const body = { inventory: { ...inventory, bmc_address: '10.0.0.1' } };
    expect(await request(post, { version: null, body })).toMatchObject({ status: 404 });
  });

  it.each(['manageable', 'inspect failed', 'active', 'wait call-back', 'enroll'] as const)(
    'is 404 for a node in state "%s", as for an unknown one',
    async (provision_state) => {
      const { request, stored } = await createWaiting({ provision_state });
      const known = await request(post, { version: null, body: { inventory } });
      const body = { inventory: { interfaces: [{ mac_address: '52:54:00:ff:ff:ff' }] } };
      const unknown = await request(post, { version: null, body });
      expect([known.status, known.error]).toEqual([404, unknown.error]);
      expect(await stored()).toBeUndefined();
    },
  );

  it('is 409 while the inspection does not wait yet, so that the agent sends again', async () => {
    const { request } = await createWaiting({ provision_state: 'inspecting', reservation: run });
    const { status, error } = await request(post, { version: null, body: { inventory } });
    expect(status).toBe(409);
    expect(error).toContain('is locked');
  });

  it('takes it while a power action holds the lock, and in maintenance', async () => {
    const { request } = await createWaiting({ reservation: `${uuid}-9`, maintenance: true });
    expect(await request(post, { version: null, body: { inventory } })).toMatchObject({ status: 202 });
  });

  it.each([
    ['nothing', undefined, 'JSON object'],
    ['a list', [], 'JSON object'],
    ['no inventory', {}, 'inventory must be'],
    ['an inventory that is a text', { inventory: 'x' }, 'inventory must be'],
    ['no interfaces', { inventory: {} }, 'inventory.interfaces must be'],
    ['interfaces that are none', { inventory: { interfaces: ['eth0'] } }, 'inventory.interfaces must be'],
    [
      'more cards than a machine has',
      { inventory: { interfaces: Array.from({ length: 257 }, () => ({})) } },
      'at most 256',
    ],
  ])('refuses %s with 400', async (_what, body, text) => {
    const { request } = await createWaiting();
    const { status, error } = await request(post, { version: null, body });
    expect([status, error]).toEqual([400, expect.stringContaining(text)]);
  });

  describe('whose ramdisk has a key on its medium', () => {
    it('takes it, and notes that the ramdisk proved itself', async () => {
      const { request, keyed, read } = await createWaiting();
      expect((await request(await keyed(), { version: null, body: { inventory } })).status).toBe(202);
      expect((await read()).driver_internal_info).toMatchObject({ inspected_by_run: run, inspected_with_key: true });
    });

    it('takes none without it, and says who sent one', async () => {
      const { request, keyed, stored, agentLines } = await createWaiting();
      const own = await keyed();
      const stranger = { version: null, body: { inventory }, from: '10.6.6.6' };
      const unknown = await request(`${post}?node_uuid=11111111-2222-4333-8444-555555555555`, stranger);
      for (const line of [post, `${post}?node_uuid=${uuid}`, `${own}0`, own.replace(/key=.*/, 'key=')]) {
        const { status, error } = await request(line, stranger);
        expect([line, status, error]).toEqual([line, 404, unknown.error]);
      }
      expect(await stored()).toBeUndefined();
      expect(await agentLines()).toEqual([
        'Refused to 10.6.6.6: an inventory without the key that the ramdisk has on its medium.',
        'Refused to 10.6.6.6: an inventory with a key that is not that of the ramdisk.',
      ]);
    });

    it('looks at the key before the body', async () => {
      const { request, keyed } = await createWaiting();
      const wrong = `${await keyed()}0`;
      expect((await request(wrong, { version: null, body: 'no inventory' })).status).toBe(404);
    });
  });

  it('refuses a UUID that is none and arguments that it does not know with 400', async () => {
    const { request } = await createWaiting();
    for (const query of ['node_uuid=1', 'agent_token=x']) {
      expect(await request(`${post}?${query}`, { version: null, body: { inventory } })).toMatchObject({ status: 400 });
    }
  });

  it('refuses more than 2 MiB of a stranger, and 16 MiB of its own ramdisk, with 413 and a flat body', async () => {
    const { request, keyed } = await createWaiting();
    const strange = await request(post, { version: null, body: { inventory, x: 'x'.repeat(2 ** 21) } });
    expect(strange.status).toBe(413);
    const own = await keyed();
    expect((await request(own, { version: null, body: { inventory, x: 'x'.repeat(2 ** 21) } })).status).toBe(202);
    const { status, body } = await request(own, { version: null, body: { inventory, x: 'x'.repeat(2 ** 24) } });
    expect(status).toBe(413);
    expect(body).toMatchObject({ faultcode: 'Client', faultstring: expect.stringContaining('16777216') as string });
  });

  it('is for POST only', async () => {
    const { request } = await createWaiting();
    expect(await request('GET /v1/continue_inspection', { version: null })).toMatchObject({ status: 405 });
  });
});

describe('a heartbeat during an inspection', () => {
  const beat = { callback_url: 'https://10.0.0.9:9999', agent_version: '9.0' };

  it('continues the run only if its inventory has come', async () => {
    const { request, platform, keyed } = await createWaiting();
    const own = await keyed();
    const heartbeat = { version: '1.68', body: { ...beat, agent_token: 'medium'.repeat(8) } };
    expect(await request(`POST /v1/heartbeat/${uuid}`, heartbeat)).toMatchObject({ status: 202 });
    expect(platform.workflows.delivered).toEqual([]);
    await request(own, { version: null, body: { inventory } });
    await platform.table.write([waitWrite(uuid, { token: 'token-2', phase: 'WaitForAgent', run, since: '' })]);
    await request(`POST /v1/heartbeat/${uuid}`, heartbeat);
    expect(platform.workflows.delivered.map(({ token }) => token)).toEqual(['token-1', 'token-2']);
  });
});
