import { describe, expect, it } from 'vitest';

import { computerSystem } from '../../../layers/redfish-client/resources.ts';
import { fixture } from '../../fakes/bmc.ts';
import { clientOf, startBmc } from './fixture.ts';

const system = '/redfish/v1/Systems/1';
const sessions = '/redfish/v1/SessionService/Sessions';
const login = `POST ${sessions}`;

/** How each request proved who it was. */
const proofs = (bmc: Awaited<ReturnType<typeof startBmc>>) =>
  bmc.requests.map(({ method, path, headers }) => {
    const proof = headers['x-auth-token'] ? 'session' : headers.authorization ? 'basic' : 'nothing';
    return `${method} ${path} with ${proof}`;
  });

describe('auto', () => {
  it('opens one session, uses it for everything, and deletes it', async () => {
    const bmc = await startBmc();
    const redfish = clientOf(bmc);
    await redfish.get(system, computerSystem);
    await redfish.get(system, computerSystem);
    await redfish.close();
    expect(proofs(bmc)).toEqual([
      'GET /redfish/v1/ with nothing',
      `${login} with nothing`,
      `GET ${system} with session`,
      `GET ${system} with session`,
      `DELETE ${sessions}/1 with session`,
    ]);
    expect(bmc.sessions.size).toBe(0);
  });

  it.each([404, 405, 400, 500])('falls back to Basic when sessions are answered with %i', async (status) => {
    const bmc = await startBmc();
    bmc.answer(login, { status });
    await clientOf(bmc).get(system, computerSystem);
    expect(proofs(bmc).at(-1)).toBe(`GET ${system} with basic`);
  });

  it('goes by Basic at once, without a try, when the root names no sessions (sushy-tools)', async () => {
    const bmc = await startBmc();
    const { Links: _links, SessionService: _service, ...root } = bmc.resources['/redfish/v1/']!;
    bmc.resources['/redfish/v1/'] = root;
    await clientOf(bmc).get(system, computerSystem);
    expect(proofs(bmc)).toEqual(['GET /redfish/v1/ with nothing', `GET ${system} with basic`]);
    await expect(clientOf(bmc, { auth_type: 'session' }).get(system, computerSystem)).rejects.toThrow(
      'offers no sessions. Set redfish_auth_type to auto or basic.',
    );
  });

  it('asks at the usual place when the root names the service alone, or is not for everybody', async () => {
    const bmc = await startBmc();
    delete bmc.resources['/redfish/v1/']!['Links'];
    await clientOf(bmc).get(system, computerSystem);
    bmc.answer('GET /redfish/v1/', { status: 401 });
    await clientOf(bmc).get(system, computerSystem);
    expect(proofs(bmc).filter((line) => line.startsWith(login))).toHaveLength(2);
  });

  it('uses Basic when the session table is full', async () => {
    const bmc = await startBmc();
    bmc.answer(login, { status: 503, body: fixture('error-session-limit') });
    const redfish = clientOf(bmc);
    await redfish.get(system, computerSystem);
    expect(proofs(bmc).at(-1)).toBe(`GET ${system} with basic`);
  });

  it.each([401, 503])('says that the session table is full when Basic then gets %i, after one try', async (status) => {
    const bmc = await startBmc();
    bmc.answer(login, { status: 503, body: fixture('error-session-limit') });
    bmc.answer(`GET ${system}`, { status }, { status }, { status });
    const redfish = clientOf(bmc);
    await expect(redfish.get(system, computerSystem)).rejects.toMatchObject({ name: 'BmcSessionLimit' });
    expect(bmc.story()).toEqual([`GET ${system}`]);
  });

  it('finds the session in the body when Location names another host', async () => {
    const bmc = await startBmc();
    bmc.answer(login, () => {
      bmc.sessions.add('token-9');
      const headers = { 'X-Auth-Token': 'token-9', Location: `https://other.example${sessions}/9` };
      return { status: 201, headers, body: { '@odata.id': `${sessions}/9` } };
    });
    const redfish = clientOf(bmc);
    await redfish.get(system, computerSystem);
    await redfish.close();
    expect(bmc.sessions.size).toBe(0);
  });
});

describe('bad credentials', () => {
  it.each([
    ['auto', 401],
    ['auto', 403],
    ['session', 401],
  ] as const)('are tried exactly once (%s, %i), whatever is asked afterwards', async (auth_type, status) => {
    const bmc = await startBmc();
    bmc.answer(login, { status }, { status });
    const redfish = clientOf(bmc, { auth_type });
    await expect(redfish.get(system, computerSystem)).rejects.toMatchObject({ name: 'BmcAuthFailed' });
    await expect(redfish.get(system, computerSystem)).rejects.toMatchObject({ name: 'BmcAuthFailed' });
    expect(proofs(bmc)).toEqual(['GET /redfish/v1/ with nothing', `${login} with nothing`]);
  });

  it('are tried exactly once with Basic', async () => {
    const bmc = await startBmc();
    const redfish = clientOf(bmc, { auth_type: 'basic', password: 'wrong-password' });
    await expect(redfish.get(system, computerSystem)).rejects.toMatchObject({ name: 'BmcAuthFailed' });
    await expect(redfish.post(`${system}/Actions/ComputerSystem.Reset`)).rejects.toMatchObject({
      name: 'BmcAuthFailed',
    });
    expect(bmc.requests.length).toBe(1);
  });
});

describe('a session that ends on the BMC', () => {
  it('is replaced once', async () => {
    const bmc = await startBmc();
    const redfish = clientOf(bmc);
    await redfish.get(system, computerSystem);
    bmc.sessions.clear();
    expect((await redfish.get(system, computerSystem)).body.PowerState).toBe('Off');
    await redfish.close();
    expect(bmc.requests.filter(({ method }) => method === 'POST').length).toBe(2);
    expect(bmc.sessions.size).toBe(0);
  });

  it('means bad credentials when the new one is not good either', async () => {
    const bmc = await startBmc();
    const redfish = clientOf(bmc);
    bmc.answer(`GET ${system}`, { status: 401 }, { status: 401 });
    const failed = redfish.get(system, computerSystem);
    await expect(failed).rejects.toMatchObject({ name: 'BmcAuthFailed' });
    // The password was good, so nobody shall look for it there.
    await expect(failed).rejects.toThrow('took the password and gave a session, which it refused');
    await expect(failed).rejects.not.toThrow('redfish_password');
    await expect(redfish.get(system, computerSystem)).rejects.toMatchObject({ name: 'BmcAuthFailed' });
    expect(bmc.story()).toEqual([`GET ${system}`, `GET ${system}`]);
    expect(bmc.sessions.size).toBe(0);
  });
});

it('sends no credentials when there are none', async () => {
  const bmc = await startBmc();
  const redfish = clientOf(bmc, { username: null, password: null });
  expect((await redfish.root()).Vendor).toBe('Ingot');
  expect(proofs(bmc)).toEqual(['GET /redfish/v1/ with nothing']);
});

it('keeps the session to itself when giving it back fails', async () => {
  const bmc = await startBmc();
  const redfish = clientOf(bmc);
  await redfish.get(system, computerSystem);
  bmc.answer(`DELETE ${sessions}/1`, { status: 500 });
  await expect(redfish.close()).resolves.toBeUndefined();
});

it('never shows the password, even if the BMC repeats it', async () => {
  const bmc = await startBmc();
  const echo = ({ headers }: { headers: object }) => ({
    status: 400,
    body: { error: { '@Message.ExtendedInfo': { Message: `${bmc.password} ${JSON.stringify(headers)}` } } },
  });
  for (const auth_type of ['basic', 'session'] as const) {
    bmc.answer(`GET ${system}`, echo);
    const error = await clientOf(bmc, { auth_type })
      .get(system, computerSystem)
      .catch((caught: Error) => caught);
    const shown = (error as Error).message;
    expect(shown).toContain('******');
    for (const secret of [bmc.password, Buffer.from(`admin:${bmc.password}`).toString('base64'), 'token-1']) {
      expect(shown).not.toContain(secret);
    }
  }
});
