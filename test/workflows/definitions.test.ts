/** The state machines, their fragments filled in, against the phases, the fault table, and an independent validator. */
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { settings, workflows as rows } from '../../infra/manifest.ts';
import { bmcFaults } from '../../layers/bmc/faults.ts';
import { readDefinition } from '../../workflows/run/asl.ts';
import { nodeWorkflows, workflows } from '../../workflows/index.ts';
import { createWorld } from '../local/states/world.ts';

const folder = new URL('../../workflows', import.meta.url).pathname;

type Validate = (machine: object) => { isValid: boolean; errorsText(separator: string): string };
const validate = createRequire(import.meta.url)('asl-validator') as Validate;

type Retrier = { ErrorEquals: string[]; IntervalSeconds: number; MaxAttempts: number; BackoffRate?: number };
type State = {
  Type: string;
  Next?: string;
  Resource?: string;
  Arguments?: { Payload: Record<string, unknown> };
  TimeoutSeconds?: number | string;
  Retry?: Retrier[];
  Catch?: { ErrorEquals: string[]; Next: string }[];
};
type Machine = { QueryLanguage: string; TimeoutSeconds: number; States: Record<string, State> };

const names = Object.keys(workflows) as (keyof typeof workflows)[];
const isOfServers = (name: keyof typeof workflows) => workflows[name].owner === 'server';
/** As what the functions are called that run the phases. */
const runners = [...new Set(Object.values(rows).map(({ runner }) => runner.replaceAll('-', '_')))];
const text = (name: string) =>
  runners.reduce(
    (definition, runner) =>
      definition.replaceAll(`\${${runner}}`, `arn:aws:lambda:eu-west-1:123456789012:function:${runner}`),
    readDefinition(name),
  );
const load = (name: string) => JSON.parse(text(name)) as Machine;
const tasks = (machine: Machine) => Object.entries(machine.States).filter(([, state]) => state.Type === 'Task');
const every = names.flatMap((name) => tasks(load(name)).map(([state, task]) => ({ name, state, task })));

describe('the state machines', () => {
  it('stand each in the folder of their workflow, which has its row', () => {
    const folders = globSync('*/*.asl.json', { cwd: folder });
    expect(folders.toSorted()).toEqual(names.map((name) => `${name}/${name}.asl.json`).toSorted());
  });

  it('use fragments of which no two have the same name', () => {
    const files = globSync('**/fragments.json', { cwd: folder });
    const fragments = files.flatMap((file) =>
      Object.keys(JSON.parse(readFileSync(join(folder, file), 'utf8')) as object),
    );
    expect(fragments.toSorted()).toEqual([...new Set(fragments)].toSorted());
    expect(fragments.length).toBeGreaterThan(5);
  });

  it('hand over to workflows that there are', () => {
    const successors = Object.values(nodeWorkflows).flatMap(({ successor }) => successor ?? []);
    expect(successors.filter((name) => !Object.hasOwn(nodeWorkflows, name))).toEqual([]);
    expect(successors).not.toEqual([]);
  });

  it.each(names)('%s is valid by asl-validator', (name) => {
    const machine = JSON.parse(text(name).replaceAll(/\$\{\w+\}/g, '1800')) as object;
    const { isValid, errorsText } = validate(machine);
    expect(errorsText('\n')).toBe('');
    expect(isValid).toBe(true);
  });

  it.each(names)('%s has nothing left to fill in but substitutions', (name) => {
    expect(readDefinition(name)).not.toMatch(/<\w+>|"Use":/);
    const substitutions = readDefinition(name).match(/(?<=\$\{)[^}]*(?=\})/g) ?? [];
    const known = [rows[name].runner.replaceAll('-', '_'), ...Object.keys(settings)];
    expect(substitutions.filter((each) => !known.includes(each))).toEqual([]);
  });

  it.each(names)('%s has a phase for each Task state and no other', async (name) => {
    const { phases } = await workflows[name].phases();
    const states = tasks(load(name)).map(([state]) => state);
    expect(states.filter((state) => state !== 'Fail').toSorted()).toEqual(Object.keys(phases).toSorted());
    expect(states).toContain('Fail');
  });

  it.each(names)('%s asks in JSONata and ends within a day', (name) => {
    expect(load(name)).toMatchObject({ QueryLanguage: 'JSONata', TimeoutSeconds: 86_400 });
  });

  it('let nothing but ids and small flags travel', () => {
    const owners = ['node', 'allocation', 'server'];
    const failures = ['failed', 'failure'];
    const allowed = ['workflow', 'phase', 'run', 'token', 'timeout', 'boot', ...owners, ...failures];
    for (const { task } of every) expect(allowed).toEqual(expect.arrayContaining(Object.keys(task.Arguments!.Payload)));
  });

  it('name the workflow and the phase of the state that they are in', () => {
    for (const { name, state, task } of every) {
      expect(task.Arguments!.Payload).toMatchObject({ workflow: name, phase: state });
    }
  });

  it('have a time limit on every Task, the configured one where an agent or an event is waited for', () => {
    for (const { name, task } of every) {
      const waits = task.Resource!.endsWith('.waitForTaskToken');
      const setting = isOfServers(name) ? 'server_look_again' : `${name}_callback_timeout`;
      expect(task.TimeoutSeconds).toBe(waits ? `{% \${${setting}} %}` : 300);
      expect('token' in task.Arguments!.Payload).toBe(waits);
    }
  });

  it('lead every failure to Fail, and a lost node to a quiet end', () => {
    for (const { state, task } of every.filter(({ name }) => !isOfServers(name))) {
      const nexts = task.Catch!.map(({ ErrorEquals, Next }) => [ErrorEquals.join(), Next]);
      const quiet = ['Superseded', 'Superseded'];
      // Who does not call gets a second chance.
      const missed = state === 'WaitForAgent' ? [['States.Timeout', 'AgentMissed']] : [];
      expect(nexts).toEqual(state === 'Fail' ? [quiet] : [quiet, ...missed, ['States.ALL', 'Fail']]);
    }
  });

  /** The phases that take back what a run of servers has begun; where they fail, nothing is left to be tried. */
  const undoes = ['Undo', 'WaitForUndeploy', 'Undeployed', 'Reschedule'];

  /** Where a failure leads: what only plugs has nothing to take back once it has plugged. */
  const failsTo = (name: string, state: string): string => {
    const isUndone =
      name === 'server-create' ? !undoes.includes(state) : name === 'server-interface' && state === 'PlugPorts';
    return isUndone ? 'Undo' : 'Fail';
  };

  it('of servers undo what they have begun, look themselves for what no event tells, and end quietly without a server', () => {
    for (const { name, state, task } of every.filter((each) => isOfServers(each.name))) {
      const nexts = task.Catch!.map(({ ErrorEquals, Next }) => [ErrorEquals.join(), Next]);
      const quiet = ['Superseded', 'Superseded'];
      const looks = task.Resource!.endsWith('.waitForTaskToken') ? [['States.Timeout', task.Next]] : [];
      expect([state, nexts]).toEqual([
        state,
        state === 'Fail' ? [quiet] : [quiet, ...looks, ['States.ALL', failsTo(name, state)]],
      ]);
    }
  });
});

describe('Retry', () => {
  const [first] = every;
  const retried = first!.task.Retry!.flatMap(({ ErrorEquals }) => ErrorEquals);

  it('is the same in every Task', () => {
    for (const { task } of every) expect(task.Retry).toEqual(first!.task.Retry);
  });

  it('names every fault that may go away by itself and no fatal one', () => {
    const classes = Object.entries(bmcFaults);
    for (const [name, kind] of classes) expect([name, retried.includes(name)]).toEqual([name, kind === 'retry']);
  });

  it('never repeats a wait that timed out, nor what no repetition changes', () => {
    for (const name of [
      'States.ALL',
      'States.Timeout',
      'States.TaskFailed',
      'Superseded',
      'StepFailed',
      'PhaseTimeout',
    ])
      expect(retried).not.toContain(name);
  });

  it('asks again for an hour while hardware is at it or the node is locked, and never fills the history in a day', async () => {
    const machine = JSON.parse(text('deploy').replaceAll(/\$\{\w+\}/g, '1800')) as object;
    const script = {
      'arn:aws:lambda:eu-west-1:123456789012:function:workflow': () => {
        throw Object.assign(new Error('It starts.'), { name: 'Pending' });
      },
    };
    const world = await createWorld({ machines: { deploy: machine }, script, fraction: 1 });
    const { types, seconds } = await world.run('deploy', { node: 'n' });
    const failed = types.filter((type) => type === 'TaskFailed').length;
    expect(world.calls.map(({ payload }) => (payload as { phase: string }).phase).lastIndexOf('Validate')).toBe(188);
    // Validate and then Fail, an hour each.
    expect(seconds / 2).toBeGreaterThan(3600);
    expect(seconds / 2).toBeLessThan(3700);
    expect(failed).toBe(2 * 189);
    // Step Functions ends an execution by its 25,000th event.
    expect((types.length / seconds) * 86_400).toBeLessThan(15_000);
  });
});
