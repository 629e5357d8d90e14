import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { requireInterfaces, validateNode } from '../../../layers/bmc/validation.ts';
import { newNode } from '../../../layers/domain/baremetal/new-node.ts';
import { verbs } from '../../../layers/domain/baremetal/verbs.ts';
import type { Fault } from '../../../layers/domain/fault.ts';
import { hardwareTypes, interfaceKinds } from '../../../layers/domain/hardware-types.ts';
import type { Node } from '../../../layers/domain/node.ts';

const nodeOf = (driver: string, values: object = {}) =>
  newNode({ uuid: 'u', driver, created_at: '2026-01-01T00:00:00+00:00', position: '', ...values });

const keys = `
  redfish_address redfish_system_id redfish_username redfish_password redfish_verify_ca deploy_iso
  image_source image_checksum image_os_hash_algo image_os_hash_value image_type kernel root_gb
  capabilities root_device traits configdrive boot_iso __proto__
`
  .trim()
  .split(/\s+/);
const info = fc.dictionary(fc.constantFrom(...keys), fc.oneof(fc.jsonValue(), fc.webUrl(), fc.boolean()));

/** The code with which a deploy would be refused; undefined: it would begin. */
const refusalOf = (node: Node, hasPorts: boolean): number | undefined => {
  try {
    requireInterfaces(node, verbs.active, { hasPorts });
    return undefined;
  } catch (error) {
    return (error as Fault).code;
  }
};

describe('validation', () => {
  /** The interfaces with what a driver can do them by; `no-` is what it cannot. */
  const all = Object.entries(hardwareTypes).flatMap(([driver, { interfaces }]) =>
    Object.entries(interfaces).flatMap(([kind, names]) =>
      names.filter((name) => !name.startsWith('no-')).map((name) => ({ driver, kind, name })),
    ),
  );

  /** `vendor` is validated by nobody, as in Ironic; redfish does no RAID, though nodes may name it. */
  const unknown = ({ kind, name }: (typeof all)[number]) =>
    kind === 'vendor' || (kind === 'raid' && name === 'redfish');

  it.each(all.filter((one) => !unknown(one)))('of $driver knows $kind interface $name', (one) => {
    const node = nodeOf(one.driver, { [`${one.kind}_interface`]: one.name });
    expect(validateNode(node, { hasPorts: true })[one.kind]?.reason ?? '').not.toContain('does not support');
  });

  it('judges whatever clients store, and never breaks on it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(hardwareTypes)),
        fc.constantFrom('direct', 'ramdisk', null, 'gone'),
        fc.record({ driver_info: info, instance_info: info, properties: info }),
        fc.boolean(),
        (driver, deploy, infos, hasPorts) => {
          const node = nodeOf(driver, { ...infos, ...(deploy && { deploy_interface: deploy }) });
          const outcome = validateNode(node, { hasPorts });
          expect(Object.keys(outcome)).toHaveLength(Object.keys(interfaceKinds).length - 1);
          const ready = ['power', 'deploy', 'storage', 'network'].every((kind) => outcome[kind]!.result);
          expect(refusalOf(node, hasPorts)).toBe(ready ? undefined : 400);
        },
      ),
    );
  });

  it('never repeats a value that may be a secret', () => {
    const marker = 'S3cr3tMarker';
    const secrets = Object.fromEntries(
      keys.filter((key) => key !== '__proto__').map((key) => [key, `${marker} ${key}`]),
    );
    for (const key of Object.keys(secrets)) {
      const node = nodeOf('redfish', {
        driver_info: { redfish_address: 'https://10.1.0.7', deploy_iso: 'http://x/d.iso', [key]: secrets[key] },
        instance_info: { image_source: 'http://x/i', image_checksum: 'ab'.repeat(32), [key]: secrets[key] },
      });
      expect(JSON.stringify(validateNode(node, { hasPorts: true }))).not.toContain(marker);
    }
  });
});

describe('how the agent gets its token', () => {
  const boot = (config_via_removable: unknown, removable_media?: boolean, network_data = {}) => {
    const driver_info = { redfish_address: 'https://10.0.0.1', deploy_iso: 'http://images.test/a.iso' };
    const driver_internal_info = removable_media === undefined ? {} : { removable_media };
    const values = { driver_info: { ...driver_info, config_via_removable }, driver_internal_info, network_data };
    return validateNode(nodeOf('redfish', values), { hasPorts: true })['boot'];
  };

  it.each([
    ['the BMC was not asked yet', null, undefined],
    ['the BMC has a second drive', null, true],
    ['the operator demands the medium', 'true', false],
  ])('is nothing to remark where %s', (_what, asked, removable) => {
    expect(boot(asked, removable)).toEqual({ result: true });
  });

  it.each([
    ['the BMC has one drive', null, false, 'one virtual drive only'],
    ['the operator chose a plain ISO', 'False', true, 'config_via_removable is false'],
  ])('is said to be weaker where %s', (_what, asked, removable, words) => {
    expect(boot(asked, removable)).toEqual({ result: true, reason: expect.stringContaining(words) as string });
  });

  it.each([
    ['the BMC has one drive', null, false, 'the BMC offers one virtual drive only'],
    ['the operator wants none', false, true, 'config_via_removable is false. Set it to true.'],
  ])('is the only way for network_data, which is refused where %s', (_what, asked, removable, words) => {
    const network_data = { links: [], networks: [], services: [] };
    const reason = expect.stringContaining(words) as string;
    expect(boot(asked, removable, network_data)).toEqual({ result: false, reason });
    expect(boot(null, true, network_data)).toEqual({ result: true });
  });

  it('is refused where it is neither true nor false', () => {
    expect(boot('perhaps')).toEqual({
      result: false,
      reason: 'driver_info.config_via_removable must be true or false.',
    });
  });
});
