import { expect, it } from 'vitest';

import { wantedBootMode } from '../../../layers/domain/capabilities.ts';

it('takes the boot mode of the instance rather than that of the machine, and none when nobody asked', () => {
  const properties = { capabilities: 'boot_mode:bios' };
  expect(wantedBootMode({ properties: {}, instance_info: {} })).toBeUndefined();
  expect(wantedBootMode({ properties, instance_info: {} })).toBe('bios');
  expect(wantedBootMode({ properties, instance_info: { deploy_boot_mode: 'uefi' } })).toBe('uefi');
  expect(wantedBootMode({ properties, instance_info: { capabilities: '{"boot_mode": "uefi"}' } })).toBe('uefi');
});
