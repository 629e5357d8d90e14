/** A BMC that is called over http, which only the operator can allow. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, expect, it } from 'vitest';

import { fixture } from '../../fakes/bmc.ts';
import { enrol } from './fixture.ts';

const root = '/redfish/v1/';
const system = '/redfish/v1/Systems/1';
const open: { close(): void }[] = [];

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** Where it is, and who asked it for what. */
const startPlain = async () => {
  const asked: Pick<IncomingMessage, 'url' | 'headers'>[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const answers: Readonly<Record<string, object>> = {
      [root]: { Systems: { '@odata.id': '/redfish/v1/Systems' } },
      [system]: { ...fixture('system'), '@odata.id': system, PowerState: 'On' },
    };
    const body = answers[request.url!];
    response.writeHead(body ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(body ?? {}));
  }).listen(0, '127.0.0.1');
  open.push(server);
  await once(server, 'listening');
  return { asked, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const at = (address: string) => ({
  driver_info: { redfish_address: address, redfish_system_id: system, redfish_auth_type: 'basic' },
});

it('is asked where the setting says so, with its password', async () => {
  const { asked, address } = await startPlain();
  const { ask } = await enrol({ ...at(address), environment: { INGOT_BMC_REQUIRE_TLS: 'false' } });
  expect(await ask('system.get', {})).toMatchObject({ status: 'done', observed: { power: 'power on' } });
  expect(asked.at(-1)).toMatchObject({
    url: system,
    headers: { host: address.replace('http://', ''), authorization: expect.stringMatching(/^Basic /) as string },
  });
});

it('is not called at all otherwise, with the name of the setting in the refusal', async () => {
  const { asked, address } = await startPlain();
  const { ask } = await enrol(at(address));
  await expect(ask('system.get', {})).rejects.toMatchObject({
    name: 'InvalidCommand',
    message: expect.stringContaining('bmc_require_tls') as string,
  });
  expect(asked).toEqual([]);
});

it('that is not there is unreachable, as any other', async () => {
  const { ask } = await enrol({ ...at('http://127.0.0.1:9'), environment: { INGOT_BMC_REQUIRE_TLS: 'false' } });
  await expect(ask('system.get', {})).rejects.toMatchObject({ name: 'BmcUnreachable' });
});

it('gets no certificate shown for its own: a BMC of https is not talked to over http', async () => {
  const { ask, bmc } = await enrol();
  const plain = at(`http://127.0.0.1:${bmc.port}`);
  const other = await enrol({ ...plain, environment: { INGOT_BMC_REQUIRE_TLS: 'false' } });
  await expect(other.ask('system.get', {})).rejects.toMatchObject({ code: 503 });
  expect(await ask('system.get', {})).toMatchObject({ status: 'done' });
});
