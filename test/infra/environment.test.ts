/** Variables of functions: what Lambda takes, which no synthesis asks. */
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';

import { workflows } from '../../infra/manifest.ts';
import { IngotStack } from '../../infra/stack.ts';

const template = Template.fromStack(new IngotStack(new App({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Ingot'));

/** What Lambda takes of a function's variables, in bytes. It measures them as JSON, as its own error shows. */
const most = 4096;
/** For what operators set: networks, URLs, claims. */
const room = 900;

const pseudo: Readonly<Record<string, string>> = {
  'AWS::AccountId': '123456789012',
  'AWS::Partition': 'aws',
  'AWS::Region': 'ap-southeast-1',
  'AWS::URLSuffix': 'amazonaws.com',
};

type Value = string | { readonly [intrinsic: string]: unknown };

/** As long as AWS makes names of what has none: 64 characters at most for functions, 63 for buckets; ARNs besides. */
const resolved = (value: Value): string => {
  if (typeof value === 'string') return value;
  const [[intrinsic, of]] = Object.entries(value) as [[string, unknown]];
  if (intrinsic === 'Ref') return pseudo[of as string] ?? 'n'.repeat(64);
  if (intrinsic === 'Fn::GetAtt') return `arn:aws:lambda:ap-southeast-1:123456789012:function:${'n'.repeat(64)}`;
  if (intrinsic !== 'Fn::Join') throw new Error(`There is ${intrinsic}, whose length nobody knows here.`);
  const [separator, parts] = of as [string, readonly Value[]];
  return parts.map(resolved).join(separator);
};

const variables = Object.entries(template.findResources('AWS::Lambda::Function')).map(([id, { Properties }]) => {
  const { Environment } = Properties as { Environment?: { Variables: Readonly<Record<string, Value>> } };
  const given = Object.entries(Environment?.Variables ?? {}).map(([name, value]) => [name, resolved(value)] as const);
  return [id.replace(/Function.*/, ''), Object.fromEntries(given)] as const;
});

it.each(variables)('those of %s leave room for what operators set', (_name, environment) => {
  expect(Buffer.byteLength(JSON.stringify(environment))).toBeLessThan(most - room);
});

it('name the machine of each workflow', () => {
  const machines = Object.values(template.findResources('AWS::StepFunctions::StateMachine'));
  const names = machines.map(({ Properties }) => (Properties as { StateMachineName: string }).StateMachineName);
  const told = variables.flatMap(([, { WORKFLOW_ARNS }]) => WORKFLOW_ARNS ?? []);
  expect(new Set(told)).toEqual(
    new Set([`arn:aws:states:ap-southeast-1:123456789012:stateMachine:ingot-{${Object.keys(workflows).join(',')}}`]),
  );
  expect(names.toSorted()).toEqual(
    Object.keys(workflows)
      .map((name) => `ingot-${name}`)
      .toSorted(),
  );
});
