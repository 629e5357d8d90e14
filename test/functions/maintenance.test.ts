/** Setting maintenance_retry_after: in a maintenance everything can be read, and nothing can be changed, by no API. */
import { describe, expect, it } from 'vitest';

import * as baremetal from '../../functions/baremetal-api/app.ts';
import { Config as BaremetalConfig } from '../../functions/baremetal-api/config.ts';
import { routes as baremetalRoutes } from '../../functions/baremetal-api/routes.ts';
import * as compute from '../../functions/compute-api/app.ts';
import { Config as ComputeConfig } from '../../functions/compute-api/config.ts';
import { routes as computeRoutes } from '../../functions/compute-api/routes.ts';
import * as image from '../../functions/image-api/app.ts';
import { Config as ImageConfig } from '../../functions/image-api/config.ts';
import { routes as imageRoutes } from '../../functions/image-api/routes.ts';
import * as network from '../../functions/network-api/app.ts';
import { Config as NetworkConfig } from '../../functions/network-api/config.ts';
import { routes as networkRoutes } from '../../functions/network-api/routes.ts';
import type { Endpoint } from '../../layers/http/route.ts';
import { createLogRecorder } from '../../layers/platform/memory/log.ts';
import { createMemoryPlatform } from '../../layers/platform/memory/platform.ts';
import { askingOf } from '../fakes/http.ts';
import { environmentWith } from '../fakes/settings.ts';

const log = createLogRecorder();
const platform = { ...createMemoryPlatform(), log };
const env = (seconds: string) =>
  environmentWith({ INGOT_AUTH_STRATEGY: 'keystone', INGOT_MAINTENANCE_RETRY_AFTER: seconds });

/** The four, with the setting at so many seconds; each by the newest version. */
const served = (seconds: string) => {
  const apis = {
    baremetal: baremetal.create(platform, BaremetalConfig.parse(env(seconds))),
    compute: compute.create(platform, ComputeConfig.parse(env(seconds))),
    image: image.create(platform, ImageConfig.parse(env(seconds))),
    network: network.create(platform, NetworkConfig.parse(env(seconds))),
  };
  const headers = { 'X-OpenStack-Ironic-API-Version': 'latest', 'OpenStack-API-Version': 'compute latest' };
  return async (name: keyof typeof apis, at: string, subject: Asker = root, body: unknown = {}) =>
    askingOf(apis[name], '')(at.replaceAll(/\{\w+\+?\}/g, 'x'), {
      subject,
      headers: name === 'baremetal' ? { 'X-OpenStack-Ironic-API-Version': 'latest' } : headers,
      ...(!isRead(at) && { body }),
    });
};

type Asker = Readonly<Record<string, string>> | null;
const root = { user: 'root', project: '', roles: 'admin', scope: 'system' };
const ann = { user: 'ann', project: 'red', roles: 'admin', scope: 'project' };
const member = { ...ann, roles: 'member' };

const isRead = (at: string) => /^(?:GET|HEAD) /.test(at);
const wanted = (rows: readonly Pick<Endpoint, 'at' | 'until'>[]) =>
  rows.filter(({ until }) => until === undefined).map(({ at }) => at as string);
const moving = (rows: readonly { readonly at: string; readonly movesIn?: true }[]) =>
  rows.filter(({ movesIn }) => movesIn).map(({ at }) => at);
const open = { baremetal: moving(baremetalRoutes), compute: moving(computeRoutes) };

describe.each([
  ['baremetal', wanted(baremetalRoutes)],
  ['compute', wanted(computeRoutes)],
  ['image', wanted(imageRoutes)],
  ['network', wanted(networkRoutes)],
] as const)('in a maintenance, the %s API', (name, rows) => {
  const closed = rows.filter((at) => !isRead(at) && !(open as Record<string, string[]>)[name]?.includes(at));

  it.each(closed)('refuses %s, and says when to come back', async (at) => {
    const before = log.lines.length;
    for (const subject of [root, ann]) {
      const { status, headers, text } = await served('120')(name, at, subject);
      expect([status, headers['Retry-After']]).toEqual([503, '120']);
      expect(text).toContain('The service is in maintenance');
    }
    expect(log.lines.length).toBe(before);
  });

  it('answers who reads as ever', async () => {
    const [ask, before] = [served('120'), served('')];
    for (const at of rows.filter(isRead)) {
      const { status, headers } = await ask(name, at);
      expect([at, status, headers['Retry-After']]).toEqual([at, (await before(name, at)).status, undefined]);
    }
  });

  it('tells nobody anything who does not say who he is', async () => {
    expect((await served('120')(name, closed[0]!, null)).status).toBe(401);
  });

  it('takes changes again when it is over', async () => {
    for (const at of closed) expect([at, (await served('')(name, at)).status]).not.toEqual([at, 503]);
  });
});

describe('who moves in', () => {
  const uuid = '11111111-0000-4000-8000-000000000001';
  const records = [{ kind: 'node', record: { uuid, driver: 'fake-hardware', provision_state: 'active' } }];

  it('does it in a maintenance: import, mend a credential, take over, and back out', async () => {
    const ask = served('120');
    expect((await ask('baremetal', 'POST /v1/imports', root, { records })).body.results).toMatchObject([
      { outcome: 'created' },
    ]);
    const name = [{ op: 'replace', path: '/name', value: 'moved' }];
    expect((await ask('baremetal', `PATCH /v1/nodes/${uuid}`, root, name)).status).toBe(200);
    expect((await ask('baremetal', `PUT /v1/nodes/${uuid}/maintenance`, root, {})).status).toBe(202);
    expect((await ask('baremetal', 'POST /v1/takeovers', root, { nodes: ['nobody'] })).status).toBe(202);
    expect((await ask('baremetal', `DELETE /v1/nodes/${uuid}`)).status).toBe(204);
  });

  it('brings servers, and gives flavors their new images', async () => {
    const ask = served('120');
    const moved = await ask('compute', 'POST /v2.1/imports', root, { servers: [{ id: uuid }] });
    expect(moved.body.results).toMatchObject([{ outcome: 'refused' }]);
    const specs = { extra_specs: { 'baremetal:deploy_kernel_id': uuid } };
    expect((await ask('compute', 'POST /v2.1/flavors/x/os-extra_specs', root, specs)).status).toBe(404);
  });

  it('is an administrator: others wait', async () => {
    for (const at of open.baremetal) expect((await served('120')('baremetal', at, ann)).status).toBe(503);
    for (const at of open.compute) expect((await served('120')('compute', at, member)).status).toBe(503);
  });
});

it('the setting is a number of seconds, or empty', () => {
  for (const wrong of ['0', '-1', 'true', '1.5', ' ']) {
    expect(() => NetworkConfig.parse(env(wrong))).toThrow('maintenance_retry_after has to be');
  }
});
