/** Requests that cannot work are refused before anything happens to the machine. */
import { beforeEach, describe, expect, it } from 'vitest';

import type { StoredNode } from '../../../../layers/store/nodes.ts';
import { aNode } from '../../../workflows/nodes.ts';
import { createFrontWithNodes, redfishInfo, type Front } from './stored.ts';
import { createSystem } from './system.ts';

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const password = { rescue_password: 'secret' };
const agentStep = (kind: string) => ({ [`${kind}_steps`]: [{ interface: 'deploy', step: 'burnin_cpu', args: {} }] });

/** Verbs that boot something else, where they come from, and what they are asked with. */
const booting = [
  ['active', { provision_state: 'available' }, {}],
  ['rebuild', { provision_state: 'active' }, {}],
  ['provide', { provision_state: 'manageable' }, {}],
  ['clean', { provision_state: 'manageable' }, agentStep('clean')],
  ['service', { provision_state: 'active' }, agentStep('service')],
  ['inspect', { provision_state: 'manageable', inspect_interface: 'agent' }, {}],
  ['rescue', { provision_state: 'active', rescue_interface: 'agent' }, password],
  ['unrescue', { provision_state: 'rescue', rescue_interface: 'agent' }, {}],
] as const satisfies readonly (readonly [string, Partial<StoredNode>, object])[];

const refused = async (node: StoredNode, verb: string, body: object, words: string) => {
  expect(await front.provision(node.uuid, verb, body)).toMatchObject({
    status: 400,
    error: expect.stringContaining(words) as string,
  });
  expect(await front.read(node.uuid)).toEqual(node);
  expect(front.platform.workflows.started).toEqual([]);
};

describe('400 at once, and nothing changed:', () => {
  it.each(booting)('%s of a machine that must not be switched off', async (verb, values, body) => {
    await refused(await front.storeReady({ ...values, disable_power_off: true }), verb, body, 'disable_power_off');
  });

  const withoutImage = { ...redfishInfo, deploy_iso: '' };
  it.each(booting.filter(([verb]) => verb !== 'unrescue'))(
    '%s without an image to boot',
    async (verb, values, body) => {
      await refused(await front.storeReady({ ...values, driver_info: withoutImage }), verb, body, 'deploy_iso');
    },
  );

  const byAgent = booting.filter(([verb]) => verb !== 'unrescue' && verb !== 'inspect');
  it.each(byAgent)('%s without a port to know the agent by', async (verb, values, body) => {
    const ready = { driver: 'redfish', driver_info: redfishInfo } as const;
    await refused(await front.store({ ...ready, ...values, instance_info: imageOf(verb) }), verb, body, 'port');
  });

  it.each(['clean', 'provide'])('%s by the agent where only instances boot from media of their own', async (verb) => {
    const node = { provision_state: 'manageable', deploy_interface: 'ramdisk', driver_info: withoutImage } as const;
    const body = verb === 'clean' ? agentStep('clean') : {};
    await refused(await front.storeReady(node), verb, body, 'deploy_iso');
  });
});

const imageOf = (verb: string) =>
  ['active', 'rebuild'].includes(verb)
    ? {
        image_source: 'https://images.test/demo.raw',
        image_os_hash_algo: 'sha256',
        image_os_hash_value: 'ab'.repeat(32),
      }
    : {};

describe('accepted all the same:', () => {
  it.each([
    ['the node is not cleaned', { automated_clean: false }],
    ['the hardware is fake', { driver: 'fake-hardware', disable_power_off: true }],
  ])('provide when %s', async (_why, values) => {
    const { uuid } = await front.store({ driver: 'redfish', provision_state: 'manageable', ...values });
    expect((await front.provision(uuid, 'provide')).status).toBe(202);
  });

  it('an inspection by a BMC that must not switch its machine off', async () => {
    const node = { provision_state: 'manageable', inspect_interface: 'redfish', disable_power_off: true } as const;
    const { uuid } = await front.storeReady(node);
    expect((await front.provision(uuid, 'inspect')).status).toBe(202);
  });

  it.each([
    ['must stay on', { disable_power_off: true }, 'disable_power_off is set', 'power on'],
    ['has no image to clean with', { driver_info: { redfish_address: 'https://10.0.0.1' } }, 'deploy_iso', 'power off'],
  ] as const)('deleted of a machine that %s: the tenant is rid of it', async (_what, values, words, power) => {
    const { stage, provision } = await createSystem(
      aNode({ provision_state: 'active', instance_uuid: '6b9cd1a4-0c1f-4d0e-9f5c-2f5d8a3c7e12', ...values }),
    );
    stage.machine.power = 'power on';
    await provision('deleted');
    const node = await stage.read();
    expect(node).toMatchObject({ provision_state: 'clean failed', instance_uuid: null, instance_info: {} });
    expect(node.last_error).toContain(words);
    expect(stage.machine.power).toBe(power);
    // Nothing was booted for a cleaning that cannot be.
    expect(stage.proxy.requests.map(({ op }) => op)).not.toContain('boot.ensure');
  });
});
