/** `npx ingot verify ironic`: whether every record of an Ironic is here as it is there. Nothing is written. */
import { setTimeout as sleep } from 'node:timers/promises';

import { openIronic } from '../migrate/ironic/api.ts';
import { resources } from '../migrate/ironic/fields.ts';
import { type Difference, type Other, verify } from '../migrate/ironic/verify.ts';
import { readOptions } from './arguments.ts';
import type { Command, World } from './command.ts';
import { inReport, printSome } from './lines.ts';
import { createProgress } from './progress.ts';
import { privateFile } from './private-file.ts';
import { openSourceIronic, replacementsOf, sourceOptions, sourceUsage } from './source-ironic.ts';
import { openTarget, targetOptions, targetUsage } from './target.ts';

const options = {
  ...sourceOptions,
  ...targetOptions,
  report: { type: 'string' },
  'allow-others': { type: 'boolean', default: false },
} as const;

const parse = (args: readonly string[]) => readOptions(args, options);

const widest = 200;

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > widest ? `${text.slice(0, widest)}...` : text;
};

const lineOf = ({ kind, uuid, name, field, source, here }: Difference): string =>
  `${kind} ${name ?? uuid}: ${field} is ${short(source)} at the source, ${short(here)} here`;

/** What is not compared, and why. */
const exceptions = (): object =>
  Object.fromEntries(Object.entries(resources).map(([kind, { left, moving }]) => [kind, { ...left, ...moving }]));

type Found = { compared: number; readonly differences: Difference[]; readonly others: Other[] };

const reportOf = ({ compared, differences, others }: Found): string =>
  `${JSON.stringify({ compared, differences, only_here: others, not_compared: exceptions() }, undefined, 1)}\n`;

const otherLine = ({ kind, uuid, name }: Other): string => `${kind} ${name ?? uuid}: is here, and not at the source`;

const end = ({ compared, differences, others }: Found, isAllowed: boolean, { print }: World): number => {
  printSome([...differences.map(lineOf), ...others.map(otherLine)], print, inReport);
  print(`${compared} records compared, ${differences.length} differences, ${others.length} only here`);
  return differences.length > 0 || (others.length > 0 && !isAllowed) ? 1 : 0;
};

export const verifyIronic: Command = {
  usage: '--source URL --endpoint URL [--report FILE] [--allow-others] [options]',
  doc: `compare every record of an Ironic with what was moved, and its fence (exit code 1: something differs; the report
      tells what is not compared, and why)${sourceUsage}
      --allow-others        what is only here is told, and is no bad news: it came from somewhere else
      --source-is-stopped   no conductor of it runs: its nodes need no maintenance${targetUsage}`,
  run: async (args, world) => {
    const values = parse(args);
    const replacements = replacementsOf(values.replace);
    const here = await openIronic(openTarget(values, world.env), sleep);
    const source = await openSourceIronic(values, world.env);
    const file = privateFile(values.report);
    const progress = createProgress(undefined, 'records compared', world);
    const found: Found = { compared: 0, differences: [], others: [] };
    try {
      for await (const page of verify({ source, here, replacements, running: !values['source-is-stopped'] })) {
        found.compared += page.count;
        found.differences.push(...page.differences);
        found.others.push(...page.others);
        for (let at = 0; at < page.count; at += 1) progress.step();
      }
    } finally {
      progress.end();
    }
    file.write(reportOf(found));
    file.end();
    return end(found, values['allow-others'], world);
  },
};
