import { createServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

import { withRedfish } from '../../../layers/redfish-client/client.ts';
import { computerSystem } from '../../../layers/redfish-client/resources.ts';
import { fixture, type Scripted } from '../../fakes/bmc.ts';
import { clientOf, optionsFor, startBmc } from './fixture.ts';

const system = '/redfish/v1/Systems/1';
const reset = `${system}/Actions/ComputerSystem.Reset`;

describe('what a refusal means', () => {
  const cases: readonly [string, Scripted, string][] = [
    ['401', { status: 401 }, 'BmcAuthFailed'],
    ['404', { status: 404 }, 'BmcNotFound'],
    ['405', { status: 405 }, 'BmcUnsupported'],
    ['400', { status: 400 }, 'BmcRejected'],
    ['403', { status: 403 }, 'BmcRejected'],
    ['409', { status: 409 }, 'BmcBusy'],
    ['429', { status: 429 }, 'BmcBusy'],
    ['503', { status: 503 }, 'BmcBusy'],
    ['500', { status: 500 }, 'BmcProtocol'],
    ['500 without a body', { status: 500, text: '' }, 'BmcProtocol'],
    ['503 that tells of too many sessions', { status: 503, body: fixture('error-session-limit') }, 'BmcSessionLimit'],
    ['400 during POST (HPE iLO)', { status: 400, body: fixture('error-post') }, 'BmcBusy'],
    [
      '403 for want of a licence',
      { status: 403, body: { error: { '@Message.ExtendedInfo': [{ MessageId: 'iLO.2.14.LicenseKeyRequired' }] } } },
      'BmcUnsupported',
    ],
    ['a redirect', { status: 307, headers: { Location: 'https://127.0.0.1/elsewhere' } }, 'BmcProtocol'],
    ['200 with HTML', { status: 200, text: '<html></html>' }, 'BmcProtocol'],
    ['200 with nothing', { status: 200 }, 'BmcProtocol'],
    ['200 with half of it', 'cut', 'BmcProtocol'],
    ['200 with a list', { status: 200, text: '[]' }, 'BmcProtocol'],
    ['200 with JSON of absurd depth', { status: 200, text: `${'{"a":'.repeat(80)}1${'}'.repeat(80)}` }, 'BmcProtocol'],
    ['200 in an unknown compression', { status: 200, headers: { 'Content-Encoding': 'br' }, text: 'x' }, 'BmcProtocol'],
    ['200 in damaged gzip', { status: 200, headers: { 'Content-Encoding': 'gzip' }, text: 'x' }, 'BmcProtocol'],
    [
      '200 with 9 MiB packed into little',
      {
        status: 200,
        headers: { 'Content-Encoding': 'gzip' },
        text: gzipSync(`{"a":"${'x'.repeat(9 * 1024 * 1024)}"}`),
      },
      'BmcProtocol',
    ],
    ['200 with 9 MiB', { status: 200, text: `{"a":"${'x'.repeat(9 * 1024 * 1024)}"}` }, 'BmcProtocol'],
    ['a closed connection', 'reset', 'BmcTimeout'],
  ];
  it.each(cases)('%s is told apart', async (_name, answer, fault) => {
    const bmc = await startBmc();
    bmc.answer(`GET ${system}`, answer, answer, answer);
    await expect(clientOf(bmc).get(system, computerSystem)).rejects.toMatchObject({ name: fault });
  });

  it('holds the words and ids of the BMC, also where Dell sends one object for a list', async () => {
    const bmc = await startBmc();
    bmc.answer(`POST ${reset}`, { status: 400, body: fixture('error-dell-object') });
    await expect(clientOf(bmc).post(reset, {})).rejects.toThrow(
      'POST /redfish/v1/Systems/1/Actions/ComputerSystem.Reset to BMC under test was refused with status 400: ' +
        'Unable to complete the operation because the resource does not exist. (SYS403).',
    );
  });

  it.each([
    ['plain text', { status: 400, text: 'Missing the  target\nand mode' }, 'Missing the target and mode.'],
    [
      'a page',
      { status: 502, text: '<html><head><title>502 Bad Gateway</title></head><h1>x</h1>' },
      '502 Bad Gateway.',
    ],
    ['other JSON', { status: 400, body: { error: 'No such domain.' } }, 'No such domain.'],
    [
      'the same twice',
      { status: 400, body: { error: { '@Message.ExtendedInfo': [{ Message: 'No.' }, { Message: 'No.' }] } } },
      'status 400: No.',
    ],
  ] as const)('has the words of %s', async (_form, answer, words) => {
    const bmc = await startBmc();
    bmc.answer(`POST ${reset}`, answer);
    const error = await clientOf(bmc)
      .post(reset, {})
      .catch((fault: Error) => fault.message);
    expect(error).toContain(`was refused with status ${answer.status}`);
    expect(error).toMatch(new RegExp(`${words.replaceAll('.', String.raw`\.`)}$`));
  });

  it('says that redirects are not followed', async () => {
    const bmc = await startBmc();
    bmc.answer(`POST ${reset}`, { status: 308, headers: { Location: `https://127.0.0.1:${bmc.port}/other` } });
    await expect(clientOf(bmc).post(reset, {})).rejects.toThrow('a redirect (308), which is not followed');
    expect(bmc.story()).toEqual([`POST ${reset}`]);
  });

  it('is unreachable when nobody listens', async () => {
    const bmc = await startBmc();
    const { peer } = optionsFor(bmc);
    const free = await startBmc();
    await free.close();
    const redfish = clientOf(bmc, { peer: { ...peer, port: free.port } });
    await expect(redfish.get(system, computerSystem)).rejects.toMatchObject({ name: 'BmcUnreachable' });
  });

  it('is unreachable when nobody shakes hands, and unsupported when that is no TLS', async () => {
    const bmc = await startBmc();
    const servers = [
      createServer(),
      createServer((socket) => void socket.on('error', () => {}).end('HTTP/1.1 400\r\n\r\n')),
    ];
    const faults = [];
    for (const server of servers) {
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      const { port } = server.address() as AddressInfo;
      const redfish = clientOf(bmc, { peer: { ...optionsFor(bmc).peer, port }, connect_ms: 100 });
      faults.push(await redfish.get(system, computerSystem).catch((error: Error) => error.name));
      server.close();
    }
    expect(faults).toEqual(['BmcUnreachable', 'BmcUnsupported']);
  });

  it('is a timeout when the BMC falls silent, or takes longer than all of it may', async () => {
    const bmc = await startBmc();
    bmc.answer(`GET ${system}`, 'hang', 'hang');
    await expect(clientOf(bmc, { read_ms: 60 }).get(system, computerSystem)).rejects.toThrow('nothing came for 60 ms');
    const clock = { now: () => 0, sleep: async () => {} };
    const soon = clientOf(bmc, { clock, deadline: 150 });
    await expect(soon.get(system, computerSystem)).rejects.toMatchObject({ name: 'BmcTimeout' });
  });

  it('sends nothing once the time is over', async () => {
    const bmc = await startBmc();
    const clock = { now: () => 1000, sleep: async () => {} };
    const late = clientOf(bmc, { clock, deadline: 1000 });
    await expect(late.get(system, computerSystem)).rejects.toThrow('No time was left');
    expect(bmc.requests).toEqual([]);
  });
});

describe('reading', () => {
  it('is repeated after 503 and 5xx, three times at most, and never after 4xx', async () => {
    const bmc = await startBmc();
    const redfish = clientOf(bmc);
    bmc.answer(`GET ${system}`, { status: 503, headers: { 'Retry-After': '1' } }, { status: 500 });
    expect((await redfish.get(system, computerSystem)).body.PowerState).toBe('Off');
    bmc.answer(`GET ${system}`, { status: 400 });
    await expect(redfish.get(system, computerSystem)).rejects.toMatchObject({ name: 'BmcRejected' });
    expect(bmc.story()).toEqual([`GET ${system}`, `GET ${system}`, `GET ${system}`, `GET ${system}`]);
  });

  it('waits as long as the BMC asks, but never longer than 10 s', async () => {
    const bmc = await startBmc();
    const slept: number[] = [];
    const clock = { now: () => 0, sleep: async (ms: number) => void slept.push(ms) };
    const redfish = clientOf(bmc, { clock, deadline: 60_000 });
    bmc.answer(
      `GET ${system}`,
      { status: 503, headers: { 'Retry-After': '3' } },
      { status: 503, headers: { 'Retry-After': '86400' } },
    );
    await redfish.get(system, computerSystem);
    expect(slept).toEqual([3000, 10_000]);
  });

  it('asks once more without identity after 406 (HPE iLO)', async () => {
    const bmc = await startBmc();
    bmc.answer(`GET ${system}`, { status: 406 });
    await clientOf(bmc).get(system, computerSystem);
    const encodings = bmc.requests
      .filter(({ path }) => path === system)
      .map(({ headers }) => headers['accept-encoding']);
    expect(encodings).toEqual(['identity', undefined]);
  });

  it('reads what comes compressed all the same (registries of HPE iLO)', async () => {
    const bmc = await startBmc();
    const text = gzipSync(JSON.stringify({ PowerState: 'On' }));
    bmc.answer(`GET ${system}`, { status: 200, headers: { 'Content-Encoding': 'gzip' }, text });
    expect((await clientOf(bmc).get(system, computerSystem)).body.PowerState).toBe('On');
  });

  it('takes values of a wrong type for missing', async () => {
    const bmc = await startBmc();
    Object.assign(bmc.resources[system]!, { PowerState: 7, Boot: 'none', Status: null });
    const { body } = await clientOf(bmc).get(system, computerSystem);
    expect([body.PowerState, body.Boot, body.Status]).toEqual([null, null, null]);
  });

  it('follows the pages of a collection, within reason', async () => {
    const bmc = await startBmc();
    const first = '/redfish/v1/Systems';
    const page = (members: string[], next?: string) => ({
      Members: members.map((id) => ({ '@odata.id': `${first}/${id}` })),
      ...(next && { 'Members@odata.nextLink': next }),
    });
    bmc.resources[first] = page(['1', '2'], `${first}?$skip=2`);
    bmc.resources[`${first}?$skip=2`] = page(['3']);
    bmc.resources['/redfish/v1/Managers'] = page(['1'], '/redfish/v1/Managers');
    const redfish = clientOf(bmc);
    expect(await redfish.members(first)).toEqual([`${first}/1`, `${first}/2`, `${first}/3`]);
    await expect(redfish.members('/redfish/v1/Managers')).rejects.toThrow('over 50 pages');
  });

  it('sends what BMCs need: a length, no chunks, no compression', async () => {
    const bmc = await startBmc();
    const redfish = clientOf(bmc);
    await redfish.post(reset, { ResetType: 'On' });
    await redfish.post('/redfish/v1/Systems/1/VirtualMedia/1/Actions/VirtualMedia.EjectMedia');
    const [withBody, empty] = bmc.requests.filter(({ path }) => path.includes('/Actions/'));
    expect(withBody!.headers).toMatchObject({
      'content-length': '18',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'odata-version': '4.0',
    });
    expect([empty!.headers['content-length'], empty!.headers['content-type'], empty!.text]).toEqual([
      '0',
      undefined,
      '',
    ]);
    expect(bmc.requests.every(({ headers }) => headers['transfer-encoding'] === undefined)).toBe(true);
  });
});

describe('changing', () => {
  const patch = `PATCH ${system}`;
  const matches = (bmc: { requests: { method: string; headers: Record<string, unknown> }[] }) =>
    bmc.requests.filter(({ method }) => method === 'PATCH').map(({ headers }) => headers['if-match']);

  it('sends the ETag as given, then what the resource has now, then strong, then none', async () => {
    const bmc = await startBmc();
    bmc.answer(patch, { status: 412 }, { status: 412 }, { status: 428 });
    await clientOf(bmc).patch(system, { AssetTag: 'a' }, 'W/"0"');
    expect(matches(bmc)).toEqual(['W/"0"', 'W/"1"', '"1"', undefined]);
  });

  it('reads the ETag first where one is required (Lenovo XCC)', async () => {
    const bmc = await startBmc();
    bmc.answer(patch, { status: 428 });
    await clientOf(bmc).patch(system, { AssetTag: 'a' });
    expect(matches(bmc)).toEqual([undefined, 'W/"1"']);
  });

  it('gives up when none is accepted', async () => {
    const bmc = await startBmc();
    bmc.answer(patch, { status: 412 }, { status: 412 }, { status: 412 });
    await expect(clientOf(bmc).patch(system, { AssetTag: 'a' }, 'W/"1"')).rejects.toMatchObject({ name: 'BmcBusy' });
    expect(matches(bmc)).toEqual(['W/"1"', '"1"', undefined]);
  });

  it('hands back the monitor of a task, and tells how the task stands', async () => {
    const bmc = await startBmc();
    const redfish = clientOf(bmc);
    const monitor = '/redfish/v1/TaskService/TaskMonitors/7';
    bmc.answer(`POST ${reset}`, {
      status: 202,
      headers: { Location: `https://127.0.0.1:${bmc.port}${monitor}` },
    });
    expect(await redfish.post(reset, { ResetType: 'On' })).toEqual({ monitor });
    bmc.answer(
      `GET ${monitor}`,
      { status: 404 },
      { status: 202, body: { TaskState: 'Running' } },
      { status: 200, body: { TaskState: 'Starting' } },
      { status: 200, body: { TaskState: 'Completed' } },
      { status: 204 },
      { status: 200, body: { TaskState: 'Exception', Messages: [{ MessageId: 'Base.1.8.InternalError' }] } },
      { status: 400 },
      { status: 503, body: { error: { message: 'Busy.' } } },
    );
    const seen = [];
    for (let i = 0; i < 5; i += 1) seen.push(await redfish.task(monitor));
    expect(seen).toEqual(['gone', 'running', 'running', 'done', 'done']);
    await expect(redfish.task(monitor)).rejects.toMatchObject({ name: 'BmcTaskFailed' });
    await expect(redfish.task(monitor)).rejects.toMatchObject({ name: 'BmcTaskFailed' });
    await expect(redfish.task(monitor)).rejects.toMatchObject({ name: 'BmcBusy' });
  });

  it('never follows a monitor that leads elsewhere', async () => {
    const bmc = await startBmc();
    bmc.answer(`POST ${reset}`, { status: 202, headers: { Location: 'https://10.0.0.1/redfish/v1/Tasks/1' } });
    await expect(clientOf(bmc).post(reset, {})).rejects.toThrow('leads away');
  });
});

describe('withRedfish', () => {
  it('gives the session back when all is well, when something fails, and when the work is cancelled', async () => {
    const bmc = await startBmc();
    await withRedfish(optionsFor(bmc), async (redfish) => redfish.get(system, computerSystem));
    expect(bmc.sessions.size).toBe(0);
    const failing = withRedfish(optionsFor(bmc), async (redfish) => {
      await redfish.get(system, computerSystem);
      throw new Error('something else');
    });
    await expect(failing).rejects.toThrow('something else');
    expect(bmc.sessions.size).toBe(0);
    const abort = new AbortController();
    const cancelled = withRedfish(optionsFor(bmc, { signal: abort.signal }), async (redfish) => {
      await redfish.get(system, computerSystem);
      bmc.answer(`GET ${system}`, () => {
        abort.abort();
        return 'hang';
      });
      await redfish.get(system, computerSystem);
    });
    await expect(cancelled).rejects.toMatchObject({ name: 'BmcTimeout' });
    expect(bmc.sessions.size).toBe(0);
  });
});
