import { beforeEach, describe, expect, it } from 'vitest';

import type { BiosSetting } from '../../../../layers/bmc/settings.ts';
import { keepBios, keepFirmware } from '../../../../layers/store/machine-settings.ts';
import { createFrontWithNodes, type Front } from './stored.ts';

const unknown = {
  attribute_type: null,
  allowable_values: null,
  lower_bound: null,
  max_length: null,
  min_length: null,
  read_only: null,
  reset_required: null,
  unique: null,
  upper_bound: null,
};
const settings: BiosSetting[] = [
  {
    ...unknown,
    name: 'ProcTurboMode',
    value: 'Enabled',
    attribute_type: 'Enumeration',
    allowable_values: ['Enabled', 'Disabled'],
  },
  { ...unknown, name: 'NumCores', value: 4, lower_bound: 0, upper_bound: 64 },
  { ...unknown, name: 'Quiet', value: true },
];
const bmc = { component: 'bmc', current_version: '1.0', vendor: 'Ingot', model: 'M', serial_number: null };

let front: Front;
let uuid: string;
const holder = { uuid: '', reservation: 'run' };
beforeEach(async () => {
  front = createFrontWithNodes();
  ({ uuid } = await front.store({ reservation: 'run' }));
  holder.uuid = uuid;
  await keepBios(front.platform, holder, settings);
  await keepFirmware(front.platform, holder, [bmc]);
});

const get = async (rest: string, version = 'latest') => front.request(`GET /v1/nodes/${uuid}/${rest}`, { version });

describe('BIOS settings', () => {
  it('are listed briefly, their values as text', async () => {
    const { body } = await get('bios');
    const values = (body.bios as { name: string; value: string }[]).map(({ name, value }) => [name, value]);
    expect(values).toEqual([
      ['NumCores', '4'],
      ['ProcTurboMode', 'Enabled'],
      ['Quiet', 'True'],
    ]);
    expect(Object.keys(body.bios[0] as object).sort()).toEqual(['created_at', 'links', 'name', 'updated_at', 'value']);
    expect(body.bios[0].links[0].href).toBe(`http://metal.test/v1/nodes/${uuid}/bios/NumCores`);
  });

  it('are told with what the registry says since 1.74', async () => {
    const { body } = await get('bios?detail=true', '1.74');
    expect(body.bios[1]).toMatchObject({ attribute_type: 'Enumeration', allowable_values: ['Enabled', 'Disabled'] });
    expect(body.bios[0]).toMatchObject({ upper_bound: 64, lower_bound: 0, read_only: null });
    expect((await get('bios?fields=name,unique')).body.bios[2]).toMatchObject({ name: 'Quiet', unique: null });
    expect((await get('bios?detail=true', '1.73')).status).toBe(406);
    expect((await get('bios?fields=name', '1.73')).status).toBe(406);
    expect((await get('bios?fields=nope')).status).toBe(400);
  });

  it('are told one by one', async () => {
    expect((await get('bios/NumCores')).body).toEqual({
      NumCores: expect.objectContaining({ value: '4', upper_bound: 64 }) as object,
    });
    expect(Object.keys((await get('bios/NumCores', '1.73')).body.NumCores as object)).not.toContain('upper_bound');
    expect(await get('bios/nope')).toMatchObject({
      status: 404,
      error: `Node ${uuid} doesn't have a BIOS setting 'nope'.`,
    });
    expect((await get(`bios/${'x'.repeat(2000)}`)).status).toBe(404);
  });

  it('need 1.40', async () => {
    expect([(await get('bios', '1.39')).status, (await get('bios', '1.40')).status]).toEqual([404, 200]);
  });
});

describe('what is kept of a BMC', () => {
  it('is written where something changed, and nowhere else', async () => {
    const before = structuredClone(front.platform.table.items().filter(({ sk }) => sk.startsWith('bios#')));
    front.platform.clock.advance(1000);
    await keepBios(front.platform, holder, settings);
    expect(front.platform.table.items().filter(({ sk }) => sk.startsWith('bios#'))).toEqual(before);
    await keepBios(front.platform, holder, [{ ...settings[0]!, value: 'Disabled' }, settings[1]!]);
    const { bios } = (await get('bios')).body as { bios: { name: string; updated_at: string | null }[] };
    expect(bios.map(({ name, updated_at }) => [name, updated_at !== null])).toEqual([
      ['NumCores', false],
      ['ProcTurboMode', true],
    ]);
  });

  it('is more than one transaction takes', async () => {
    const many = Array.from({ length: 250 }, (_, at) => ({ ...settings[1]!, name: `S${at}` }));
    await keepBios(front.platform, holder, many);
    expect((await get('bios')).body.bios).toHaveLength(250);
  });

  it('is not written by a run that has lost the node', async () => {
    await front.force(uuid, { reservation: 'other' });
    await expect(keepBios(front.platform, holder, [{ ...settings[0]!, name: 'New' }])).rejects.toMatchObject({
      name: 'ConditionFailed',
    });
    expect((await get('bios')).body.bios).toHaveLength(3);
  });
});

describe('firmware', () => {
  it('is told with the version that was found first', async () => {
    await keepFirmware(front.platform, holder, [{ ...bmc, current_version: '2.0' }]);
    const [component] = (await get('firmware')).body.firmware as object[];
    expect(component).toMatchObject({
      component: 'bmc',
      initial_version: '1.0',
      current_version: '2.0',
      last_version_flashed: null,
    });
    expect(component).toMatchObject({
      vendor: 'Ingot',
      model: 'M',
      serial_number: null,
      created_at: expect.any(String) as string,
    });
  });

  it('tells the maker of a part since 1.114, and itself since 1.86', async () => {
    expect(Object.keys((await get('firmware', '1.113')).body.firmware[0] as object)).not.toContain('vendor');
    expect((await get('firmware', '1.85')).status).toBe(404);
    expect((await get('firmware?fields=component', '1.86')).body.firmware).toEqual([{ component: 'bmc' }]);
  });
});
