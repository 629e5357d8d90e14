/**
 * The words between phases and the Choices of the state machines: what a phase may answer (its column `answers`) leads
 * to where it is meant to, and a Choice asks for nothing that nobody says.
 */
import { describe, expect, it } from 'vitest';

import { powerTargets } from '../../functions/baremetal-api/node/power.ts';
import type { ManagementRequest } from '../../layers/store/management-requests.ts';
import { evaluate, type Json } from '../../local/states/expression.ts';
import { workflows as rows } from '../../workflows/index.ts';
import { readDefinition } from '../../workflows/run/asl.ts';
import type { Answers } from '../../workflows/run/phase.ts';
import { called } from '../../workflows/owners/node/wait.ts';
import { told } from '../../workflows/owners/server/wait.ts';

type Words = { readonly [name: string]: string };
type Rule = { Condition: string; Next: string };
type State = { Type: string; Resource?: string; Output?: string; Next?: string; Choices?: Rule[]; Default?: string };

const loaded = Object.entries(rows).map(async ([name, { phases }]) => [name, (await phases()).phases] as const);
const workflows: Record<string, Record<string, { answers?: Answers }>> = Object.fromEntries(await Promise.all(loaded));
const stateOf = (name: string) => (JSON.parse(readDefinition(name)) as { States: Record<string, State> }).States;

/** The compiler asks for every action. */
const actions: Record<ManagementRequest['action'], true> = {
  boot_mode: true,
  secure_boot: true,
  attach_media: true,
  detach_media: true,
};

/** What the executions of these are started with, as far as a Choice reads it. */
const inputs: Record<string, Words[]> = {
  power: [
    ...Object.keys(powerTargets).flatMap((target) => [{ target }, { target, stays_on: true as unknown as string }]),
    { target: 'power off', abandons: true as unknown as string },
  ],
  management: Object.keys(actions).map((action) => ({ action })),
};

/** The words that go where Default leads, because they are meant to. All others have a rule of their own. */
const meant: Record<string, string[]> = {
  'allocate.Found': ['error'],
  'clean.Plan': ['ramdisk'],
  'clean.StepsLeft': ['next', 'heartbeat'],
  'deploy.NextStep': ['step'],
  'inspect.ChooseWay': ['nothing'],
  'inspect.IsRamdiskRunning': ['nothing', 'redfish'],
  'management.ChooseRequest': ['detach_media'],
  'power.ChangePower': ['power off', 'rebooting'],
  'power.ThenOn': ['power on', 'power off', 'soft power off'],
  'rescue.ChooseWay': ['nothing'],
  'server-create.Claimed': ['none'],
  'server-create.Up': ['underway'],
  'server-create.Undone': ['undeploys'],
  'server-create.Rescheduled': ['fail'],
  'server-delete.GivenBack': ['undeploys'],
  'server-delete.Removed': ['again'],
  'server-interface.Settled': ['again'],
  'server-power.Asked': ['insist'],
  'server-power.HasObeyed': ['insist'],
  'server-power.IsSwitched': ['underway'],
  'server-rebuild.Up': ['underway'],
  'server-rescue.IsRescued': ['underway'],
  'server-unrescue.IsUnrescued': ['underway'],
  'service.Plan': ['ramdisk'],
  'service.StepsLeft': ['next', 'heartbeat'],
  'unrescue.ChooseWay': ['disk'],
};

const visible = (states: { [name: string]: Json }) => ({
  states,
  variables: {},
  now: 0,
  chance: { number: () => 0, uuid: () => '', token: () => '' },
});

/** A phase answers one word at a time. */
const wordsOf = (answers: Answers = {}): Words[] =>
  Object.entries(answers).flatMap(([name, words]) => words.map((word) => ({ [name]: word })));

/** What the state hands on: the answers of its phase, and of one that waits what its callback may bring. */
const handedOn = async (name: string, state: string, { Resource, Output }: State): Promise<Words[]> => {
  const answers = wordsOf(workflows[name]![state]?.answers);
  if (!Resource!.endsWith('.waitForTaskToken')) return answers;
  return Promise.all(
    [...answers, rows[name as keyof typeof rows].owner === 'server' ? told : called].map(
      async (result) => (await evaluate(Output!, visible({ result }))) as Words,
    ),
  );
};

const choices = Object.keys(workflows).flatMap((name) =>
  Object.entries(stateOf(name))
    .filter(([, { Choices }]) => Choices?.some(({ Condition }) => Condition.includes('$states.')))
    .map(([state, { Choices }]) => ({ name, state, rules: Choices! })),
);

const readsInput = (rules: readonly Rule[]) => rules.some(({ Condition }) => Condition.includes('Execution.Input'));

/** Everything that can come to a Choice. */
const comingTo = async (name: string, state: string, rules: readonly Rule[]): Promise<Words[]> => {
  if (readsInput(rules)) return inputs[name]!;
  const before = Object.entries(stateOf(name)).filter(([, { Next }]) => Next === state);
  return (await Promise.all(before.map(async ([from, row]) => handedOn(name, from, row)))).flat();
};

/** The rule that takes it, by number; -1: none, so Default does. */
const ruleFor = async (rules: readonly Rule[], words: Words): Promise<number> => {
  const seen = visible({ input: words, context: { Execution: { Input: words } } });
  const fits = await Promise.all(rules.map(async ({ Condition }) => evaluate(Condition, seen)));
  return fits.indexOf(true);
};

it('is about every Choice but the one that counts boots', () => {
  expect(choices.map(({ name, state }) => `${name}.${state}`).toSorted()).toEqual(Object.keys(meant).toSorted());
});

describe.each(choices)('$name: $state', ({ name, state, rules }) => {
  it('asks for nothing that nobody says', async () => {
    const taken = await Promise.all((await comingTo(name, state, rules)).map(async (words) => ruleFor(rules, words)));
    expect(rules.filter((_, index) => !taken.includes(index)).map(({ Condition }) => Condition)).toEqual([]);
  });

  it('sends by Default the words that are meant to go there', async () => {
    const sent: string[] = [];
    for (const words of await comingTo(name, state, rules)) {
      if ((await ruleFor(rules, words)) < 0) sent.push(Object.values(words)[0]!);
    }
    expect([...new Set(sent)].toSorted()).toEqual(meant[`${name}.${state}`]!.toSorted());
  });
});

it.each(Object.keys(workflows))('%s has no phase whose answer nobody reads, and no Choice without one', (name) => {
  const states = stateOf(name);
  const reading = choices.filter((each) => each.name === name && !readsInput(each.rules)).map(({ state }) => state);
  for (const [state, { answers }] of Object.entries(workflows[name]!)) {
    expect([state, answers !== undefined]).toEqual([state, reading.includes(states[state]!.Next!)]);
  }
});
