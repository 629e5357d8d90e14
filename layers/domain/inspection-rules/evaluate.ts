/**
 * Applies inspection rules (ironic-api.md 9): pure, from what an inspection found to what shall be different. A later
 * rule sees what an earlier one did.
 */
import { Fault, Invalid, isFault } from '../fault.ts';
import type { InspectionRule } from '../inspection-rule.ts';
import { maskRecord } from '../masking.ts';
import { node as nodeFields, type Node } from '../node.ts';
import { checkValues, checkWhole } from '../node-rules.ts';
import { port as portFields, type Port } from '../port.ts';
import { checkField } from '../schema.ts';
import { maxTraits } from '../traits.ts';
import { MAX } from '../versions.ts';
import { acts, type Draft } from './actions.ts';
import { holds } from './conditions.ts';
import { interpolate, type Scope } from './interpolate.ts';
import { actionOps, conditionOps, namedArgs, readConditionOp } from './operations.ts';
import type { Action, ActionOp, Args, Condition, Loop } from './operations.ts';

type Json = Readonly<Record<string, unknown>>;

export type Inspected = {
  readonly node: Omit<Node, 'instance_info'>;
  readonly ports: readonly Port[];
  readonly inventory: Json;
  readonly plugin_data: Json;
};

/** What to write: the fields that rules changed, whole. */
export type Effects = {
  readonly node: Partial<Node>;
  readonly ports: readonly (Partial<Port> & { readonly uuid: string })[];
  readonly plugin_data: Json;
  /** Lines of `log` actions and of what was skipped, each beginning with its level. Without secrets. */
  readonly log: readonly string[];
};

type World = { readonly draft: Draft; readonly inventory: Json };

/** What replacement fields see: no secret of the node. The instance is no business of an inspection. */
const scopeOf = ({ draft, inventory }: World, item?: { readonly value: unknown }): Scope => ({
  node: maskRecord(nodeFields, draft.node),
  inventory,
  plugin_data: draft.plugin_data,
  ...(item && { item: item.value }),
});

/** The items of a loop with their own fields replaced; one turn without an item if there is no loop. */
const turns = (world: World, loop: Loop | null | undefined): (Scope | undefined)[] => {
  if (!loop || Object.keys(loop).length === 0) return [undefined];
  const items: readonly unknown[] = Array.isArray(loop) ? loop : [loop];
  return items.map((item) => ({ item: interpolate(item, scopeOf(world), []) }));
};

const argsIn = (world: World, args: unknown, turn: Scope | undefined, missing: string[]): Args => {
  const scope = scopeOf(world, turn && { value: turn.item });
  return interpolate(args, scope, missing) as Args;
};

const combine = { any: 'some', first: 'some', all: 'every' } as const;

const isMet = (world: World, { op: given, args, loop, multiple }: Condition): boolean => {
  const { op, inverted } = readConditionOp(given)!;
  const ask = (turn: Scope | undefined) =>
    holds[op](argsIn(world, namedArgs(args, conditionOps[op]), turn, [])) !== inverted;
  const all = turns(world, loop);
  return multiple === 'last' ? ask(all.at(-1)) : all[combine[multiple ?? 'any']](ask);
};

/** What would only be told to people is told with gaps; what would be stored is not stored. */
const tells: readonly string[] = ['fail', 'log'];

const apply = (world: World, rule: InspectionRule, action: Action): void => {
  const op = action.op as ActionOp;
  for (const turn of turns(world, action.loop)) {
    const missing: string[] = [];
    const args = argsIn(world, namedArgs(action.args, actionOps[op]), turn, missing);
    if (missing.length > 0 && !tells.includes(op)) {
      world.draft.log.push(`warning: rule ${rule.uuid}: ${op} was skipped, there is no ${missing.join(', ')}`);
    } else if (op === 'log' && rule.sensitive) {
      world.draft.log.push(`info: rule ${rule.uuid} is sensitive, what it logs is not shown`);
    } else acts[op](world.draft, args);
  }
};

/** The same fault with the rule's name; of a sensitive rule only where it failed. */
const explain = (rule: InspectionRule, where: string, error: unknown): unknown => {
  if (!isFault(error)) return error;
  const hidden = rule.sensitive && error.name !== 'InspectionRuleFailed';
  const why = hidden ? 'it is sensitive, so no more is shown' : error.message;
  return new Fault('InspectionRuleFailed', 400, `Inspection rule ${rule.uuid}, ${where}: ${why}`, { cause: error });
};

const guarded = <T>(rule: InspectionRule, where: string, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    throw explain(rule, where, error);
  }
};

const applyRule = (world: World, rule: InspectionRule): void => {
  const met = rule.conditions.every((condition, at) =>
    guarded(rule, `condition ${at + 1} (${condition.op})`, () => isMet(world, condition)),
  );
  if (!met) return;
  const { node, ports } = world.draft.changed;
  for (const [at, action] of rule.actions.entries()) {
    guarded(rule, `action ${at + 1} (${action.op})`, () => {
      apply(world, rule, action);
      // Now, so that the message names the action that went too far.
      changedNode(world.draft, node);
      for (const uuid of ports.keys()) changedPort(world.draft, uuid);
    });
  }
};

const changedNode = ({ node }: Draft, names: ReadonlySet<string>): Partial<Node> => {
  const values = Object.fromEntries([...names].map((name) => [name, checkField(nodeFields, name, node[name])]));
  checkValues(values, MAX);
  checkWhole({ ...node, ...values });
  const traits = (values['traits'] ?? []) as readonly string[];
  if (traits.length > maxTraits)
    throw Invalid(`A node can have at most ${maxTraits} traits, these would be ${traits.length}.`);
  return values;
};

const changedPort = ({ ports, changed }: Draft, uuid: string): Partial<Port> & { uuid: string } => {
  const port = ports.find((one) => one['uuid'] === uuid)!;
  const names = [...changed.ports.get(uuid)!];
  return { uuid, ...Object.fromEntries(names.map((name) => [name, checkField(portFields, name, port[name])])) };
};

/**
 * What these rules, in this order, make of an inspection. Nothing of what is given is changed. Throws
 * InspectionRuleFailed, a Fault with a text for people, for the action `fail` and for what a rule can not do.
 */
export const evaluateRules = (rules: readonly InspectionRule[], inspected: Inspected): Effects => {
  const { inventory, ...given } = inspected;
  const { node, ports, plugin_data: data } = structuredClone(given);
  const { instance_info: _instance, ...seen } = node as Record<string, unknown>;
  const draft: Draft = {
    node: seen,
    ports: [...ports],
    plugin_data: { ...data },
    changed: { node: new Set(), ports: new Map() },
    log: [],
  };
  for (const rule of rules) applyRule({ draft, inventory }, rule);
  return {
    node: changedNode(draft, draft.changed.node),
    ports: [...draft.changed.ports.keys()].map((uuid) => changedPort(draft, uuid)),
    plugin_data: draft.plugin_data,
    log: draft.log,
  };
};
