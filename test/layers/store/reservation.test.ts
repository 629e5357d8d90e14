import { describe, expect, it } from 'vitest';

import { begin, finish, handOver, lock, pause, resume } from '../../../layers/store/reservation.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { countedUlid, countedUuid } from '../../../layers/platform/memory/ids.ts';
import { aNode } from './a-node.ts';

const uuid = countedUuid(1);
const run = (n: number) => `${uuid}-${countedUlid(n)}`;
const apply = (node: StoredNode, set: Partial<StoredNode> | undefined): StoredNode => ({ ...node, ...set });
const deploying = apply(aNode(), begin(aNode(), countedUlid(1), 'deploy', 'deploy'));

describe('lock', () => {
  it('names the run after its birth and leaves the provisioning alone', () => {
    expect(lock(aNode({ generation: 4 }), countedUlid(7))).toEqual({ reservation: run(7), generation: 5 });
  });

  it('is refused while another run holds it, in the words that clients retry on', () => {
    expect(() => lock(aNode({ reservation: run(4) }), countedUlid(5))).toThrow(
      `Node ${uuid} is locked by host ${run(4)}, please retry after the current operation is completed.`,
    );
  });
});

describe('begin', () => {
  it('takes the lock, the run and the state in one change', () => {
    expect(begin(aNode(), countedUlid(1), 'deploy', 'deploy')).toEqual({
      reservation: run(1),
      generation: 1,
      run: run(1),
      run_workflow: 'deploy',
      provision_state: 'deploying',
      target_provision_state: 'active',
    });
  });

  it('refuses an event that does not fit the state', () => {
    expect(() => begin(aNode({ provision_state: 'active' }), countedUlid(1), 'deploy', 'deploy')).toThrow(
      expect.objectContaining({ name: 'Invalid', code: 400 }),
    );
  });

  it('takes over a node that waits, because the lock is free then', () => {
    const waiting = apply(deploying, pause(deploying));
    expect(begin(waiting, countedUlid(2), 'undeploy', 'delete')).toMatchObject({
      run: run(2),
      provision_state: 'deleting',
    });
  });
});

describe('pause and resume', () => {
  const waiting = apply(deploying, pause(deploying));

  it('free the lock for the wait and keep the run', () => {
    expect(waiting).toMatchObject({
      reservation: null,
      run: run(1),
      run_workflow: 'deploy',
      provision_state: 'wait call-back',
      target_provision_state: 'active',
    });
  });

  it('take the lock back with a new generation, which fences off what was sent before', () => {
    expect(resume(waiting, run(1))).toEqual({
      reservation: run(1),
      generation: 2,
      provision_state: 'deploying',
      target_provision_state: 'active',
    });
  });

  it('do nothing for a run that holds the lock: a repeated phase goes on', () => {
    expect(resume(deploying, run(1))).toBeUndefined();
    expect(resume(apply(waiting, resume(waiting, run(1))), run(1))).toBeUndefined();
  });

  it('end a run whose node belongs to another by now', () => {
    const taken = apply(waiting, begin(waiting, countedUlid(2), 'undeploy', 'delete'));
    expect(() => resume(taken, run(1))).toThrow(expect.objectContaining({ name: 'Superseded' }));
    expect(() => resume(aNode(), run(1))).toThrow(
      `Run ${run(1)} no longer owns node ${uuid}, which belongs to no run.`,
    );
  });

  it('wait for a power action that holds the lock in between', () => {
    const busy = apply(waiting, lock(waiting, countedUlid(2)));
    expect(() => resume(busy, run(1))).toThrow(expect.objectContaining({ name: 'NodeLocked', code: 409 }));
    const free = apply(busy, { reservation: null });
    expect(resume(free, run(1))).toMatchObject({ reservation: run(1), generation: 3 });
  });

  it('take the lock back outside of wait states too, without a transition', () => {
    const unlocked = apply(deploying, { reservation: null });
    expect(resume(unlocked, run(1))).toEqual({ reservation: run(1), generation: 2 });
  });
});

describe('handOver', () => {
  const deleting = apply(
    aNode({ provision_state: 'active' }),
    begin(aNode({ provision_state: 'active' }), countedUlid(1), 'undeploy', 'delete'),
  );

  it('gives the node to the next run while it stays locked, and the first one is superseded', () => {
    const next = apply(deleting, handOver(deleting, countedUlid(2), 'clean', 'clean'));
    expect(next).toMatchObject({
      reservation: run(2),
      generation: 2,
      run: run(2),
      run_workflow: 'clean',
      provision_state: 'cleaning',
      target_provision_state: 'available',
    });
    expect(() => resume(next, run(1))).toThrow(expect.objectContaining({ name: 'Superseded' }));
  });
});

describe('finish', () => {
  it('lets go of lock and run with the last transition', () => {
    expect(finish(deploying, 'done')).toEqual({
      reservation: null,
      run: null,
      run_workflow: null,
      provision_state: 'active',
      target_provision_state: null,
    });
  });

  it('keeps the target after a failure, and takes one of its own', () => {
    expect(finish(deploying, 'fail')).toMatchObject({
      provision_state: 'deploy failed',
      target_provision_state: 'active',
    });
    expect(finish(deploying, 'fail', { target: 'available' }).target_provision_state).toBe('available');
  });
});
