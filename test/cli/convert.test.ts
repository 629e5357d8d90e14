/** `npx ingot nodes convert` as an operator starts it: a process before the real API, its output, its exit code. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import type { createFront } from '../functions/baremetal-api/front.ts';
import { ingot } from './served.ts';
import { serveFront } from './served-front.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-test-'));
const uuid = (one: number) => `11111111-0000-4000-8000-${String(one).padStart(12, '0')}`;

let served: Awaited<ReturnType<typeof serveFront>>;
let front: ReturnType<typeof createFront>;

beforeEach(async () => {
  served = await serveFront();
  ({ front } = served);
});
afterEach(() => served.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const convert = async (args: readonly string[]) => ingot(['nodes', 'convert', ...args, '--endpoint', served.endpoint]);
const moveIn = async (count: number, more: object = {}) => {
  const records = Array.from({ length: count }, (_, one) => {
    const driver_info = { ipmi_address: `192.0.2.${one}`, ipmi_username: 'admin', ipmi_password: 'canary-1' };
    const record = {
      uuid: uuid(one),
      name: `n${one}`,
      driver: 'ipmi',
      driver_info,
      provision_state: 'available',
      ...more,
    };
    return { kind: 'node', record };
  });
  const { body } = await front.request('POST /v1/imports', { body: { records } });
  expect(body.results[0]).toMatchObject({ outcome: 'created' });
};
const nodes = async () =>
  (await front.request('GET /v1/nodes?fields=name,driver,driver_info')).body.nodes as {
    driver: string;
    driver_info: Record<string, unknown>;
  }[];
const lines = (out: string): string[] => out.trimEnd().split('\n');

it('shows by a dry run what would become of all, converts them, and finds nothing left to do', async () => {
  await moveIn(12);
  const dry = await convert(['--all', '--dry-run']);
  expect([dry.code, lines(dry.out).at(-1)]).toEqual([0, '12 nodes: 12 convertible.']);
  expect(new Set((await nodes()).map(({ driver }) => driver))).toEqual(new Set(['ipmi']));
  const done = await convert(['--all']);
  expect([done.code, lines(done.out).at(-1)]).toEqual([0, '12 nodes: 12 converted.']);
  expect(lines(done.out).toSorted()).toContainEqual(
    expect.stringMatching(/^n3 +converted +https:\/\/192\.0\.2\.3, Ingot, Fake, power off$/),
  );
  expect(new Set((await nodes()).map(({ driver }) => driver))).toEqual(new Set(['redfish']));
  expect(await convert(['--all'])).toMatchObject({ code: 0, out: 'There is no node of driver ipmi.\n' });
  expect((await convert(['n0', uuid(1)])).out).toContain('2 nodes: 2 unchanged.');
});

it('ends with 1 if a BMC does not answer, says which and why, and the next time asks those alone', async () => {
  await moveIn(3);
  const silent = (request: { node: string }) => {
    if (request.node !== uuid(1)) return undefined;
    throw bmcFault('BmcUnreachable', 'BMC 192.0.2.1 does not answer.');
  };
  front.proxy.answer('bmc.prove', silent, silent, silent);
  const first = await convert(['--all']);
  expect([first.code, first.out]).toEqual([
    1,
    expect.stringMatching(/^n1 +failed +BMC 192\.0\.2\.1 does not answer\.$/m),
  ]);
  expect(lines(first.out).at(-1)).toMatch(/^3 nodes: .*2 converted/);
  expect(await convert(['--all'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 nodes: 1 converted.') as string,
  });
});

it('makes addresses by a template, with the credentials and the trust that it is given', async () => {
  await moveIn(1, { driver_info: { ipmi_address: '2001:db8::7', ipmi_username: 'admin', ipmi_password: 'canary-1' } });
  const pin = `sha256:${'ab'.repeat(32)}`;
  const system = '/redfish/v1/Systems/7';
  const same = ['--address-template', 'https://{address}:8443', '--bmc-ca', pin, '--system-id', system];
  expect((await convert(['n0', ...same, '--dry-run'])).out).toContain('https://[2001:db8::7]:8443');
  const other = ['n0', '--address-template', 'https://bmc-{name}.example', '--bmc-ca', pin];
  const refused = await convert(other);
  expect([refused.code, refused.out]).toEqual([
    1,
    expect.stringContaining('give redfish_password in the same request'),
  ]);
  const file = join(folder, 'password');
  writeFileSync(file, 'canary-2\n');
  const done = await convert([...other, '--bmc-user', 'root', '--bmc-password-file', file]);
  expect(done.code).toBe(0);
  expect((await nodes())[0]!.driver_info).toEqual({
    redfish_address: 'https://bmc-n0.example',
    redfish_username: 'root',
    redfish_password: '******',
    redfish_verify_ca: pin,
  });
  expect(JSON.stringify([refused, done])).not.toContain('canary');
});

it('writes what others wrote as text, whatever it would do to a terminal', async () => {
  await moveIn(1);
  front.proxy.answer('bmc.prove', bmcFault('BmcRejected', 'no\u001b]0;owned\u0007\u202e\nn9 converted'));
  const { out } = await convert(['n0']);
  for (const one of '\u001b\u0007\u202e') expect(out).not.toContain(one);
  expect(lines(out)).toHaveLength(2);
});

it('says in one line what is wrong', async () => {
  await moveIn(1);
  expect((await convert([])).err).toContain('Name the nodes, or give --all');
  expect((await convert(['n0', '--all'])).err).toContain('Name the nodes, or give --all');
  expect((await convert(['nobody'])).err).toContain('Node nobody could not be found');
  expect((await convert(['n0', '--bmc-ca', '/nowhere'])).err).toContain('The file /nowhere can not be read');
  const template = await convert(['n0', '--address-template', 'https://{rack}']);
  expect([template.code, template.out]).toEqual([1, expect.stringContaining('has nothing for {rack}')]);
});
