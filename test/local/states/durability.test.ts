/**
 * A killed process is an instance that is left alone, with its calls unanswered and its timers never ringing, while
 * another opens the same journal. `thread.test.ts` kills a real one.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';

import { loadDefinition } from '../../../local/states/definition.ts';
import { openJournal } from '../../../local/states/journal.ts';
import { createVirtualTimers } from './virtual-timers.ts';
import { callOf, createWorld, hangs, machineOf, waitOf, type Script } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-states-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newJournal = () => join(folder, `${(files += 1)}.db`);

/** Lets one process begin, be killed and be down for so long, and another continue. */
const crash = async (machine: object, before: Script, after: Script, downMs = 0) => {
  const journal = newJournal();
  const timers = createVirtualTimers();
  const machines = { machine };
  const first = await createWorld({ machines, script: before, journal, timers });
  await first.states.start('machine', 'one', { n: 1 });
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  const later = createVirtualTimers(timers.now() + downMs);
  const second = await createWorld({ machines, script: after, journal, timers: later });
  return { first, second, finish: async () => second.settle().then(async () => second.outcome('machine', 'one')) };
};

describe('after SIGKILL', () => {
  it('calls again what was in flight, with the same payload', async () => {
    const { first, second, finish } = await crash(
      machineOf({ A: callOf('f', { Output: '{% $states.result.Payload %}', End: true }) }),
      { f: () => hangs },
      { f: () => 'second' },
    );
    expect(await finish()).toMatchObject({ status: 'SUCCEEDED', output: 'second' });
    expect(second.calls).toEqual(first.calls);
  });

  it('keeps the retries that were used up', async () => {
    const busy = () => {
      throw Object.assign(new Error('busy'), { name: 'Busy' });
    };
    const { finish, second } = await crash(
      machineOf({ A: callOf('f', { Retry: [{ ErrorEquals: ['Busy'], MaxAttempts: 3 }], End: true }) }),
      { f: busy },
      { f: busy },
    );
    expect(await finish()).toMatchObject({ status: 'FAILED', error: 'Busy' });
    expect(second.calls).toHaveLength(3);
  });

  it('keeps the end of a wait where it was', async () => {
    const { finish } = await crash(machineOf({ A: { Type: 'Wait', Seconds: 100, End: true } }), {}, {}, 40_000);
    expect(await finish()).toMatchObject({ status: 'SUCCEEDED', seconds: 60 });
  });

  it('ends a wait at once that passed meanwhile', async () => {
    const { finish } = await crash(machineOf({ A: { Type: 'Wait', Seconds: 100, End: true } }), {}, {}, 400_000);
    expect(await finish()).toMatchObject({ status: 'SUCCEEDED', seconds: 0 });
  });

  it('keeps counting a timeout from the start of the task', async () => {
    const machine = machineOf({ A: callOf('f', { TimeoutSeconds: 100, End: true }) });
    const { finish } = await crash(machine, { f: () => hangs }, { f: () => hangs }, 70_000);
    expect(await finish()).toMatchObject({ error: 'States.Timeout', seconds: 30 });
  });

  it('keeps the deadline of the execution', async () => {
    const machine = machineOf({ A: { Type: 'Wait', Seconds: 100, End: true } }, { TimeoutSeconds: 50 });
    const { finish } = await crash(machine, {}, {}, 60_000);
    expect(await finish()).toMatchObject({ status: 'TIMED_OUT', seconds: 0 });
  });

  it('still knows the tokens it gave out, and does not ask again', async () => {
    const { first, second } = await crash(machineOf({ A: waitOf('ask') }), { ask: () => null }, {});
    const { token } = first.calls[0]!.payload as { token: string };
    expect(second.calls).toEqual([]);
    expect(await second.states.succeed(token, 'after all')).toBe('delivered');
    expect(await second.outcome('machine', 'one')).toMatchObject({ status: 'SUCCEEDED', output: 'after all' });
  });

  it('keeps variables and the results of branches that have ended', async () => {
    const branch = (name: string, state: object) => ({ StartAt: name, States: { [name]: state } });
    const machine = machineOf({
      A: { Type: 'Pass', Assign: { kept: '{% $states.input.n %}' }, Next: 'P' },
      P: {
        Type: 'Parallel',
        Branches: [
          branch('B', { Type: 'Pass', Output: '{% "ended before" %}', End: true }),
          branch('C', callOf('f', { Output: '{% $states.result.Payload + $kept %}', End: true })),
        ],
        End: true,
      },
    });
    const { finish } = await crash(machine, { f: () => hangs }, { f: () => 41 });
    expect(await finish()).toMatchObject({ output: ['ended before', 42] });
  });

  it('continues with the definition the execution began with', async () => {
    const journal = newJournal();
    const before = machineOf({ A: callOf('f', { Next: 'B' }), B: { Type: 'Succeed', Output: { was: 'before' } } });
    const after = machineOf({ A: { Type: 'Succeed', Output: { was: 'after' } } });
    const first = await createWorld({ machines: { machine: before }, script: { f: () => hangs }, journal });
    await first.states.start('machine', 'one', {});
    const second = await createWorld({ machines: { machine: after }, script: { f: () => 1 }, journal });
    await second.settle();
    expect(await second.outcome('machine', 'one')).toMatchObject({ output: { was: 'before' } });
    expect(await second.run('machine', {}, 'two')).toMatchObject({ output: { was: 'after' } });
  });

  it('remembers names and histories of what has ended', async () => {
    const machine = machineOf({ A: callOf('f') });
    const { first, second } = await crash(machine, { f: () => 1 }, {});
    await second.states.start('machine', 'one', {});
    await second.settle();
    expect(second.calls).toEqual([]);
    expect(await second.outcome('machine', 'one')).toEqual(await first.outcome('machine', 'one'));
  });

  it('tells the same story wherever it was killed', async () => {
    const machine = machineOf({
      A: callOf('f', {
        Arguments: { FunctionName: 'f', Payload: { retries: '{% $states.context.State.RetryCount %}' } },
        Retry: [{ ErrorEquals: ['Busy'] }],
        Assign: { a: '{% $states.result.Payload %}' },
        Next: 'M',
      }),
      M: {
        Type: 'Map',
        Items: [1, 2, 3],
        MaxConcurrency: 2,
        ItemProcessor: { StartAt: 'Each', States: { Each: callOf('g', { Output: '{% $a %}', End: true }) } },
        Next: 'Z',
      },
      Z: { Type: 'Wait', Seconds: 5, End: true },
    });
    // By what is in the journal: a failure that was not written before the kill happens again.
    const f = (payload: unknown) => {
      if ((payload as { retries: number }).retries === 0) throw Object.assign(new Error('busy'), { name: 'Busy' });
      return 'a';
    };
    const script: Script = { f, g: () => 'g' };
    const calm = await createWorld({ machines: { machine }, script });
    const expected = await calm.run('machine', { n: 1 });
    const kills = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 4 });

    const survive = async (turnsBeforeKills: readonly number[]) => {
      const common = { machines: { machine }, script, journal: newJournal() };
      const timers = createVirtualTimers();
      for (const turns of turnsBeforeKills) {
        const doomed = await createWorld({ ...common, timers });
        void doomed.states.start('machine', 'one', { n: 1 });
        for (let turn = 0; turn < turns; turn += 1) {
          await new Promise(setImmediate);
          if (turn % 3 === 2) timers.skip();
        }
        doomed.kill();
        await new Promise(setImmediate);
      }
      const last = await createWorld({ ...common, timers });
      return last.run('machine', { n: 1 });
    };

    await fc.assert(
      fc.asyncProperty(kills, async (turns) => {
        const { status, output, entered, types } = await survive(turns);
        expect({ status, output, entered: entered.toSorted() }).toEqual({
          status: 'SUCCEEDED',
          output: expected.output,
          entered: expected.entered.toSorted(),
        });
        expect(types.toSorted()).toEqual(expected.types.toSorted());
      }),
      { numRuns: 25 },
    );
  });
});

describe('the journal', () => {
  it('refuses a file that is none with a sentence', () => {
    const path = newJournal();
    writeFileSync(path, 'this is not a database, however long it may be '.repeat(100));
    expect(() => openJournal(path)).toThrow(/The journal .* cannot be used: .*; move the file away/);
  });

  it('refuses a file whose rows cannot be read with a sentence', async () => {
    const { DatabaseSync } = await import('node:sqlite');
    const path = newJournal();
    const world = await createWorld({
      machines: { machine: machineOf({ A: callOf('f') }) },
      script: { f: () => hangs },
      journal: path,
    });
    await world.states.start('machine', 'one', {});
    const other = new DatabaseSync(path);
    other.exec('UPDATE execution SET run = substr(run, 1, 20)');
    other.close();
    expect(() => openJournal(path).running()).toThrow(/The journal .* cannot be used: .*; move the file away/);
  });

  it('refuses a file of another version', async () => {
    const { DatabaseSync } = await import('node:sqlite');
    const path = newJournal();
    const other = new DatabaseSync(path);
    other.exec('PRAGMA user_version = 99');
    other.close();
    expect(() => openJournal(path)).toThrow(/version 99/);
  });

  it('writes what comes together in one transaction, and all of it', async () => {
    const journal = newJournal();
    const machine = machineOf({ A: callOf('f', { Next: 'B' }), B: callOf('f', { Next: 'C' }), C: callOf('f') });
    const world = await createWorld({ machines: { machine }, script: { f: () => null }, journal });
    const names = Array.from({ length: 200 }, (_, index) => `n${index}`);
    await Promise.all(names.map(async (name) => world.states.start('machine', name, {})));
    await world.settle();
    const ends = await Promise.all(names.map(async (name) => world.states.describe('machine', name)));
    expect(new Set(ends.map((each) => each?.status))).toEqual(new Set(['SUCCEEDED']));
  });

  it('fails whoever waits when the disk refuses', async () => {
    const path = newJournal();
    const journal = openJournal(path);
    const definition = await loadDefinition('m', 'm', JSON.stringify(machineOf({ A: { Type: 'Succeed' } })));
    const run = { workflow: 'm', name: 'one', status: 'RUNNING' } as never;
    const broken = { id: 1, definition: undefined as never, run };
    await expect(journal.commit(broken, [])).rejects.toMatchObject({ name: 'JournalFailed', code: 503 });
    await journal.commit({ id: 1, definition: definition.hash, run }, []);
    expect(journal.running()).toHaveLength(1);
  });
});
