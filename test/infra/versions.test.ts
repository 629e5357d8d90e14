/** A new version beside runs of the one before: who calls which, what is kept, and how the new one takes over. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, it } from 'vitest';

import { functions, keeperNames, workflows } from '../../infra/manifest.ts';
import { IngotStack } from '../../infra/stack.ts';
import type { Json } from '../../local/states/expression.ts';
import { createVirtualTimers } from '../local/states/virtual-timers.ts';
import { callOf, createWorld, machineOf, waitOf } from '../local/states/world.ts';

type Resource = {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DependsOn?: string[];
  readonly UpdatePolicy?: object;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
};

const synthesise = (context: Record<string, string> = {}) => {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...context } });
  return Template.fromStack(new IngotStack(app, 'Ingot')).toJSON()['Resources'] as Record<string, Resource>;
};

/** As a change of the code does, they make another version of every function that has settings. */
const changes = {
  bmc_read_timeout_ms: '50000',
  boot_image_networks: '10.0.0.0/8',
  deployment: 'ALL_AT_ONCE',
  oidc_audience: 'metal',
  power_state_sync_max_retries: '4',
  public_endpoint: 'https://metal.example',
  server_shutdown_timeout: '90',
};
const [before, after] = [synthesise(), synthesise(changes)];

const ofType = (resources: typeof before, type: string) =>
  Object.entries(resources).filter(([, resource]) => resource.Type === type);
const idOf = (name: string) => name.replaceAll('-', '');
const versionOf = (resources: typeof before, name: string): string =>
  ofType(resources, 'AWS::Lambda::Version').find(([id]) => id.startsWith(`${idOf(name)}FunctionCurrentVersion`))![0];
const names = Object.keys(functions);
/** What they are made of is their code alone. */
const withoutSettings = ['events', 'server-sync', 'sync'];

const folder = mkdtempSync(join(tmpdir(), 'ingot-versions-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a version', () => {
  it('is another one after a change, and the one before is kept', () => {
    for (const name of names) {
      const isChanged = versionOf(after, name) !== versionOf(before, name);
      expect([name, isChanged]).toEqual([name, !withoutSettings.includes(name)]);
    }
    for (const type of ['AWS::Lambda::Version', 'AWS::StepFunctions::StateMachineVersion']) {
      const found = ofType(before, type);
      expect([type, found.length]).toEqual([
        type,
        type.includes('Lambda') ? names.length : Object.keys(workflows).length,
      ]);
      for (const [, resource] of found) {
        expect(resource).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
      }
    }
  });

  it('is what state machines call, and functions by other functions', () => {
    for (const resources of [before, after]) {
      for (const [, { Properties }] of ofType(resources, 'AWS::StepFunctions::StateMachine')) {
        const { workflow, server_workflow: server } = Properties['DefinitionSubstitutions'] as Record<string, unknown>;
        const called = workflow ? 'workflow' : 'server-workflow';
        expect(workflow ?? server).toEqual({ Ref: versionOf(resources, called) });
      }
      const [, { Properties }] = ofType(resources, 'AWS::Lambda::Function').find(([id]) => id.startsWith('workflowF'))!;
      const { Variables } = Properties['Environment'] as { Variables: Record<string, unknown> };
      expect(Variables['FUNCTION_BMC_PROXY']).toEqual({ Ref: versionOf(resources, 'bmc-proxy') });
    }
  });

  it('whose phases have other names strands no run of the one before', async () => {
    /** A function of a version knows the phases of its version; it answers which one it is. */
    const runner = (id: string, ...phases: string[]) => ({
      [id]: (payload: Json) => {
        const { phase } = payload as { phase?: string };
        if (phase === undefined || phases.includes(phase)) return { by: id };
        throw Object.assign(new Error(`There is no phase ${phase}.`), { name: 'PhaseUnknown' });
      },
    });
    /** The story of a run that waits, with the function that the template has for it. */
    const machineWith = (resources: typeof before, phase: string) => {
      const [, { Properties }] = ofType(resources, 'AWS::StepFunctions::StateMachine').find(
        ([, one]) => one.Properties['StateMachineName'] === 'ingot-deploy',
      )!;
      const { workflow } = Properties['DefinitionSubstitutions'] as { workflow: { Ref: string } };
      const Arguments = { FunctionName: workflow.Ref, Payload: { phase } };
      const deploy = machineOf({
        WaitForAgent: waitOf(workflow.Ref, { Next: phase }),
        [phase]: { ...callOf(workflow.Ref, { Output: '{% $states.result.Payload %}', End: true }), Arguments },
      });
      return { id: workflow.Ref, machines: { deploy } };
    };
    const [old, young] = [machineWith(before, 'WriteImage'), machineWith(after, 'PutImage')];
    const script = { ...runner(old.id, 'WriteImage'), ...runner(young.id, 'PutImage') };
    const common = { script, journal: join(folder, 'journal.db'), timers: createVirtualTimers() };

    const first = await createWorld({ ...common, machines: old.machines });
    await first.states.start('deploy', 'old', {});
    await first.settle();
    const { token } = first.calls[0]!.payload as { token: string };
    first.kill();
    const second = await createWorld({ ...common, machines: young.machines });
    await second.states.succeed(token, {});
    await second.settle();
    expect(await second.outcome('deploy', 'old')).toMatchObject({ status: 'SUCCEEDED', output: { by: old.id } });

    await second.states.start('deploy', 'new', {});
    await second.settle();
    const told = second.calls.findLast(({ name }) => name === young.id)!.payload as { token: string };
    await second.states.succeed(told.token, {});
    await second.settle();
    expect(await second.outcome('deploy', 'new')).toMatchObject({ status: 'SUCCEEDED', output: { by: young.id } });
  });

  it('may be called by those made with it, whichever is the newest', () => {
    const [, ofWorkflow] = ofType(before, 'AWS::IAM::Policy').find(([id]) => id.startsWith('workflowFunctionService'))!;
    expect(JSON.stringify(ofWorkflow)).toMatch(/\["bmcproxyFunction\w+","Arn"\]\},":\*"\]/);
  });
});

describe('whoever comes from outside', () => {
  it('is led to the live version: API Gateway, rules, and the stream', () => {
    const live = ofType(before, 'AWS::Lambda::Alias').map(([id]) => id);
    expect(live).toHaveLength(names.length);
    const callers = ['AWS::ApiGateway::Method', 'AWS::ApiGateway::Authorizer', 'AWS::Events::Rule'];
    const leading = [...callers, 'AWS::Lambda::EventSourceMapping'].flatMap((type) => ofType(before, type));
    for (const [id, { Properties }] of leading) {
      expect([id, live.some((alias) => JSON.stringify(Properties).includes(`"${alias}"`))]).toEqual([id, true]);
    }
  });

  it('comes to a new version little by little, and back from it when an alarm rings', () => {
    const groups = ofType(before, 'AWS::CodeDeploy::DeploymentGroup');
    expect(groups.map(([id]) => id.replace(/^Rollout(.*)[0-9A-F]{8}$/, '$1')).toSorted()).toEqual(
      ['authorizer', 'baremetalapi', 'computeapi', 'imageapi', 'networkapi', 'ramdiskapi'].toSorted(),
    );
    for (const [id, { Properties }] of groups) {
      expect([id, Properties]).toMatchObject([
        id,
        {
          AutoRollbackConfiguration: {
            Enabled: true,
            Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
          },
          DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
        },
      ]);
      const { Alarms } = Properties['AlarmConfiguration'] as { Alarms: { Name: { Ref: string } }[] };
      expect(Alarms.map(({ Name }) => Name.Ref.replace(/[0-9A-F]{8}$/, ''))).toEqual([
        'Alarmsapierrors',
        'Alarmsapifailing',
      ]);
    }
    const shifted = ofType(before, 'AWS::Lambda::Alias').filter(([, { UpdatePolicy }]) => UpdatePolicy !== undefined);
    expect(shifted).toHaveLength(groups.length);
    for (const [, { Properties }] of ofType(after, 'AWS::CodeDeploy::DeploymentGroup')) {
      expect(Properties['DeploymentConfigName']).toBe('CodeDeployDefault.LambdaAllAtOnce');
    }
  });

  it('is served by one version of all when runs are looked after by the next, which may change tables', () => {
    const aliases = ofType(before, 'AWS::Lambda::Alias');
    const isKeeper = (id: string) => keeperNames.some((name) => id.startsWith(`${idOf(name)}Live`));
    const others = aliases.map(([id]) => id).filter((id) => !isKeeper(id));
    expect(others).toHaveLength(names.length - keeperNames.length);
    for (const [id, { DependsOn }] of aliases.filter(([one]) => isKeeper(one))) {
      expect([id, DependsOn]).toEqual([id, expect.arrayContaining(others)]);
    }
  });
});
