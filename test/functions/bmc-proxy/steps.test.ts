/**
 * Whatever BMCs and agents answer, it is read in steps that grow with its size and no faster, and asks for no more requests
 * than it has links. Steps are counted (test/fakes/steps.ts), not timed: a busy machine changes nothing.
 */
import { afterAll, expect, it } from 'vitest';

import type { Operation, Params } from '../../../layers/bmc/operations.ts';
import type { Answer } from '../../../layers/platform/wire.ts';
import { startCounting } from '../../fakes/steps.ts';

// What is to be counted is loaded after the counting has begun.
const steps = await startCounting();
const { enrol } = await import('./fixture.ts');

afterAll(async () => steps.stop());

/** The same numbers in [0, 1) for the same seed (mulberry32). */
const numbers = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
};

const keys =
  `Systems Managers Chassis Members Members@odata.nextLink @odata.id Id Name Boot BootSourceOverrideTarget Actions
  #ComputerSystem.Reset target PowerState Links ManagedBy VirtualMedia Bios Attributes @Redfish.Settings SettingsObject
  SecureBoot Storage Drives Volumes EthernetInterfaces MACAddress Processors Memory ProcessorSummary UpdateService
  FirmwareInventory EventService Subscriptions SessionService Sessions Tasks TaskState TaskMonitor Messages error
  @Message.ExtendedInfo MessageId Message RelatedProperties RegistryEntries AttributeRegistry Location commands id
  command_name command_status command_result command_error clean_steps agent_version`.split(/\s+/);

type Told = { readonly status?: number; readonly headers?: Answer['headers']; readonly body: unknown };
/** What is answered to the `turn`th request, for this path; `size` is about how many characters. */
type World = (size: number, seed: number) => (path: string, turn: number) => Told;

const nested = (depth: number): unknown => {
  let value: unknown = {};
  for (let at = 0; at < depth; at += 1) value = at % 2 ? [value] : { Members: value };
  return value;
};
const everything = (value: unknown) => Object.fromEntries(keys.map((key) => [key, value]));
const linkTo = (path: string) => ({ '@odata.id': path });

/** What brings a reader further in. */
const plausible: Readonly<Record<string, object>> = {
  '/redfish/v1/': { Systems: linkTo('/redfish/v1/Systems'), Managers: linkTo('/redfish/v1/Managers') },
  '/redfish/v1/Systems': { Members: [linkTo('/redfish/v1/Systems/1')], 'Members@odata.nextLink': undefined },
  '/redfish/v1/Systems/1': { Bios: linkTo('/redfish/v1/Systems/1/Bios'), Storage: linkTo('/redfish/v1/Storage') },
};

const noise: World = (size, seed) => {
  const next = numbers(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  const value = (path: string, room: number): unknown =>
    pick<() => unknown>([
      () => 'x'.repeat(Math.floor(next() * room)),
      () => `${'http://a:b@'.repeat(Math.floor((next() * room) / 20))}/`,
      () => linkTo(path),
      () => linkTo(`/redfish/v1/${Math.floor(next() * 1e6)}`),
      () => Array.from({ length: Math.floor((next() * room) / 30) }, () => linkTo(`/redfish/v1/${next()}`)),
      () => Array.from({ length: 3 }, () => some(path, room / 4)),
      () => some(path, room / 2),
      () => nested(Math.floor((next() * Math.min(room, 500)) / 16)),
      () => next() * 1e9,
      () => pick([null, true, 'On', 'Off', 'Running', 'RUNNING', 'Once', '', '-1']),
    ])();
  const some = (path: string, room: number): unknown =>
    Object.fromEntries(Array.from({ length: 8 }, () => [pick(keys), room < 20 ? null : value(path, room / 4)]));
  return (path) =>
    plausible[path]
      ? { body: { ...(some(path, size) as object), ...plausible[path] } }
      : {
          status: pick([200, 200, 200, 200, 202, 204, 400, 401, 404, 409, 412, 500, 503]),
          headers: pick([
            {},
            { location: '/redfish/v1/TaskService/1' },
            { 'retry-after': '1' },
            { etag: 'x'.repeat(size / 100) },
          ]),
          body: some(path, size),
        };
};

const worlds: Readonly<Record<string, World>> = {
  'links to itself': () => (path) => ({ body: everything(linkTo(path)) }),
  'pages without end': (size) => (_path, turn) => ({
    body: {
      ...everything(linkTo(`/redfish/v1/${turn}`)),
      Members: [linkTo(`/redfish/v1/a${turn}`)],
      'Members@odata.nextLink': `/redfish/v1/${turn}?skip=${'1'.repeat(size / 1000)}`,
    },
  }),
  'links that each go on': (size) => (_path, turn) => ({
    body: everything(Array.from({ length: size / 2000 }, (_, at) => linkTo(`/redfish/v1/${turn}/${at}`))),
  }),
  'a task that never ends': (size) => (path) => ({
    status: 202,
    headers: { location: `/redfish/v1/TaskService/Tasks/1` },
    body: {
      ...everything(linkTo(path)),
      TaskState: 'Running',
      Messages: Array.from({ length: size / 100 }, () => ({ Message: 'm' })),
    },
  }),
  'objects in objects': (size) => () => ({ body: nested(Math.min(size / 12, 3000)) }),
  'an object of long texts': (size) => () => ({ body: everything('\\"'.repeat(size / 100)) }),
  'complaints without end': (size) => () => ({
    status: 400,
    body: {
      error: {
        '@Message.ExtendedInfo': Array.from({ length: size / 60 }, (_, at) => ({
          MessageId: `Base.1.${at}`,
          Message: 'http://a:b@c/?d',
          RelatedProperties: ['#/a'],
        })),
      },
    },
  }),
  'commands of the agent': (size) => () => ({
    body: {
      commands: Array.from({ length: size / 80 }, (_, at) => ({
        id: String(at),
        command_name: 'x',
        command_status: 'RUNNING',
      })),
    },
  }),
};

const asked: { readonly [O in Operation]?: Params<O> } = {
  'bmc.probe': {},
  'system.get': {},
  'power.ensure': { target: 'power on' },
  'boot.ensure': { device: 'cdrom', persistence: 'once', mode: 'uefi' },
  'vmedia.insert': { slot: 'cd', image: 'https://images.test/a.iso' },
  'vmedia.get': {},
  'mode.ensure': { mode: 'uefi' },
  'secure_boot.get': {},
  'indicator.list': {},
  'subscription.list': {},
  'bios.get': {},
  'bios.ensure': { settings: [{ name: 'A', value: 'b' }] },
  'firmware.get': {},
  'inventory.get': {},
  'agent.steps': { kind: 'clean' },
  'agent.execute': { kind: 'clean', step: { interface: 'deploy', step: 'erase_devices' } },
  'agent.progress': {},
};

/** Between two answers, ms: a try of 30 s comes to an end by its clock, however long its machine goes on. */
const pace = 20;
let world: ReturnType<World> = () => ({ body: {} });
const told = { requests: 0, characters: 0 };

const machine = await enrol({
  driver_info: { redfish_address: 'https://127.0.0.1:7443', redfish_auth_type: 'basic' },
  wire: {
    open: () => ({
      exchange: async ({ path }) => {
        const { status = 200, headers = {}, body } = world(path, told.requests);
        const text = JSON.stringify(body);
        told.requests += 1;
        told.characters += text.length;
        await machine.clock.sleep(pace);
        return { status, headers, text, fingerprint256: null };
      },
      close: () => undefined,
    }),
  },
});

let tries = 0;
/** What one operation takes in this world. */
const taken = async (op: Operation, params: object, how: ReturnType<World>) => {
  world = how;
  Object.assign(told, { requests: 0, characters: 0 });
  tries += 1;
  const ask = async () =>
    machine.ask(op, params as never, { op_id: `run-1/${tries}` }).catch((error: unknown) => error);
  const count = await steps.of(ask);
  return { count, ...told };
};

/** Of an operation, of each request, and of each character that is answered. */
const most = { once: 60_000, request: 5_000, character: 30 };
const ceiling = ({ requests, characters }: typeof told) =>
  most.once + most.request * requests + most.character * characters;

/** 30 s at the pace, and what is still on its way then. */
const mostRequests = 30_000 / pace + 50;

const expectBounded = async (op: Operation, params: object, how: ReturnType<World>, what: string) => {
  const cost = await taken(op, params, how);
  expect(cost.count, `steps of ${op}, ${what}, ${JSON.stringify(cost)}`).toBeLessThan(ceiling(cost));
  expect(cost.requests, `requests of ${op}, ${what}`).toBeLessThan(mostRequests);
  return cost;
};

it.each(Object.entries(worlds))('of a machine that answers %s', { timeout: 600_000 }, async (what, make) => {
  for (const [op, params] of Object.entries(asked)) {
    for (const size of [20_000, 80_000]) await expectBounded(op as Operation, params, make(size, 0), `${what} ${size}`);
  }
});

it('of a machine that answers anything', { timeout: 600_000 }, async () => {
  const ops = Object.entries(asked);
  for (let seed = 0; seed < 150; seed += 1) {
    const [op, params] = ops[seed % ops.length]!;
    await expectBounded(op as Operation, params, noise(2_000 * (1 + (seed % 7)), seed), `seed ${seed}`);
  }
});

it('is the same number each time, and notices what is read again for each of its characters', async () => {
  const { hideInUrls } = await import('../../../layers/domain/foreign-text.ts');
  const text = 'http://a:b@c/?d '.repeat(60);
  const once = async () => steps.of(() => hideInUrls(text, '***'));
  await once();
  const count = await once();
  expect(await once()).toBe(count);
  expect(count).toBeLessThan(most.character * text.length);
  const again = await steps.of(() => {
    for (let at = 0; at < text.length; at += 1) hideInUrls(text.slice(at), '***');
  });
  expect(again).toBeGreaterThan(10 * most.character * text.length);
});
