/** What a subscriber hears of whole workflows. */
import { expect, it } from 'vitest';

import { create } from '../../../functions/events/app.ts';
import type { EventDetail } from '../../../layers/domain/events.ts';
import { createMemoryEvents } from '../../../layers/platform/memory/events.ts';
import { follow } from '../../fakes/feed.ts';
import { createAgent } from '../../workflows/agent.ts';
import { aNode } from '../../workflows/nodes.ts';
import { createStage } from '../../workflows/stage.ts';

const instance = '11111111-2222-4333-8444-555555555555';
const vif = { id: 'v1', port_uuid: null, portgroup_uuid: null };

const line = ({ type, after }: EventDetail): string =>
  `${type} ${Object.values(after ?? {})
    .map(String)
    .join(' ')}`;

const waiting = ['node.provision_state wait call-back active', 'node.provision_state deploying active'];

it('a deploy and an undeploy are heard as they happened, with the run that each was part of', async () => {
  const node = aNode({ instance_uuid: instance, vifs: [vif] });
  const stage = await createStage({ node });
  const records = follow(stage.world.table);
  const agent = createAgent(stage);
  const deploy = await stage.provision('deploy', 'deploy');
  await stage.settle(600);
  await agent.call();
  await stage.settle();
  await agent.finish();
  await stage.settle(600);
  const deployed = records.length;
  await stage.provision('undeploy', 'delete');
  await stage.settle(600);

  const events = createMemoryEvents();
  const app = create({ events, log: stage.world.log });
  await app({ Records: records.slice(0, deployed) });
  const story = events.published.splice(0).map(({ detail }) => detail as EventDetail);
  expect(story.map(line)).toEqual([
    'node.provision_state deploying active',
    'node.power_state power off null',
    'node.power_state power on null',
    // For the agent, and for the image to be written.
    ...waiting,
    ...waiting,
    'node.power_state power off null',
    'node.power_state power on null',
    'node.provision_state active null',
  ]);
  expect(new Set(story.map(({ run }) => run))).toEqual(new Set([deploy]));
  expect(new Set(story.map((event) => event.instance_uuid))).toEqual(new Set([instance]));

  await app({ Records: records.slice(deployed) });
  const released = events.published.map(({ detail }) => detail as EventDetail);
  expect(released.slice(0, 4).map(line)).toEqual([
    'node.provision_state deleting available',
    'node.power_state power off null',
    'node.instance null',
    'node.vifs ',
  ]);
});
