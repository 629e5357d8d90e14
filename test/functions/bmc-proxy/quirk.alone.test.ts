/** A quirk is one row: whom it is about, and what is otherwise there. The answer says under which it was made. */
import { expect, it } from 'vitest';

import { type QuirkRow, quirkRows } from '../../../layers/bmc/quirks.ts';

(quirkRows as QuirkRow[]).push({
  name: 'sample-takes-no-cd',
  match: { vendor: /^sample works/i },
  set: { boot_cdrom_unsupported: 'Buy another.' },
});

const { enrol } = await import('./fixture.ts');

it('makes the operations behave otherwise with the machines that it is about', async () => {
  const { ask, bmc } = await enrol();
  const cd = { device: 'cdrom', persistence: 'once' } as const;
  expect(await ask('boot.ensure', cd)).toMatchObject({ quirks: [] });
  bmc.resources['/redfish/v1/']!['Vendor'] = 'Sample Works';
  await expect(ask('boot.ensure', cd, { op_id: 'other' })).rejects.toThrow('Buy another.');
  const disk = { device: 'disk', persistence: 'once' } as const;
  expect(await ask('boot.ensure', disk, { op_id: 'third' })).toMatchObject({ quirks: ['sample-takes-no-cd'] });
});
