/** An execution that ends badly: EventBridge tells who looks after runs, at once. */
import { DescribeExecutionCommand, ListExecutionsCommand, ListStateMachinesCommand } from '@aws-sdk/client-sfn';
import { expect, inject, it } from 'vitest';

import { eventsFor, executionsOf, siteOf } from '../clients.ts';

const deployment = inject('deployment');
const client = executionsOf(deployment);
const site = siteOf(deployment);
const machine = site.machines[4]!;

/** The one execution of a workflow that works on the node. */
const executionOf = async (workflow: string, node: string) => {
  const { stateMachines = [] } = await client.send(new ListStateMachinesCommand({}));
  const { stateMachineArn } = stateMachines.find(({ name }) => name === `ingot-${workflow}`)!;
  const { executions = [] } = await client.send(new ListExecutionsCommand({ stateMachineArn }));
  const [found, ...others] = executions.filter(({ name }) => name!.startsWith(node));
  expect(others).toEqual([]);
  return client.send(new DescribeExecutionCommand({ executionArn: found!.executionArn }));
};

it('fails the node with what was wrong, and brings sync, which is told of it', async () => {
  await site.enrol(machine, { redfish_password: 'wröng' });
  await site.provision(machine, 'manage');
  const state = async () => site.node(machine);
  await expect.poll(async () => (await state()).last_error).toMatch(/password/);
  await expect.poll(state).toMatchObject({ provision_state: 'enroll', reservation: null });

  const { uuid } = await state();
  await expect.poll(async () => (await executionOf('verify', uuid)).status).toBe('FAILED');
  const { executionArn } = await executionOf('verify', uuid);
  await expect
    .poll(() => eventsFor('sync').map(({ source, detail }) => [source, detail['executionArn'], detail['status']]))
    .toContainEqual(['aws.states', executionArn, 'FAILED']);
});
