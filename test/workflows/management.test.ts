import { describe, expect, it } from 'vitest';

import { bmcFault } from '../../layers/bmc/faults.ts';
import type { ManagementRequest } from '../../layers/store/management-requests.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { pending } from '../fakes/proxy.ts';
import { aNode } from './nodes.ts';
import { createStage } from './stage.ts';

const image = 'https://images.test/data.iso?signature=s3cr3t';

const active = async (more: Partial<StoredNode> = {}) =>
  createStage({ node: aNode({ provision_state: 'active', ...more }) });

const ask = async (request: ManagementRequest, more: Partial<StoredNode> = {}) => {
  const stage = await active(more);
  const run = await stage.manage(request);
  await stage.settle();
  return { stage, run };
};

describe('management', () => {
  it.each<[ManagementRequest, string, string[]]>([
    [{ action: 'boot_mode', mode: 'bios' }, 'SetBootMode', ['mode.ensure', 'system.get']],
    [{ action: 'secure_boot', enabled: true }, 'SetSecureBoot', ['secure_boot.ensure', 'secure_boot.get']],
    [{ action: 'attach_media', slot: 'cd', image }, 'AttachMedia', ['vmedia.insert']],
    [{ action: 'detach_media', slots: ['cd', 'usb'] }, 'DetachMedia', ['vmedia.eject', 'vmedia.eject']],
  ])('%j goes through %s', async (request, phase, ops) => {
    const { stage, run } = await ask(request);
    expect(await stage.entered('management', run)).toEqual(['ChooseRequest', phase, 'Finish', 'Done']);
    expect(stage.proxy.requests.map(({ op }) => op)).toEqual(ops);
    expect(await stage.read()).toMatchObject({ reservation: null, provision_state: 'active', last_error: null });
    expect(stage.world.table.items().filter(({ sk }) => sk === 'management_request')).toEqual([]);
  });

  it('shows what the BMC shows afterwards', async () => {
    expect(await (await ask({ action: 'boot_mode', mode: 'bios' })).stage.read()).toMatchObject({ boot_mode: 'bios' });
    const { stage } = await ask({ action: 'secure_boot', enabled: true });
    expect(await stage.read()).toMatchObject({ secure_boot: true });
  });

  it('of fake hardware is believed', async () => {
    const { stage } = await ask({ action: 'boot_mode', mode: 'bios' }, { driver: 'fake-hardware' });
    expect(await stage.read()).toMatchObject({ boot_mode: 'bios', reservation: null });
    expect(stage.proxy.requests).toEqual([]);
  });

  it('waits for a machine that takes a while, with the same request', async () => {
    const stage = await active();
    stage.proxy.answer('mode.ensure', pending(), pending());
    await stage.manage({ action: 'boot_mode', mode: 'bios' });
    await stage.settle(60);
    const asked = stage.proxy.requests.filter(({ op }) => op === 'mode.ensure');
    expect([asked.length, new Set(asked.map(({ op_id }) => op_id)).size]).toEqual([3, 1]);
    expect(await stage.read()).toMatchObject({ boot_mode: 'bios', reservation: null });
  });

  it('fails with a last_error and an event, and lets the lock go', async () => {
    const stage = await active();
    stage.proxy.answer('secure_boot.ensure', bmcFault('BmcUnsupported', 'The BMC has no SecureBoot.'));
    const run = await stage.manage({ action: 'secure_boot', enabled: true });
    await stage.settle();
    const last_error = 'Management request failed in SetSecureBoot: The BMC has no SecureBoot. Then ask for it again.';
    expect(await stage.entered('management', run)).toEqual(['ChooseRequest', 'SetSecureBoot', 'Fail', 'Failed']);
    expect(await stage.read()).toMatchObject({ reservation: null, provision_state: 'active', last_error });
    expect(await stage.history()).toContain(`error: ${last_error}`);
    expect(stage.world.table.items().filter(({ sk }) => sk === 'management_request')).toEqual([]);
  });

  it('lets no URL of an image travel or be told', async () => {
    const { stage } = await ask({ action: 'attach_media', slot: 'cd', image });
    expect(JSON.stringify([stage.travelled, await stage.history(), await stage.read()])).not.toContain('s3cr3t');
    expect(stage.machine.media.cd).toBe(image);
  });

  it('may come in between while a deploy waits for its agent', async () => {
    const stage = await createStage({ node: aNode() });
    const deploy = await stage.provision('deploy', 'deploy');
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'wait call-back', reservation: null });
    await stage.manage({ action: 'detach_media', slots: ['usb'] });
    await stage.settle();
    expect(await stage.read()).toMatchObject({ provision_state: 'wait call-back', reservation: null, run: deploy });
  });
});
