/** The proxy over a wire of memory: it meets machines by the platform alone. */
import { expect, it } from 'vitest';

import { createMemoryWire, type Machine } from '../../../layers/platform/memory/wire.ts';
import { enrol } from './fixture.ts';

/** A BMC that knows its service root and one system, and what it was asked. */
const bmcOf = (asked: string[]): Machine => {
  const bodies: Readonly<Record<string, object>> = {
    '/redfish/v1/': { Systems: { '@odata.id': '/redfish/v1/Systems' } },
    '/redfish/v1/Systems': { Members: [{ '@odata.id': '/redfish/v1/Systems/1' }] },
    '/redfish/v1/Systems/1': { PowerState: 'On' },
  };
  return async ({ method, path }) => {
    asked.push(`${method} ${path}`);
    const body = method === 'GET' ? bodies[path] : undefined;
    return { status: body ? 200 : 404, headers: {}, text: JSON.stringify(body ?? {}) };
  };
};

const inMemory = async (wire: ReturnType<typeof createMemoryWire>) =>
  enrol({ wire, driver_info: { redfish_address: 'https://127.0.0.1:7443', redfish_auth_type: 'basic' } });

it('talks to a machine that is a function', async () => {
  const asked: string[] = [];
  const { ask } = await inMemory(createMemoryWire(new Map([['127.0.0.1:7443', bmcOf(asked)]])));
  expect(await ask('system.get', {})).toMatchObject({ status: 'done', observed: { power: 'power on' } });
  expect(asked).toContain('GET /redfish/v1/Systems/1');
});

it('cannot reach what is not there', async () => {
  const { ask } = await inMemory(createMemoryWire());
  await expect(ask('system.get', {})).rejects.toMatchObject({ name: 'BmcUnreachable' });
});
