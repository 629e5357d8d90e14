/** Which notes workflows leave on a node, and which go when (layers/domain/notes.ts). */
import { describe, expect, it } from 'vitest';

import { create as createPowerSync } from '../../functions/power-sync/app.ts';
import { Config as PowerSyncConfig } from '../../functions/power-sync/config.ts';
import { imagesOf } from '../../functions/baremetal-api/node/images.ts';
import { leaseTo } from '../../functions/baremetal-api/node/lessee.ts';
import {
  lifetimes,
  noNotes,
  notes,
  notesUntil,
  type Ending,
  type Lifetime,
  type Note,
  type NoteName,
} from '../../layers/domain/notes.ts';
import type { PlannedStep } from '../../layers/domain/steps.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { noteTakeover } from '../../layers/domain/baremetal/takeover.ts';
import { isoTime } from '../../layers/domain/values.ts';
import { beginTakeover } from '../../workflows/takeover/begin.ts';
import { createMemoryPlatform } from '../../layers/platform/memory/platform.ts';
import { begin } from '../../layers/store/reservation.ts';
import { everyNote, noteNames, strangeNotes } from '../fakes/notes.ts';
import { environmentWith } from '../fakes/settings.ts';
import { createSystem } from '../functions/baremetal-api/node/system.ts';
import { createFront } from '../functions/image-api/front.ts';
import { createAgent, sendInventory } from './agent.ts';
import { asked, goOn, step } from './asked.ts';
import { aNode } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

const staged = async (more: Partial<StoredNode>): Promise<Stage> => createStage({ node: aNode(more) });

describe('when something is over, a node forgets what was true for so long, and nothing else:', () => {
  /** `again`: what the workflow itself notes meanwhile. */
  type Story = {
    readonly is: string;
    readonly over: readonly Ending[];
    readonly again?: readonly NoteName[];
    readonly without?: readonly NoteName[];
    readonly node?: Partial<StoredNode>;
    readonly play: (stage: Stage) => Promise<unknown>;
  };

  const fake = { driver: 'fake-hardware' } as const;
  const staysOn = { disable_power_off: true } as const;
  const run =
    (...[workflow, event]: Parameters<Stage['provision']>) =>
    async (stage: Stage) =>
      stage.provision(workflow, event);

  const stories: readonly Story[] = [
    {
      is: 'a machine that is switched off with the medium of its agent in the drive',
      over: ['boot'],
      play: async (stage) => stage.power('power off'),
    },
    {
      is: 'a machine that is switched off, and its agent had to ask for its token',
      over: ['agent'],
      without: ['agent_secret_token_pregenerated'],
      play: async (stage) => stage.power('power off'),
    },
    {
      is: 'a rescue of fake hardware',
      over: ['agent'],
      node: { ...fake, provision_state: 'active' },
      play: run('rescue', 'rescue'),
    },
    {
      is: 'a machine that is back from its rescue',
      over: ['agent', 'medium'],
      node: { provision_state: 'rescue', rescue_interface: 'agent' },
      play: run('unrescue', 'unrescue'),
    },
    {
      is: 'an inspection that cannot begin',
      over: ['inspection'],
      node: { ...staysOn, provision_state: 'manageable', inspect_interface: 'agent' },
      play: run('inspect', 'inspect'),
    },
    {
      is: 'an inspection by the BMC',
      over: ['agent'],
      node: { provision_state: 'manageable', inspect_interface: 'redfish' },
      play: run('inspect', 'inspect'),
    },
    {
      is: 'a clean that fails',
      over: ['work'],
      node: { ...staysOn, provision_state: 'manageable' },
      play: run('clean', 'provide'),
    },
    {
      is: 'a clean that ends well',
      over: ['work', 'agent'],
      node: { ...fake, provision_state: 'manageable' },
      play: run('clean', 'provide'),
    },
    {
      is: 'a deploy that fails, after which the machine is switched off and its media are removed',
      over: ['work', 'agent', 'medium'],
      // It enters another state, which its document tells of; sync writes it.
      again: ['guest_metadata_stale'],
      without: ['deploy_steps', 'guest_metadata_stale'],
      node: { instance_info: {} },
      play: run('deploy', 'deploy'),
    },
    {
      is: 'a service that fails: its machine has to be brought back yet',
      over: ['plan', 'agent'],
      node: { ...staysOn, provision_state: 'active' },
      play: run('service', 'service'),
    },
    {
      is: 'an instance that is removed, and the media and the guest document with it',
      over: ['instance', 'medium', 'document'],
      node: { ...fake, provision_state: 'active' },
      play: run('undeploy', 'delete'),
    },
    {
      is: 'a step of several goes',
      over: ['step'],
      again: ['service_steps', 'service_step_index'],
      without: ['servicing_reboot', 'service_steps', 'service_step_index'],
      node: { provision_state: 'active' },
      play: async (stage) => {
        await stage.change({
          provision_state: 'service hold',
          driver_internal_info: {
            ...(await stage.read()).driver_internal_info,
            service_steps: [step('management.hold')],
          },
        });
        await goOn(stage, 'service');
      },
    },
  ];

  it.each(stories)('$is', async ({ over, again = [], without = [], node, play }) => {
    const stage = await staged(node ?? { provision_state: 'active' });
    stage.machine.power = 'power on';
    const planted = Object.fromEntries(
      Object.entries(everyNote).filter(([name]) => !without.includes(name as NoteName)),
    );
    await stage.change({ driver_internal_info: { ...strangeNotes, ...planted } });
    await play(stage);
    await stage.settle(600);
    const { driver_internal_info: after, reservation } = await stage.read();
    expect(reservation).toBeNull();
    const stays = (name: string) => !(notesUntil(...over) as readonly string[]).includes(name);
    const kept = Object.fromEntries(Object.entries(planted).filter(([name]) => stays(name)));
    const others = Object.fromEntries(Object.entries(after).filter(([name]) => !again.includes(name as NoteName)));
    expect(others).toEqual({ ...strangeNotes, ...kept });
  });

  it("there is a story for the end of each lifetime but the node's own", () => {
    const told = stories.flatMap(({ over }) => over.flatMap((name): Lifetime[] => [name, ...lifetimes[name].ends]));
    expect([...new Set(told), 'node'].toSorted()).toEqual(Object.keys(lifetimes).toSorted());
  });
});

describe('the notes that machines leave in their lives', () => {
  const reboot = step('power.reboot');
  const burnin = step('deploy.burnin_cpu', {}, { priority: 90 });

  const plainIso = { ...aNode().driver_info, config_via_removable: false };

  const offering = ({ machine }: Stage): void => {
    for (const kind of ['deploy', 'clean', 'service'] as const) {
      machine.agent.steps[kind].push({ interface: 'deploy', step: 'burnin_cpu', priority: 0, abortable: true });
    }
  };

  /** The agent does whatever it is told until nobody waits for it. */
  const playAgent = async (stage: Stage): Promise<void> => {
    const agent = createAgent(stage, { agent_verify_ca: 'PEM' });
    for (let round = 0; round < 20 && /wait/.test((await stage.read()).provision_state); round += 1) {
      if (stage.machine.agent.commands.at(-1)?.command_status === 'RUNNING') await agent.finish();
      else await agent.call();
      await stage.settle(30);
    }
  };

  /** Every name and value that a node had under it at any moment, in all the stories. */
  const stored: [string, unknown][] = [];
  const watch = (stage: Stage): Stage => {
    stage.world.table.onWritten = (writes) => {
      for (const write of writes) {
        if ('put' in write && write.put.sk === 'node') {
          stored.push(...Object.entries(write.put['driver_internal_info'] ?? {}));
        }
      }
    };
    return stage;
  };

  const lives: readonly (() => Promise<Stage>)[] = [
    async () => {
      const stage = watch(await staged({ provision_state: 'enroll' }));
      const systems = { vendor: null, product: null, redfish_version: null, systems: [] };
      stage.proxy.answer('bmc.probe', {
        status: 'done',
        observed: { ...systems, fingerprint256: 'AB:CD' },
        quirks: [],
      });
      await stage.provision('verify', 'manage');
      return stage;
    },
    async () => {
      const user_deploy_steps: readonly PlannedStep[] = [burnin, { ...reboot, priority: 85 }];
      const instance_info = { ...aNode().instance_info, capabilities: { secure_boot: true } };
      const stage = watch(await staged({ instance_info, driver_internal_info: { user_deploy_steps } }));
      offering(stage);
      await stage.take('deploy', (node) => ({
        ...begin(node, stage.world.ids.ulid(), 'deploy', 'deploy'),
        ...leaseTo(node, { user: 'u', project: 'p', roles: [], scope: 'project' }, 'request'),
      }));
      await stage.settle(30);
      return stage;
    },
    async () => {
      const stage = watch(await staged({}));
      const { objects, clock, apis } = stage.world;
      const tenants = createFront({}, { ...createMemoryPlatform(), objects, clock: clock as never });
      apis.served.image = tenants.app;
      const image_source = await tenants.make({ disk_format: 'raw' });
      expect((await tenants.request(`PUT /v2/images/${image_source}/file`, { body: 'a disk' })).status).toBe(204);
      await stage.change({ instance_info: { image_source } });
      await stage.take('deploy', (node) => {
        const begun = begin(node, stage.world.ids.ulid(), 'deploy', 'deploy');
        const subject = { user: 'u', project: 'red', roles: [], scope: 'project' } as const;
        return { ...begun, ...imagesOf({ ...node, ...begun }, subject) };
      });
      await stage.settle(600);
      return stage;
    },
    async () => {
      // Fake hardware reads no configdrive.
      const system = await createSystem(aNode({ driver: 'fake-hardware' }));
      watch(system.stage);
      await system.provision('active', { configdrive: 'no drive' });
      return system.stage;
    },
    async () => {
      const moved = noteTakeover(noNotes, 'pending', isoTime(0));
      const stage = watch(await staged({ provision_state: 'active', ...moved }));
      await stage.take('takeover', (node) => beginTakeover(node, stage.world.ids.ulid(), isoTime(0)));
      return stage;
    },
    async () => {
      const stage = watch(await staged({ provision_state: 'manageable', driver_info: plainIso }));
      await stage.provision('clean', 'provide');
      return stage;
    },
    ...(['clean', 'service'] as const).map((kind) => async () => {
      const { stage } = await asked(kind, [burnin, reboot, burnin], {}, (begun) => offering(watch(begun)));
      return stage;
    }),
    async () => {
      const stage = watch(await staged({ provision_state: 'manageable', inspect_interface: 'agent' }));
      await stage.provision('inspect', 'inspect');
      await stage.settle(600);
      const interfaces = [{ mac_address: '52:54:00:00:00:01' }];
      expect((await sendInventory(stage, { inventory: { interfaces } })).status).toBe(202);
      return stage;
    },
    async () => {
      const stage = watch(await staged({ provision_state: 'manageable', power_state: 'power off' }));
      const { uuid } = await stage.read();
      const fault = { name: 'BmcUnreachable', message: 'Nobody answers.' };
      const functions = { invoke: async () => ({ seen: { [uuid]: { fault } } }) };
      const look = createPowerSync({ ...stage.world, functions }, PowerSyncConfig.parse(environmentWith()));
      expect(await look({}, { request_id: 'r', remaining_ms: () => 300_000 })).toMatchObject({ changed: 1 });
      return stage;
    },
  ];

  it('are those of the table, each with a value as its row says', async () => {
    for (const live of lives) {
      const stage = await live();
      await stage.settle(600);
      await playAgent(stage);
      const { provision_state, last_error, reservation } = await stage.read();
      expect([provision_state, last_error, reservation]).toEqual([expect.not.stringMatching(/fail|wait/), null, null]);
    }
    expect([...new Set(stored.map(([name]) => name))].toSorted()).toEqual([...noteNames].toSorted());
    const misfits = stored.filter(
      ([name, value]) => !(notes[name as NoteName] as Note).schema.safeParse(value).success,
    );
    expect(misfits).toEqual([]);
  });
});
