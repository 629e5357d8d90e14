import { once } from 'node:events';

import { describe, expect, it } from 'vitest';

import { withRedfish } from '../../../layers/redfish-client/client.ts';
import { computerSystem } from '../../../layers/redfish-client/resources.ts';
import type { FakeBmc } from '../../fakes/bmc.ts';
import { clientOf, optionsFor, startBmc } from './fixture.ts';

const system = '/redfish/v1/Systems/1';
const reset = `${system}/Actions/ComputerSystem.Reset`;

const says = (bmc: FakeBmc, connection: string): void => {
  bmc.handlers.push(({ path }) =>
    path === system ? { status: 200, headers: { Connection: connection }, body: bmc.resources[system] } : undefined,
  );
};

/** A client with a session, and the connection that is kept for it. */
const withKept = async () => {
  const bmc = await startBmc();
  const redfish = clientOf(bmc);
  await redfish.get(system, computerSystem);
  expect(bmc.connections).toHaveLength(1);
  return { bmc, redfish };
};

describe('a connection', () => {
  it('is kept for all that is asked, from the login on, and closed with the session', async () => {
    const bmc = await startBmc();
    await withRedfish(optionsFor(bmc), async (redfish) => {
      await redfish.get(system, computerSystem);
      await redfish.post(reset, { ResetType: 'On' });
      await redfish.get(system, computerSystem);
    });
    expect(bmc.requests).toHaveLength(6);
    expect(bmc.connections).toHaveLength(1);
    expect(bmc.requests.map(({ headers }) => headers.connection === 'close')).toEqual([
      ...Array.from({ length: 5 }, () => false),
      true,
    ]);
    expect(bmc.sessions).toEqual(new Set());
  });

  it.each(['close', 'TE'])('is used once where the BMC says "%s" of it', async (word) => {
    const bmc = await startBmc();
    says(bmc, word);
    await withRedfish(optionsFor(bmc, { auth_type: 'basic' }), async (redfish) => {
      await redfish.get(system, computerSystem);
      await redfish.get(system, computerSystem);
    });
    expect(bmc.connections).toHaveLength(2);
  });

  it('that was closed meanwhile is replaced', async () => {
    const { bmc, redfish } = await withKept();
    bmc.connections[0]!.end();
    await once(bmc.connections[0]!, 'close');
    await redfish.post(reset, { ResetType: 'On' });
    expect(bmc.connections).toHaveLength(2);
  });

  it('over which something comes unasked is closed: it is no answer to what is asked next', async () => {
    const { bmc, redfish } = await withKept();
    bmc.connections[0]!.write('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"PowerState": "No"}');
    await once(bmc.connections[0]!, 'close');
    expect((await redfish.get(system, computerSystem)).body.PowerState).toBe('Off');
    expect(bmc.connections).toHaveLength(2);
  });

  it('that breaks although the BMC said it keeps it costs a read a second try, and none is kept from then on', async () => {
    const { bmc, redfish } = await withKept();
    bmc.answer(`GET ${system}`, 'reset');
    await redfish.get(system, computerSystem);
    await redfish.get(system, computerSystem);
    expect(bmc.connections).toHaveLength(3);
    expect(bmc.story()).toEqual(Array.from({ length: 4 }, () => `GET ${system}`));
  });

  it('that breaks under a write leaves open whether it was done: it is not sent again', async () => {
    const { bmc, redfish } = await withKept();
    bmc.answer(`POST ${reset}`, 'reset');
    await expect(redfish.post(reset, { ResetType: 'On' })).rejects.toMatchObject({ name: 'BmcTimeout' });
    expect(bmc.story().filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  it('that is new and breaks is a failure: the read is not asked a second time', async () => {
    const bmc = await startBmc();
    bmc.answer(`GET ${system}`, 'reset');
    const redfish = clientOf(bmc, { auth_type: 'basic' });
    await expect(redfish.get(system, computerSystem)).rejects.toMatchObject({ name: 'BmcTimeout' });
    expect(bmc.story()).toHaveLength(1);
  });
});
