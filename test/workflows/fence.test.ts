/**
 * Whatever is begun for a machine that was moved in and not taken over, nothing that writes is sent to its BMC or agent
 * (ADR 22): not by any operation, not by any run, not by `sync`, not by a heartbeat.
 */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

import { operations, type Operation } from '../../layers/bmc/operations.ts';
import { noteTakeover } from '../../layers/domain/baremetal/takeover.ts';
import { stateOf } from '../../layers/domain/baremetal/states.ts';
import { type ProvisionState, transitions } from '../../layers/domain/baremetal/transitions.ts';
import { noNotes, type takeoverStates } from '../../layers/domain/notes.ts';
import { isoTime } from '../../layers/domain/values.ts';
import { own } from '../../layers/store/reservation.ts';
import { createMemoryFunctions } from '../../layers/platform/memory/functions.ts';
import { createHardware } from '../../workflows/owners/node/hardware.ts';
import { nodeWorkflows } from '../../workflows/index.ts';
import { aNode, uuid } from './nodes.ts';
import { createStage } from './stage.ts';

const fence = (state: (typeof takeoverStates)[number] = 'pending') => noteTakeover(noNotes, state, isoTime(0));
const root = new URL('../..', import.meta.url).pathname;

describe('the only way to a machine', () => {
  const ask = async (op: Operation, state: (typeof takeoverStates)[number]) => {
    const sent: unknown[] = [];
    const functions = createMemoryFunctions({
      'bmc-proxy': async (payload: unknown) => {
        sent.push(payload);
        return { status: 'done', observed: {}, quirks: [] };
      },
    });
    const call = { node: aNode({ provision_state: 'active', ...fence(state) }), op_id: 'run/phase', deadline_ms: 1000 };
    const [asked] = await Promise.allSettled([createHardware({ functions }, call).ask(op, {})]);
    return { sent: sent.length, refused: asked.status === 'rejected' && (asked.reason as Error).name };
  };
  const names = Object.keys(operations) as Operation[];
  const writing = names.filter((name) => 'writes' in operations[name]);

  it.each(writing)('lets %s through when the takeover has succeeded, and not before', async (op) => {
    for (const state of ['pending', 'running', 'failed'] as const) {
      expect(await ask(op, state)).toEqual({ sent: 0, refused: 'TakeoverPending' });
    }
    expect(await ask(op, 'completed')).toEqual({ sent: 1, refused: false });
  });

  it.each(names.filter((name) => !writing.includes(name)))('lets %s through, which only reads', async (op) => {
    expect(await ask(op, 'pending')).toEqual({ sent: 1, refused: false });
  });

  it('is one: nothing else calls the function that talks to BMCs, but to read the power of many', () => {
    const where = ['functions', 'layers', 'workflows', 'migrate', 'cli'];
    const found = execFileSync('grep', ['-rlE', String.raw`invoke\('bmc-proxy'`, ...where], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(found.trim().split('\n')).toEqual(['functions/power-sync/app.ts', 'workflows/owners/node/hardware.ts']);
  });
});

/** Where the run of a workflow finds its node. */
const homes = Object.entries(transitions).flatMap(([, events]) => Object.values(events));
const homeOf = (name: string): ProvisionState =>
  homes.find((state) => stateOf({ provision_state: state }).workflow === name) ?? 'active';

describe('a run that should never have begun', () => {
  it.each(Object.keys(nodeWorkflows))('of %s changes nothing on the machine', async (name) => {
    const stage = await createStage({
      node: aNode({ provision_state: homeOf(name), instance_uuid: uuid, power_state: 'power on', ...fence() }),
    });
    stage.machine.power = 'power on';
    const before = structuredClone({ ...stage.machine, agent: undefined });
    if (name === 'power') await stage.power('power off');
    else if (name === 'management') await stage.manage({ action: 'boot_mode', mode: 'bios' });
    else await stage.take(name as 'clean', (node) => own(node, stage.world.ids.ulid(), name));
    await stage.settle(7200);
    await stage.sync();
    await stage.settle(7200);
    expect(stage.proxy.requests.filter(({ op }) => 'writes' in operations[op])).toEqual([]);
    expect(structuredClone({ ...stage.machine, agent: undefined })).toEqual(before);
    expect((await stage.read()).reservation).toBe(null);
    expect(stage.travelled.length).toBeGreaterThan(0);
  });
});

describe('what comes by itself', () => {
  it.each(['active', 'rescue', 'error', 'deploy failed', 'rescue failed', 'service failed'] as const)(
    'in %s, a look of sync or an agent that calls, begins nothing',
    async (provision_state) => {
      const stage = await createStage({ node: aNode({ provision_state, instance_uuid: uuid, ...fence() }) });
      expect(await stage.sync()).toMatchObject({ looked: 0, started: 0 });
      const beat = { callback_url: 'https://10.0.0.9:9999', agent_version: '9.0', agent_token: 'guessed' };
      expect((await stage.http(`POST /v1/heartbeat/${uuid}`, beat)).status).toBe(404);
      await stage.http(`GET /v1/lookup?node_uuid=${uuid}&addresses=52:54:00:00:00:01`);
      await stage.settle(7200);
      expect([stage.proxy.requests, stage.travelled]).toEqual([[], []]);
    },
  );
});
