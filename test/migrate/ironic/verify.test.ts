/** Whether what was moved is as it is at its source. */
import { beforeEach, describe, expect, it } from 'vitest';

import { resources } from '../../../migrate/ironic/fields.ts';
import { secretsOfFile } from '../../../migrate/ironic/secrets-file.ts';
import { type Difference, type Other, type Sides, verify } from '../../../migrate/ironic/verify.ts';
import { importRows } from '../../../functions/baremetal-api/imports/rows.ts';
import { createSite, first, noSecrets, samples, second, type Site, third } from './site.ts';

let site: Site;
beforeEach(async () => {
  site = await createSite();
});

const compare = async (more: Partial<Sides> = {}) => {
  const differences: Difference[] = [];
  const others: Other[] = [];
  let count = 0;
  const sides = { source: await site.open(), here: await site.openHere(), replacements: [], running: true, ...more };
  for await (const page of verify(sides)) {
    differences.push(...page.differences);
    others.push(...page.others);
    count += page.count;
  }
  return { count, differences, others };
};
const patch = async (path: string, name: string, value: unknown) =>
  site.here.request(`PATCH /v1/${path}`, { body: [{ op: 'add', path: `/${name}`, value }] });

describe('a comparison', () => {
  it('is empty once all is moved, though the source is fenced, and writes nothing', async () => {
    await site.move();
    site.asked.length = 0;
    const listed = samples.filter(({ kind }) => kind !== 'history' && kind !== 'inventory');
    expect(await compare()).toEqual({ count: listed.length, differences: [], others: [] });
    expect(site.asked.filter((one) => !one.startsWith('GET'))).toEqual([]);
  });

  it('passes over what changes by itself, and over what belongs to the service', async () => {
    await site.move();
    await site.here.force(first, { power_state: 'power off', reservation: 'me', health: 'OK' });
    expect((await compare()).differences).toEqual([]);
  });

  it('tells what is missing, also of what comes with nodes', async () => {
    await site.move();
    await site.here.request('DELETE /v1/runbooks/weekly');
    const items = await site.here.platform.table.query({ partition: `node#${first}` });
    const gone = items.filter(({ sk, message }) => sk === 'inventory' || message === 'Timeout reached');
    await site.here.platform.table.write(gone.map(({ pk, sk }) => ({ delete: { pk, sk } })));
    expect((await compare()).differences.map(({ kind, field, here }) => [kind, field, here])).toEqual([
      ['runbook', 'record', 'missing'],
      ['history', 'entry', 'missing'],
      ['inventory', 'inventory', 'missing'],
    ]);
  });

  it('tells each field that differs, and no secret', async () => {
    await site.move();
    await patch(`nodes/${second}`, 'description', 'mine');
    await patch(`nodes/${second}`, 'driver_info', { ipmi_password: 'canary-9', ipmi_address: '10.0.0.2' });
    await patch(`nodes/${third}`, 'owner', 'green');
    const { differences } = await compare();
    expect(differences.map(({ name, uuid, field }) => [name ?? uuid, field])).toEqual([
      ['kept', 'driver_info'],
      ['kept', 'description'],
      [third, 'owner'],
    ]);
    expect(differences[0]).toMatchObject({ source: { ipmi_password: '******' }, here: { ipmi_password: '******' } });
    expect(JSON.stringify(differences)).not.toContain('canary');
  });

  it('tells what is only here', async () => {
    await site.move();
    await site.here.request('POST /v1/chassis', { body: { uuid: third, description: 'new' } });
    await site.there.request('DELETE /v1/runbooks/weekly');
    const { differences, others } = await compare();
    expect(differences).toEqual([]);
    expect(others).toEqual([
      { kind: 'chassis', uuid: third, name: null },
      { kind: 'runbook', uuid: samples.find(({ kind }) => kind === 'runbook')!.record['uuid'], name: 'weekly' },
    ]);
  });

  it('shows no secret that is inside of a text', async () => {
    await site.move();
    const params = {
      kernel_append_params: 'nofb password=canary-4',
      deploy_kernel: 'https://me:canary-5@ipa.example/k',
    };
    await patch(`nodes/${third}`, 'driver_info', params);
    const { differences } = await compare();
    expect(differences).toMatchObject([
      { field: 'driver_info', here: { kernel_append_params: 'nofb password=******' } },
    ]);
    expect(JSON.stringify(differences)).not.toContain('canary');
  });

  it('tells a secret that is not here', async () => {
    await site.move();
    await patch(`nodes/${second}`, 'driver_info', {});
    expect((await compare()).differences).toMatchObject([{ field: 'driver_info', here: {} }]);
  });

  it('tells what of an instance was left out', async () => {
    const text = JSON.stringify({ node: { [first]: { driver_info: { redfish_password: 'canary-1' } } } });
    await site.move({ secrets: secretsOfFile(text) });
    const { differences } = await compare();
    expect(differences).toContainEqual(
      expect.objectContaining({ name: 'web-1', field: 'instance_info', here: { display_name: 'web' } }),
    );
  });

  it('tells a node whose source is not fenced any more, unless the source is stopped', async () => {
    await site.move();
    await site.there.request(`DELETE /v1/nodes/${first}/maintenance`);
    // What it had before is not known any more either, and was not.
    expect((await compare()).differences.map(({ field }) => field)).toContain('fence');
    expect((await compare({ running: false })).differences.map(({ field }) => field)).not.toContain('fence');
  });

  it('tells all that was rejected', async () => {
    await site.move({ secrets: noSecrets });
    const { differences } = await compare({ running: false });
    expect(
      differences
        .filter(({ field }) => field === 'record')
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(
      [
        'allocation',
        'deploy_template',
        'inspection_rule',
        'node',
        'node',
        'port',
        'portgroup',
        'volume_connector',
        'volume_target',
      ].toSorted(),
    );
  });
});

describe('the table of what differs', () => {
  it('says of nodes what an import takes from nobody, and what it does not compare', () => {
    const { own, moving } = importRows.node;
    const { left, moving: moves } = resources.node;
    expect(Object.keys(left).toSorted()).toEqual([...own, 'conductor'].toSorted());
    expect(Object.keys(moves).toSorted()).toEqual([...moving, 'updated_at'].toSorted());
  });
});
