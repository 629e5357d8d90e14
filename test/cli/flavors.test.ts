/** `npx ingot flavors update-deploy-images` as an operator starts it, before the real Compute API and the real Image API. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { createFront as createCompute, root } from '../functions/compute-api/front.ts';
import { createFront as createImages } from '../functions/image-api/front.ts';
import { fixture } from '../migrate/nova-bm/planned.ts';
import { type Arrived, ingot, served } from './served.ts';

type Flavor = { readonly id: string; readonly name: string; readonly extra_specs: Record<string, string> };
const { options, before, after } = JSON.parse(fixture('flavors.json')) as {
  options: { deploy_kernel: string; deploy_ramdisk: string };
  before: Flavor[];
  after: Flavor[];
};

let folder: string;
let compute: Awaited<ReturnType<typeof served>>;
let images: Awaited<ReturnType<typeof served>>;
let front: ReturnType<typeof createCompute>;
/** Requests that reached the Compute API. */
let arrived: Arrived[];
/** Statuses of the images that there are. */
let uploaded: Record<string, string>;

/** A Nova has a project behind its version. */
const nova = '/v2/a-project';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
  front = createCompute();
  for (const { extra_specs, ...flavor } of before) {
    const sizes = { ram: 1024, vcpus: 1, disk: 10, 'os-flavor-access:is_public': flavor.id !== '12' };
    await front.request('POST /v2.1/flavors', { subject: root, body: { flavor: { ...flavor, ...sizes } } });
    const path = `POST /v2.1/flavors/${flavor.id}/os-extra_specs`;
    await front.request(path, { subject: root, body: { extra_specs } });
  }
  arrived = [];
  compute = await served(async (one) => {
    arrived.push(one);
    const line = one.line.replace(nova, '/v2.1');
    return front.request(line, { subject: root, body: one.body, version: null });
  });
  uploaded = { [options.deploy_kernel]: 'active', [options.deploy_ramdisk]: 'active' };
  images = await served(async ({ line }) => {
    const id = line.split('/').at(-1)!;
    if (Object.hasOwn(uploaded, id)) return { status: 200, body: { id, status: uploaded[id] } };
    return createImages({}, front.platform).request(line, {});
  });
});
afterEach(() => {
  compute.stop();
  images.stop();
  rmSync(folder, { recursive: true, force: true });
});

const report = () => join(folder, 'report.json');
const reported = () => JSON.parse(readFileSync(report(), 'utf8')) as Record<string, unknown>;
const update = async (more: readonly string[] = [], env: Record<string, string> = {}) => {
  const pair = ['--deploy-kernel', options.deploy_kernel, '--deploy-ramdisk', options.deploy_ramdisk];
  const where = ['--endpoint', compute.url, '--report', report()];
  return ingot(['flavors', 'update-deploy-images', ...where, ...pair, ...more], env);
};
const withImages = () => ['--image-endpoint', `${images.url}/v2`];
const specsNow = async () =>
  Promise.all(
    before.map(
      async ({ id }) =>
        (await front.request(`GET /v2.1/flavors/${id}/os-extra_specs`, { subject: root })).body.extra_specs as object,
    ),
  );
const specsOf = (flavors: readonly Flavor[]) => flavors.map(({ extra_specs }) => extra_specs);
const writes = () => arrived.filter(({ line }) => !line.startsWith('GET'));

it('gives the new pair to whoever has one of a pair, and tells what was and what is', async () => {
  const { code, out, err } = await update(withImages());
  expect([code, err]).toEqual([0, '']);
  expect(out.split('\n')).toEqual([
    `11 baremetal: baremetal:deploy_kernel_id 0d000000-0000-4000-8000-00000000000a -> ${options.deploy_kernel}, baremetal:deploy_ramdisk_id 0d000000-0000-4000-8000-00000000000b -> ${options.deploy_ramdisk}`,
    `12 baremetal-legacy: baremetal:deploy_kernel_id 0d000000-0000-4000-8000-00000000000a -> ${options.deploy_kernel}, baremetal:deploy_ramdisk_id none -> ${options.deploy_ramdisk}`,
    'flavors: 4 read, 2 changed, 2 left',
    '',
  ]);
  expect(reported()).toEqual({ dry_run: false, options, before, after });
  expect(await specsNow()).toEqual(specsOf(after));
  // Nova of these days had no microversions.
  expect(arrived.flatMap(({ headers }) => Object.keys(headers)).filter((name) => name.includes('version'))).toEqual([]);
});

it('changes nothing the second time', async () => {
  await update();
  arrived = [];
  const { code, out } = await update();
  expect([code, out]).toEqual([0, expect.stringContaining('flavors: 4 read, 0 changed, 4 left\n')]);
  expect(writes()).toEqual([]);
  expect(await specsNow()).toEqual(specsOf(after));
});

it('has reported what was there before it changes anything, and a later run leaves that report', async () => {
  const state: (string | undefined)[] = [];
  const specs = { 'baremetal:deploy_kernel_id': 'old-kernel', 'baremetal:deploy_ramdisk_id': 'old-ramdisk' };
  const other = await served(async ({ line }) => {
    const [method, path] = line.split(' ') as [string, string];
    if (method === 'POST') state.push(readFileSync(report(), 'utf8'));
    if (method === 'POST') return { status: 503, body: {} };
    const flavors = path.includes('marker') ? [] : [{ id: 'a', name: 'a' }];
    return { status: 200, body: path.includes('os-extra_specs') ? { extra_specs: specs } : { flavors } };
  });
  const asked = ['--endpoint', other.url + nova];
  expect((await update(asked)).code).toBe(2);
  expect(JSON.parse(state[0]!)).toMatchObject({
    before: [{ id: 'a', extra_specs: specs }],
    after: [{ changed: true }],
  });
  expect(statSync(report()).mode & 0o777).toBe(0o600);
  Object.assign(specs, { 'baremetal:deploy_kernel_id': options.deploy_kernel });
  await update(asked);
  other.stop();
  expect(readFileSync(`${report()}.1`, 'utf8')).toBe(state[0]);
  expect(readFileSync(report(), 'utf8')).toBe(state[1]);
});

it('writes nothing when it only looks, and reports the same', async () => {
  const { code, out } = await update(['--dry-run']);
  expect([code, out]).toEqual([0, expect.stringContaining('flavors: 4 read, 2 would be changed, 2 left\n')]);
  expect(reported()).toEqual({ dry_run: true, options, before, after });
  expect(writes()).toEqual([]);
  expect(await specsNow()).toEqual(specsOf(before));
});

it('takes an empty name for none, as a Nova lets one be set', async () => {
  const empty = { 'baremetal:deploy_kernel_id': '', 'baremetal:deploy_ramdisk_id': '' };
  const one = { ...empty, 'baremetal:deploy_ramdisk_id': 'old' };
  const specs: Record<string, object> = { a: empty, b: one };
  const posted: string[] = [];
  const other = await served(async ({ line, body }) => {
    const [method, path] = line.split(' ') as [string, string];
    const id = path.split('/')[4];
    if (method === 'POST') posted.push(`${id} ${body}`);
    const flavors = path.includes('marker') ? [] : Object.keys(specs).map((name) => ({ id: name, name }));
    return { status: 200, body: id === undefined ? { flavors } : { extra_specs: specs[id] } };
  });
  const { code, err } = await update(['--endpoint', other.url + nova]);
  other.stop();
  expect([code, err]).toEqual([0, '']);
  expect(posted).toEqual([expect.stringMatching(/^b \{"extra_specs":\{"baremetal:deploy_kernel_id":"1e.*00b"\}\}$/)]);
});

it('asks a Nova behind the project of its URL, as who the token says, and tells nobody the token', async () => {
  const { code, out, err } = await update(['--endpoint', compute.url + nova, '--auth', 'token'], {
    INGOT_TOKEN: 'c4nary-token',
  });
  expect([code, err]).toEqual([0, '']);
  expect(new Set(arrived.map(({ headers }) => headers['x-auth-token']))).toEqual(new Set(['c4nary-token']));
  expect(arrived.every(({ line }) => line.includes(`${nova}/flavors`))).toBe(true);
  expect(out + readFileSync(report(), 'utf8')).not.toContain('c4nary');
});

it('changes nothing if an image is not there, or has no data', async () => {
  delete uploaded[options.deploy_ramdisk];
  const missing = await update(withImages());
  expect([missing.code, missing.out]).toEqual([2, '']);
  expect(missing.err).toBe(
    `ingot: Image ${options.deploy_ramdisk} of --deploy-ramdisk is not there: upload it first.\n`,
  );
  uploaded[options.deploy_ramdisk] = 'queued';
  expect((await update(withImages())).err).toContain('of --deploy-ramdisk is queued: it has no data yet.');
  expect(arrived).toEqual([]);
});

it('says that nobody looked for the images, without an endpoint for them', async () => {
  expect((await update(['--dry-run'])).out).toContain('--image-endpoint says where');
});

it.each([
  [['--deploy-ramdisk', ''], 'they are a pair'],
  [['--endpoint', 'ftp://nova'], 'is no http or https URL'],
  [['--auth', 'token'], 'There is no token for --auth'],
  [['--endpoint', 'http://nova.example', '--auth', 'basic', '--user', 'x'], 'There is no password'],
  [['--wrong'], "Unknown option '--wrong'"],
])('tells what is wrong with %j', async (args, reason) => {
  const { code, err } = await update(args);
  expect(code).toBe(2);
  expect(err).toMatch(/^ingot: [^\n]*\n$/);
  expect(err).toContain(reason);
});

it('tells what the Compute API says against it', async () => {
  const other = await served(async () => ({
    status: 409,
    body: { conflictingRequest: { code: 409, message: 'No.' } },
  }));
  const { code, err } = await update(['--endpoint', other.url]);
  other.stop();
  expect([code, err]).toEqual([2, 'ingot: The Compute API answered with 409 to GET /flavors: No.\n']);
});
