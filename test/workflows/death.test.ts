/**
 * The process dies at the effects of a run (each write, call, callback and journal entry, before and after
 * it happened) and another one takes over: the run has to end the same, with nothing done twice to the machine.
 */
import { describe, expect, it } from 'vitest';

import { noteTakeover } from '../../layers/domain/baremetal/takeover.ts';
import { noNotes, note } from '../../layers/domain/notes.ts';
import { isoTime } from '../../layers/domain/values.ts';
import { beginTakeover } from '../../workflows/takeover/begin.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { setPlan } from '../../workflows/owners/node/plan.ts';
import { begin as beginRun } from '../../layers/store/reservation.ts';
import { createAgent, sendInventory } from './agent.ts';
import { step } from './asked.ts';
import type { Death } from './mortal.ts';
import { aNode, uuid } from './nodes.ts';
import { createStage, type Stage } from './stage.ts';

/** What a ramdisk that inspects sends, again as long as nobody takes it. */
const send = async (stage: Stage) =>
  sendInventory(stage, {
    inventory: { interfaces: [{ mac_address: '52:54:00:00:00:01' }], bmc_address: '10.0.0.1' },
  });

/** The agent's side: it calls once a boot, retries while nobody answers, and ends what it is told to do. */
const playAgent = (stage: Stage) => {
  const agent = createAgent(stage);
  const finished: unknown[] = [];
  const act = async () => {
    if (stage.machine.power === 'power off' || stage.machine.media.cd === null) return;
    if ((await stage.read()).run_workflow === 'inspect') return void (await send(stage));
    if (!(await agent.call())) return;
    const last = stage.machine.agent.commands.at(-1);
    if (last?.command_status !== 'RUNNING') return void (await agent.heartbeat());
    finished.push(last['step']);
    await agent.finish();
  };
  return { act, finished };
};

const isOver = async (stage: Stage) => {
  const { run, reservation } = await stage.read();
  return run === null && reservation === null;
};

/** Lets the machine, its agent and the control plane go on until no run owns the node any more. */
const play = async (stage: Stage): Promise<unknown[]> => {
  const { act, finished } = playAgent(stage);
  for (let round = 0; round < 30 && !(await isOver(stage)); round += 1) {
    if (stage.dead()) {
      await stage.restart();
      await stage.sync();
    }
    await stage.settle(60);
    await act();
  }
  await stage.settle();
  return finished;
};

/** A life for each effect is the longest test there is: `npm test` takes every third, `npm run test:crash` each. */
const every = process.env['INGOT_DEATHS'] === 'all' ? 1 : 3;

/** Long stories have many moments; dying before an effect and dying after the one before it are nearly the same. */
type Story = {
  readonly node: StoredNode;
  readonly when: readonly Death['when'][];
  begin(stage: Stage): Promise<unknown>;
};

const stories: { readonly [name: string]: Story } = {
  deploy: { node: aNode(), when: ['before', 'after'], begin: async (stage) => stage.provision('deploy', 'deploy') },
  'undeploy and clean': {
    node: aNode({ provision_state: 'active', instance_uuid: uuid }),
    when: ['after'],
    begin: async (stage) => {
      stage.machine.power = 'power on';
      await stage.provision('undeploy', 'delete');
    },
  },
  rescue: {
    node: aNode({ provision_state: 'active', rescue_interface: 'agent', instance_uuid: uuid }),
    when: ['after'],
    begin: async (stage) => stage.provision('rescue', 'rescue'),
  },
  'an inspection by the agent': {
    node: aNode({ provision_state: 'manageable', inspect_interface: 'agent' }),
    when: ['after'],
    begin: async (stage) => stage.provision('inspect', 'inspect'),
  },
  'an inspection out of band': {
    node: aNode({ provision_state: 'manageable', inspect_interface: 'redfish' }),
    when: ['after'],
    begin: async (stage) => stage.provision('inspect', 'inspect'),
  },
  'a service with steps of the agent and the BMC': {
    node: aNode({ provision_state: 'active', instance_uuid: uuid }),
    when: ['after'],
    begin: async (stage) => {
      stage.machine.power = 'power on';
      stage.machine.agent.steps.service.push({ interface: 'deploy', step: 'burnin_cpu', priority: 0, abortable: true });
      const bios = step('bios.apply_configuration', { settings: [{ name: 'BootTimeout', value: 9 }] });
      const steps = [step('deploy.burnin_cpu'), bios];
      await stage.take('service', (node) => ({
        ...beginRun(node, stage.world.ids.ulid(), 'service', 'service'),
        ...setPlan(node, 'service', steps),
      }));
    },
  },
  reboot: {
    node: aNode({ provision_state: 'active' }),
    when: ['before', 'after'],
    begin: async (stage) => {
      stage.machine.power = 'power on';
      await stage.power('rebooting');
    },
  },
  'an image that is attached': {
    node: aNode({ provision_state: 'active' }),
    when: ['before', 'after'],
    begin: async (stage) => stage.manage({ action: 'attach_media', slot: 'cd', image: 'https://images.test/a.iso' }),
  },
  'a takeover': {
    node: aNode({ provision_state: 'active', instance_uuid: uuid, ...noteTakeover(noNotes, 'pending', isoTime(0)) }),
    when: ['before', 'after'],
    begin: async (stage) => {
      stage.machine.power = 'power on';
      await stage.take('takeover', (node) => beginTakeover(node, stage.world.ids.ulid(), isoTime(0)));
    },
  },
  'a verification': {
    node: aNode({ provision_state: 'enroll' }),
    when: ['after'],
    begin: async (stage) => stage.provision('verify', 'manage'),
  },
};

const tell = async ({ node, begin }: Story, death?: Death) => {
  const stage = await createStage({ node, ...(death && { death }) });
  await begin(stage);
  const finished = await play(stage);
  const after = await stage.read();
  const { provision_state, power_state, instance_uuid, last_error, run, reservation } = after;
  const takeover = note(after, 'takeover')?.state;
  return {
    effects: stage.effects(),
    seen: { provision_state, power_state, instance_uuid, last_error, run, reservation, takeover },
    /** Changes of power, and steps that the agent was made to run. */
    done: { switched: stage.machine.switched, finished, media: stage.machine.media },
  };
};

describe.each(Object.entries(stories))('a process that dies during %s', async (_name, story) => {
  const calm = await tell(story);

  it('would have come to an end', () => {
    expect(calm.effects).toBeGreaterThan(10);
    expect(calm.seen).toMatchObject({ last_error: null, run: null, reservation: null });
  });

  it.each(story.when)(
    `is taken over at ${every === 1 ? 'every effect' : 'many effects'}, %s it happened`,
    async (when) => {
      for (let at = 1; at <= calm.effects; at += every) {
        const { seen, done } = await tell(story, { at, when });
        expect({ at, seen, done }).toEqual({ at, seen: calm.seen, done: calm.done });
      }
    },
  );
});
