/** `npx ingot takeover`: machines that were moved in with an instance, and how far they are (docs/adr/0022-moving-in.md). */

import { Invalid } from '../layers/domain/fault.ts';
import { readArguments } from './arguments.ts';
import type { Command } from './command.ts';
import type { Service } from '../migrate/service.ts';
import { askTarget, openTarget, targetOptions, targetUsage } from './target.ts';

const options = { ...targetOptions, failed: { type: 'boolean', default: false }, limit: { type: 'string' } } as const;

const parse = (args: readonly string[]) => readArguments(args, options);

type Progress = {
  readonly counts: Readonly<Record<string, number>>;
  readonly failed: readonly {
    readonly node_uuid: string;
    readonly name: string | null;
    readonly since: string;
    readonly reason: string | null;
  }[];
};
type Begun = {
  readonly started: readonly string[];
  readonly refused: readonly { readonly node: string; readonly reason: string }[];
};

const path = '/v1/takeovers';

const ask = async (target: Service, body?: object): Promise<unknown> =>
  askTarget(target, body ? 'POST' : 'GET', path, body);

export const takeoverStatus: Command = {
  usage: `[options]${targetUsage}`,
  doc: 'how far the machines are that were moved in with an instance (exit code 1: a takeover has failed)',
  run: async (args, { env, print }) => {
    const { values, positionals } = parse(args);
    if (positionals.length > 0) throw Invalid('`takeover status` takes no names: it tells of all nodes.');
    const { counts, failed } = (await ask(openTarget(values, env))) as Progress;
    for (const [state, count] of Object.entries(counts)) print(`${state.padEnd(12)}${String(count).padStart(8)}`);
    for (const { node_uuid, name, since, reason } of failed) {
      print(`${name ?? node_uuid} (${node_uuid}), ${since}: ${reason ?? 'nobody knows why.'}`);
    }
    if ((counts['unconverted'] ?? 0) > 0) {
      print(
        'unconverted: of a driver that is only shown; `npx ingot nodes convert` first, then `npx ingot takeover start`.',
      );
    }
    return (counts['failed'] ?? 0) > 0 ? 1 : 0;
  },
};

/** The API takes so many at a time. */
const atOnce = 100;

/** What is asked for, batch by batch: those that are named, then so many of those that are pending. It is told how many began. */
async function* batches(names: readonly string[], pending: number): AsyncGenerator<object, void, number> {
  for (let at = 0; at < names.length; at += atOnce) yield { nodes: names.slice(at, at + atOnce) };
  for (let left = pending; left > 0;) {
    const begun = yield { limit: Math.min(left, atOnce) };
    left = begun === 0 ? 0 : left - begun;
  }
}

const begin = async (target: Service, asked: AsyncGenerator<object, void, number>): Promise<Begun> => {
  const started: string[] = [];
  const refused = new Map<string, string>();
  let last = 0;
  for (;;) {
    const { value, done } = await asked.next(last);
    if (done) break;
    const begun = (await ask(target, value)) as Begun;
    started.push(...begun.started);
    for (const { node, reason } of begun.refused) refused.set(node, reason);
    last = begun.started.length;
  }
  return { started, refused: [...refused].map(([node, reason]) => ({ node, reason })) };
};

const limitOf = (text: string | undefined): number => {
  const limit = Number(text ?? Infinity);
  if (limit >= 1 && (Number.isInteger(limit) || limit === Infinity)) return limit;
  throw Invalid('--limit has to be a whole number, 1 or more.');
};

/** Those that failed until now: who fails again at once is not asked for again. */
const failedNow = async (target: Service): Promise<string[]> =>
  ((await ask(target)) as Progress).failed.map(({ node_uuid }) => node_uuid);

export const takeoverStart: Command = {
  usage: `[NODE ... | --failed | --limit N] [options]${targetUsage}`,
  doc: 'looks at the machines that are pending, so many of them, at those that failed, or at those named; it may be asked for again at any time (exit code 1: one could not begin)',
  run: async (args, { env, print }) => {
    const { values, positionals } = parse(args);
    const { failed, limit } = values;
    const ways = [positionals.length > 0, failed, limit !== undefined].filter(Boolean);
    if (ways.length > 1) throw Invalid('Give names, or --failed, or --limit.');
    const target = openTarget(values, env);
    const names = failed ? await failedNow(target) : positionals;
    const chosen = failed || positionals.length > 0;
    const { started, refused } = await begin(target, batches(names, chosen ? 0 : limitOf(limit)));
    for (const { node, reason } of refused) print(`${node}: ${reason}`);
    print(`${started.length} begun; \`npx ingot takeover status\` tells how they go.`);
    return refused.length > 0 ? 1 : 0;
  },
};
