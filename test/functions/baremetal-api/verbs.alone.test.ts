/** A verb is one row, here one more that begins to verify; and an event of its own, if it has one. */
import { expect, it } from 'vitest';

import { transitions } from '../../../layers/domain/baremetal/transitions.ts';
import { verbs } from '../../../layers/domain/baremetal/verbs.ts';

Object.assign(verbs, { greet: { event: 'greet', since: 90, workflow: 'verify', awake: true } });
Object.assign(transitions.enroll, { greet: 'verifying' });

const { createFrontWithNodes } = await import('./node/stored.ts');

it('takes nodes from the states that have its event, since its version, as its columns say', async () => {
  const front = createFrontWithNodes();
  const ask = async (uuid: string, version = 'latest') =>
    (await front.request(`PUT /v1/nodes/${uuid}/states/provision`, { version, body: { target: 'greet' } })).status;
  const fresh = await front.store({ provision_state: 'enroll' });
  const asleep = await front.store({ provision_state: 'enroll', maintenance: true });
  const elsewhere = await front.store({ provision_state: 'available' });
  expect([await ask(fresh.uuid, '1.89'), await ask(asleep.uuid), await ask(elsewhere.uuid)]).toEqual([406, 400, 400]);
  expect(await ask(fresh.uuid)).toBe(202);
  expect(await front.read(fresh.uuid)).toMatchObject({ provision_state: 'verifying', run_workflow: 'verify' });
  expect(front.platform.workflows.started).toMatchObject([{ workflow: 'verify', input: { node: fresh.uuid } }]);
});
