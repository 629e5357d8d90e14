/** A setting is one row in the manifest and one line in the `config.ts` that reads it: neither without the other. */
import { globSync } from 'node:fs';

import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import type { ZodObject, ZodPipe, ZodType } from 'zod';

import { readSettings as readContextSettings } from '../../infra/context.ts';
import { apiOf } from '../../infra/grants.ts';
import { functions, schedules, type SettingName, settings, workflows } from '../../infra/manifest.ts';
import { variableOf } from '../../infra/settings.ts';
import { calledApis } from '../../layers/platform/apis.ts';
import { IngotStack } from '../../infra/stack.ts';
import { environmentOf, readSettings as readLocalSettings } from '../../local/environment.ts';
import { readDefinition } from '../../workflows/run/asl.ts';
import { environmentWith } from '../fakes/settings.ts';

const root = new URL('../..', import.meta.url).pathname;

const configs = globSync('functions/*/config.ts', { cwd: root });
const configIn = async (file: string) => ((await import(root + file)) as { Config: ZodType }).Config;
/** The variables that a `config.ts` reads. */
const variablesIn = async (file: string): Promise<string[]> => {
  const config = await configIn(file);
  return Object.keys((config.type === 'pipe' ? ((config as ZodPipe).in as ZodObject) : (config as ZodObject)).shape);
};

const namesIn = (texts: string[], name: RegExp) => new Set(texts.flatMap((text) => text.match(name) ?? []));
const read = new Set((await Promise.all(configs.map(variablesIn))).flat());
const substituted = namesIn(Object.keys(workflows).map(readDefinition), /(?<=\$\{)\w+(?=\})/g);

/** Users are handed to the authorizer alone, and only the one-machine runner knows that it listens on a loopback. */
const others = [
  'INGOT_HTPASSWD',
  'INGOT_HTPASSWD_FILE',
  'INGOT_LOOPBACK',
  'INGOT_SERVICE_USER',
  'INGOT_USERS',
  'INGOT_USERS_FILE',
  'INGOT_USERS_PATH',
];
/** Where the APIs are that functions call, and what is proved there, is for the platform to read. */
const ofPlatform: readonly string[] = Object.keys(calledApis).flatMap((api) => [
  `${api}_endpoint`,
  `${api}_credentials`,
]);

describe('settings', () => {
  it('are all that functions read', () => {
    const variables = Object.keys(settings).map(variableOf);
    expect([...read].filter((name) => !variables.includes(name)).sort()).toEqual(others);
  });

  it('are all that workflows have for substitution, but for the functions that run the phases', () => {
    expect([...substituted].filter((name) => !Object.hasOwn(settings, name))).toEqual(['workflow', 'server_workflow']);
  });

  it('are each read by a function, a workflow or a schedule', () => {
    const elsewhere = [...ofPlatform, ...schedules.map(({ every }) => every)];
    const unread = Object.keys(settings).filter(
      (name) => !elsewhere.includes(name) && !read.has(variableOf(name)) && !substituted.has(name),
    );
    expect(unread).toEqual([]);
  });
});

describe('a value of a setting', () => {
  const names = Object.keys(settings) as SettingName[];
  /** Some other value of the kind that the default is. */
  const other = (name: SettingName): string => {
    const standard = settings[name].default;
    if (/^\d+$/.test(standard)) return '7';
    if (standard === 'true') return 'false';
    return standard === 'false' ? 'true' : 'other';
  };
  const isText = (name: SettingName) => other(name) === 'other';
  const onAws = (context: Record<string, string>) => readContextSettings(new App({ context }));
  const onOneMachine = (context: Record<string, string>) =>
    readLocalSettings(
      Object.fromEntries(Object.entries(context).map(([name, value]) => [variableOf(name), value])),
      false,
    );

  /** What costs by the request on AWS costs nothing on one machine. */
  const here: Partial<Record<SettingName, string>> = { sync_power_state_interval: '120' };

  it.each(names)('means the same on AWS and on one machine: %s', (name) => {
    expect(onAws({})[name]).toBe(settings[name].default);
    expect(onOneMachine({})[name]).toBe(here[name] ?? settings[name].default);
    for (const read of [onAws, onOneMachine]) {
      expect(read({ [name]: other(name) })[name]).toBe(other(name));
    }
  });

  it.each(names.filter(isText))('is not the default when it is empty: %s', (name) => {
    for (const read of [onAws, onOneMachine]) expect(read({ [name]: '' })[name]).toBe('');
  });

  it.each(names.filter((name) => !isText(name)))('is refused when it is empty: %s', (name) => {
    for (const read of [onAws, onOneMachine]) {
      expect(() => read({ [name]: '' })).toThrow(`Setting ${name} has to be`);
    }
  });

  it('is told on AWS to who reads it, and to nobody else', async () => {
    const template = Template.fromStack(
      new IngotStack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Ingot'),
    );
    const deployed = Object.entries(template.findResources('AWS::Lambda::Function')).map(([id, { Properties }]) => {
      const { Environment } = Properties as { Environment?: { Variables: object } };
      return [id, Object.keys(Environment?.Variables ?? {}).filter((name) => name.startsWith('INGOT_'))] as const;
    });
    for (const file of configs) {
      const [, name] = file.split('/') as [string, keyof typeof functions];
      const [, told] = deployed.find(([id]) => id.startsWith(`${name.replaceAll('-', '')}Function`))!;
      const apis = functions[name].grants.flatMap((grant) => apiOf(grant) ?? []);
      const called = ofPlatform.filter((one) => apis.some((api) => one.startsWith(`${api}_`))).map(variableOf);
      const reads = (await variablesIn(file)).filter((variable) => !others.includes(variable));
      expect([name, told.toSorted()]).toEqual([name, [...new Set([...reads, ...called])].toSorted()]);
    }
  });

  it('arrives at a function as it is, empty ones too', async () => {
    // The proxy's network has rules of it.
    const isKept = (name: SettingName) => !isText(name) || name === 'bmc_networks';
    const empty = Object.fromEntries(names.filter((name) => !isKept(name)).map((name) => [name, '']));
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...empty } });
    const template = Template.fromStack(new IngotStack(app, 'Ingot'));
    const deployedFunctions = Object.entries(template.findResources('AWS::Lambda::Function'));
    const [, api] = deployedFunctions.find(([id]) => id.startsWith('baremetalapi'))!;
    const { Variables: deployed } = (api['Properties'] as { Environment: { Variables: Record<string, string> } })
      .Environment;
    const local = environmentOf('baremetal-api', onOneMachine(empty), {});
    const own = await variablesIn('functions/baremetal-api/config.ts');
    for (const name of names.filter((one) => own.includes(variableOf(one)))) {
      const expected = isKept(name) ? settings[name].default : '';
      const both = [deployed[variableOf(name)], local[variableOf(name)]];
      expect([name, ...both]).toEqual([name, expected, here[name] ?? expected]);
    }
  });

  it.each(configs)('has no default of its own in %s', async (file) => {
    const Config = await configIn(file);
    const whole = environmentWith({ INGOT_HTPASSWD: 'ann:hash' });
    expect(Config.safeParse(whole).error).toBeUndefined();
    for (const name of await variablesIn(file)) {
      if (others.includes(name)) continue;
      const { [name]: _left, ...rest } = whole;
      expect([name, Config.safeParse(rest).success]).toEqual([name, false]);
    }
  });

  it.each([
    ['workflow', 'INGOT_ERASE_DEVICES_PRIORITY'],
    ['workflow', 'INGOT_AUTOMATED_CLEAN'],
    ['bmc-proxy', 'INGOT_POLL_INTERVAL_MS'],
    ['baremetal-api', 'INGOT_SITE'],
    ['baremetal-api', 'INGOT_AUTOMATIC_LESSEE_SOURCE'],
    ['ramdisk-api', 'INGOT_AGENT_REQUIRE_TLS'],
    ['authorizer', 'INGOT_AUTH_STRATEGY'],
  ])('is never empty where that has no meaning: %s refuses to start with an empty %s', async (name, variable) => {
    const Config = await configIn(`functions/${name}/config.ts`);
    const { error } = Config.safeParse(environmentWith({ INGOT_HTPASSWD: 'ann:hash', [variable]: '' }));
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([variable]);
  });
});
