/** What an operation costs a BMC: requests, logins and connections, of which it can serve few. */
import { expect, it } from 'vitest';

import type { Operation, Params } from '../../../layers/bmc/operations.ts';
import { enrol } from './fixture.ts';

const iso = 'http://images.test/deploy.iso';

type Case = { readonly [O in Operation]?: { readonly params: Params<O>; readonly story: readonly string[] } };

const system = '/redfish/v1/Systems/1';
const media = `${system}/VirtualMedia`;

const cases: Case = {
  'system.get': { params: {}, story: [`GET ${system}`] },
  'power.ensure': {
    params: { target: 'power on' },
    story: [`GET ${system}`, `POST ${system}/Actions/ComputerSystem.Reset`, `GET ${system}`],
  },
  'boot.ensure': {
    params: { device: 'cdrom', persistence: 'once', mode: 'keep' },
    story: [`GET ${system}`, `PATCH ${system}`, `GET ${system}`],
  },
  'vmedia.insert': {
    params: { slot: 'cd', image: iso },
    story: [
      `GET ${system}`,
      `GET ${media}`,
      `GET ${media}/1`,
      `GET ${media}/2`,
      `POST ${media}/1/Actions/VirtualMedia.InsertMedia`,
      `GET ${media}/1`,
    ],
  },
};

it.each(Object.entries(cases))(
  '%s asks nothing twice, with one login, over one connection',
  async (op, { params, story }) => {
    const { bmc, ask } = await enrol({ driver_info: { redfish_system_id: system } });
    await expect(ask(op as Operation, params)).resolves.toMatchObject({ status: 'done' });
    expect(bmc.story()).toEqual(story);
    // Beside these the service root, which says where sessions are, the login, and giving it back.
    expect(bmc.requests).toHaveLength(story.length + 3);
    expect(bmc.connections).toHaveLength(1);
    expect(bmc.sessions).toEqual(new Set());
  },
);
