/** What the verb abort leaves to the power workflow, in the real interpreter with the real phases. */
import { expect, it } from 'vitest';

import { abortRun } from '../../../../functions/baremetal-api/node/abort.ts';
import { bmcFault } from '../../../../layers/bmc/faults.ts';
import { kinds } from '../../../../layers/store/kinds/kinds.ts';
import { changeRecord } from '../../../../layers/store/records/change.ts';
import { createAgent } from '../../../workflows/agent.ts';
import { aNode, uuid } from '../../../workflows/nodes.ts';
import { createStage, type Stage } from '../../../workflows/stage.ts';

it('an aborted machine is switched off, keeps its error, and loses its agent', async () => {
  const stage = await createStage({ node: aNode() });
  const run = await stage.provision('deploy', 'deploy');
  await stage.settle();
  const agent = createAgent(stage);
  await agent.call();
  await stage.settle();
  expect(await stage.read()).toMatchObject({ provision_state: 'wait call-back', run, reservation: null });

  await changeRecord(stage.world, kinds.node, uuid, (node) => abortRun(node, stage.world.ids.ulid()));
  await stage.stop('deploy', run);
  // The start was lost: sync finds what was asked for.
  expect(await stage.sync()).toMatchObject({ started: 1, failed: 0 });
  await stage.settle();

  expect(stage.machine).toMatchObject({ power: 'power off', media: { cd: null, usb: null } });
  expect(stage.machine.boot).toMatchObject({ target: 'None', enabled: 'Disabled' });
  expect(await stage.read()).toMatchObject({
    provision_state: 'deploy failed',
    power_state: 'power off',
    target_power_state: null,
    reservation: null,
    run: null,
    last_error: 'The operation was aborted by request while in state "wait call-back".',
  });
  expect(await agent.heartbeat()).toBeGreaterThanOrEqual(400);
});

/** The verb of each workflow that boots a ramdisk, where it waits for its agent, and where an abort of it leads. */
const waiting = [
  ['clean', 'provide', { provision_state: 'manageable' }, 'clean failed'],
  ['inspect', 'inspect', { provision_state: 'manageable', inspect_interface: 'agent' }, 'inspect failed'],
  ['rescue', 'rescue', { provision_state: 'active', rescue_interface: 'agent' }, 'rescue failed'],
] as const;

const abortWaiting = async ([workflow, event, node]: (typeof waiting)[number], script?: (stage: Stage) => void) => {
  const stage = await createStage({ node: aNode(node) });
  const run = await stage.provision(workflow, event);
  await stage.settle();
  expect(stage.machine.media.cd).not.toBeNull();
  script?.(stage);
  await changeRecord(stage.world, kinds.node, uuid, (stored) => abortRun(stored, stage.world.ids.ulid()));
  await stage.stop(workflow, run);
  await stage.sync();
  await stage.settle(60);
  return stage;
};

const named = waiting.map((row) => [row[0], row] as const);

it.each(named)('of %s leaves no medium in a drive and no override to it', async (_workflow, row) => {
  const stage = await abortWaiting(row);
  expect(await stage.read()).toMatchObject({ provision_state: row[3], reservation: null });
  expect(stage.machine).toMatchObject({ power: 'power off', media: { cd: null, usb: null } });
  expect(stage.machine.boot).toMatchObject({ target: 'None', enabled: 'Disabled' });
});

it('that cannot be carried out says so beside its own words, once', async () => {
  const locked = bmcFault('BmcRejected', 'The drive is locked.');
  const stage = await abortWaiting(waiting[0], ({ proxy }) => proxy.answer('vmedia.eject', locked));
  const { last_error: error } = await stage.read();
  expect(error).toMatch(
    /^The operation was aborted by request while in state "clean wait"\. Power action failed in DetachBootMedia: The drive is locked\./,
  );
  stage.proxy.answer('power.ensure', bmcFault('BmcRejected', 'No.'));
  await stage.power('power on');
  await stage.settle();
  expect((await stage.read()).last_error).toBe(error);
});
