/**
 * What strangers send who say to be agents is read in steps that grow with its size and no faster, and so it is when rules
 * look at it. Steps are counted (test/fakes/steps.ts), not timed.
 */
import { afterAll, describe, expect, it } from 'vitest';

import { startCounting } from '../../fakes/steps.ts';

// What is to be counted is loaded after the counting has begun.
const steps = await startCounting();
const { createFront } = await import('./front.ts');
const { aRule, inspected } = await import('../../layers/domain/inspection-rules/inspected.ts');
const { evaluateRules } = await import('../../../layers/domain/inspection-rules/evaluate.ts');

afterAll(async () => steps.stop());

/** Of a request, and of each character of it. */
const most = { once: 60_000, character: 30 };
const sizes = [1_000, 20_000, 80_000];

const nested = (depth: number): unknown => {
  let value: unknown = {};
  for (let at = 0; at < depth; at += 1) value = at % 2 ? [value] : { interfaces: value };
  return value;
};

/** Values of about so many characters. */
const values: Readonly<Record<string, (size: number) => unknown>> = {
  'a long text': (size) => 'x'.repeat(size),
  'escaped marks': (size) => '\\"'.repeat(size / 4),
  'URLs with users': (size) => 'http://a:b@'.repeat(size / 11),
  slashes: (size) => `https://10.0.0.9/${'/'.repeat(size)}x`,
  depth: (size) => nested(Math.min(size / 14, 1500)),
  'many cards': (size) =>
    Array.from({ length: size / 50 }, (_, at) => ({ mac_address: `52:54:00:00:${at % 90}:01`, name: 'e' })),
  'many names': (size) => Object.fromEntries(Array.from({ length: size / 12 }, (_, at) => [`n${at}`, 0])),
  addresses: (size) => Array.from({ length: size / 18 }, () => '52:54:00:aa:bb:cc').join(','),
};

const front = await createFront({ provision_state: 'inspect wait', run_workflow: 'inspect' });

const expectBounded = async (what: string, length: number, work: () => unknown) => {
  // What is made once and kept is no matter of one request.
  await work();
  const count = await steps.of(work);
  expect(count, `steps of ${what}, of ${length} characters`).toBeLessThan(most.once + most.character * length);
};

describe.each(Object.entries(values))('%s', (name, make) => {
  it.each([
    [
      'callback_url of a heartbeat',
      'POST /v1/heartbeat/{uuid}',
      (value: unknown) => ({ callback_url: value, agent_token: value }),
    ],
    ['inventory', 'POST /v1/continue_inspection', (value: unknown) => ({ inventory: value })],
    [
      'interfaces of an inventory',
      'POST /v1/continue_inspection',
      (value: unknown) => ({ inventory: { interfaces: value, bmc_address: value } }),
    ],
    [
      'what comes beside an inventory',
      'POST /v1/continue_inspection',
      (value: unknown) => ({ inventory: {}, lldp_raw: value, [name]: value }),
    ],
  ])('as %s', async (what, line, bodyOf) => {
    for (const size of sizes) {
      const body = bodyOf(make(size));
      const at = line.replace('{uuid}', '11111111-1111-4111-8111-111111111111');
      await expectBounded(`${name} as ${what}`, JSON.stringify(body).length, async () =>
        front.request(at, { body, version: null }),
      );
    }
  });

  it('as the addresses and the node of a lookup', async () => {
    for (const size of sizes) {
      const text = encodeURIComponent(JSON.stringify(make(size)));
      const line = `GET /v1/lookup?addresses=${text}&node_uuid=${text}`;
      await expectBounded(`${name} as a lookup`, line.length, async () => front.request(line));
    }
  });

  it('as what rules look at', async () => {
    const patterns = ['(a+)+$', '(x|xx)*y', '^(.*.*.*)z$', '.*"'];
    const rules = patterns.map((regex) =>
      aRule({
        conditions: [{ op: 'matches', args: { value: '{plugin_data[found]}', regex } }],
        actions: [{ op: 'set-attribute', args: { path: '/extra/found', value: '{plugin_data[found]}' } }],
      }),
    );
    for (const size of sizes) {
      const plugin_data = { found: make(size) };
      const length = JSON.stringify(plugin_data).length * rules.length;
      const work = () => {
        try {
          evaluateRules(rules, { ...inspected(), plugin_data });
        } catch {
          // Refused is as good.
        }
      };
      await expectBounded(`${name} in rules`, 4 * length, work);
    }
  });
});
