/** What the stack costs when nothing happens, by the list prices of docs/aws.md, which says so as well. */
import { readFileSync } from 'node:fs';

import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';

import { keeperNames } from '../../infra/manifest.ts';
import { IngotStack } from '../../infra/stack.ts';

const synthesise = (context: Record<string, string>) => {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...context } });
  return Template.fromStack(new IngotStack(app, 'Ingot'));
};
const theirs = { vpc_id: 'vpc-1', subnet_ids: 'subnet-1', availability_zones: 'eu-central-1a' };
const template = synthesise(theirs);

const all = (type: string): Record<string, unknown>[] =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties as Record<string, unknown>);

const alarms = all('AWS::CloudWatch::Alarm') as { Metrics?: { MetricStat?: object }[] }[];
const metrics = alarms.flatMap(({ Metrics }) => (Metrics ? Metrics.filter(({ MetricStat }) => MetricStat) : [{}]));
const keys = all('AWS::KMS::Key');

/** Dollars. */
const price = { key: 1, metric: 0.1, invocation: 0.2e-6, second: 13.33e-6, read: 0.125e-6, trace: 5e-6 };
const runs = keeperNames.length * 12 * 730;
const round = { seconds: 0.3 * 0.5, reads: 16 };
const fixed = {
  keys: keys.length * price.key,
  alarms: metrics.length * price.metric,
  keepers: runs * (price.invocation + round.seconds * price.second + round.reads * price.read + price.trace),
};
const sum = fixed.keys + fixed.alarms + fixed.keepers;

const guide = readFileSync(new URL('../../docs/aws.md', import.meta.url), 'utf8');

describe('a month of rest', () => {
  it('costs five dollars at most where the VPC is there already', () => {
    expect(sum).toBeLessThanOrEqual(5);
  });

  it('costs what the guide says', () => {
    expect(guide).toMatch(new RegExp(`^\\| ${keys.length} keys;.*\\| ${fixed.keys.toFixed(2)} +\\|$`, 'm'));
    expect(guide).toMatch(
      new RegExp(
        `^\\| ${alarms.length} alarms of ${metrics.length} metrics;.*\\| ${fixed.alarms.toFixed(2)} +\\|$`,
        'm',
      ),
    );
    expect(guide).toContain(`${runs.toLocaleString('en')} runs`);
    expect(guide).toMatch(new RegExp(`^\\| \\*\\*fixed\\*\\* +\\| \\*\\*about ${sum.toFixed(2)}\\*\\*`, 'm'));
  });

  it('has nothing else in it that is paid by the month', () => {
    const types = Object.values(template.toJSON()['Resources'] as Record<string, { Type: string }>);
    const paid =
      /VPCEndpoint|NatGateway|::EIP|SecretsManager|CacheCluster|::WAFv2|Dashboard|CompositeAlarm|ProvisionedConcurrency|FlowLog/;
    expect(types.map(({ Type }) => Type).filter((type) => paid.test(type))).toEqual([]);
    for (const { ProvisionedConcurrencyConfig } of all('AWS::Lambda::Alias')) {
      expect(ProvisionedConcurrencyConfig).toBeUndefined();
    }
    // One metric of each method, five of them, would be as dear as an alarm each.
    for (const { MethodSettings } of all('AWS::ApiGateway::Stage')) {
      for (const { MetricsEnabled } of MethodSettings as { MetricsEnabled?: boolean }[]) {
        expect(MetricsEnabled ?? false).toBe(false);
      }
    }
  });
});
