/** How the template differs by auth_strategy. */
import { App } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';

import { IngotStack } from '../../infra/stack.ts';

const synthesise = (context: Record<string, unknown> = {}) => {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...context } });
  return Template.fromStack(new IngotStack(app, 'Ingot'));
};

const responses = (template: Template, type: string) =>
  Object.values(template.findResources('AWS::ApiGateway::GatewayResponse', { Properties: { ResponseType: type } })).map(
    ({ Properties }) => Properties as { StatusCode: string; ResponseParameters?: object; ResponseTemplates: object },
  );

const identity = (template: Template) =>
  Object.values(template.findResources('AWS::ApiGateway::Authorizer'))[0]!['Properties'] as { IdentitySource: string };

describe.each([
  [{}, 'method.request.header.Authorization', `'Basic realm="Baremetal API"'`],
  [{ auth_strategy: 'oidc' }, 'method.request.header.Authorization', `'Bearer realm="Baremetal API"'`],
  [
    { auth_strategy: 'keystone', keystone_auth_url: 'https://id.example', keystone_credentials: '/ingot/keystone' },
    'method.request.header.X-Auth-Token',
    `'Keystone uri="https://id.example"'`,
  ],
])('with %o', (context, source, challenge) => {
  const template = synthesise(context);

  it('callers are known by the header of their credentials, and told so', () => {
    expect(identity(template).IdentitySource).toBe(source);
    const [stranger] = responses(template, 'UNAUTHORIZED');
    expect(stranger!.StatusCode).toBe('401');
    expect(JSON.stringify(stranger!.ResponseParameters)).toContain(JSON.stringify(challenge).slice(1, -1));
  });

  it.each(['AUTHORIZER_FAILURE', 'AUTHORIZER_CONFIGURATION_ERROR'])(
    'an authorizer that fails lets nobody in: 503, as JSON (%s)',
    (type) => {
      const [failure] = responses(template, type);
      expect(failure!.StatusCode).toBe('503');
      const [body] = Object.values(failure!.ResponseTemplates) as string[];
      const { error_message: inner } = JSON.parse(body!) as { error_message: string };
      expect(JSON.parse(inner)).toMatchObject({ faultcode: 'Server' });
    },
  );
});

/** The policies that let a function read parameters, by the start of its name. */
const reads = (template: Template) =>
  Object.entries(
    template.findResources('AWS::IAM::Policy', {
      Properties: {
        PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: 'ssm:GetParameter' })]) },
      },
    }),
  ).map(([id, policy]) => [id.replace(/Function.*/, ''), JSON.stringify(policy)] as const);

it.each([
  ['the service account of Keystone', 'keystone_credentials', ['authorizer']],
  ['what is proved to the Bare Metal API', 'baremetal_credentials', ['computeapi', 'serverworkflow']],
  ['what is proved to the Image API', 'image_credentials', ['workflow']],
])('the parameter with %s is read by who needs it, and no other parameter by anybody', (_what, setting, names) => {
  expect(reads(synthesise())).toEqual([]);
  for (const parameter of ['/ingot/one', 'one']) {
    const granted = reads(synthesise({ [setting]: parameter }));
    expect(granted.map(([reader]) => reader)).toEqual(names);
    for (const [, policy] of granted) {
      expect(policy).toContain(`:parameter/${parameter.replace(/^\//, '')}`);
      expect(policy).not.toContain('parameter/*');
    }
  }
});

const variableOf = (template: Template, name: string, variable: string): string => {
  const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
  const [, found] = functions.find(([id]) => id.startsWith(`${name}Function`))!;
  const { Variables } = found['Properties'].Environment as { Variables: Record<string, unknown> };
  return JSON.stringify(Variables[variable]);
};

it('users who are kept in parameters are read by the authorizer, which is told where they are', () => {
  const template = synthesise({ users_path: '/metal/users' });
  const [[reader, policy], ...others] = reads(template) as [readonly [string, string]];
  expect([reader, others]).toEqual(['authorizer', []]);
  expect(policy).toContain(':parameter/metal/users/*');
  expect(variableOf(template, 'authorizer', 'INGOT_USERS_PATH')).toBe('"/metal/users"');
  expect(variableOf(template, 'baremetalapi', 'INGOT_USERS_PATH')).toBeUndefined();
});

describe('who calls an API as its client', () => {
  it('is told where that of this deployment is, unless it calls its function', () => {
    const template = synthesise();
    const own = /"ApiRest[^]*execute-api[^]*\/api"/;
    expect(variableOf(template, 'computeapi', 'INGOT_BAREMETAL_ENDPOINT')).toMatch(own);
    expect(variableOf(template, 'workflow', 'INGOT_IMAGE_ENDPOINT')).toBe('""');
    expect(variableOf(template, 'workflow', 'FUNCTION_IMAGE_API')).toContain('imageapiFunction');
    expect(variableOf(template, 'networkapi', 'INGOT_BAREMETAL_ENDPOINT')).toBeUndefined();
  });

  it('is told of another if the operator names one', () => {
    const template = synthesise({
      baremetal_endpoint: 'https://ironic.test',
      image_endpoint: 'https://glance.test',
      public_endpoint: 'https://cloud.test',
    });
    expect(variableOf(template, 'computeapi', 'INGOT_BAREMETAL_ENDPOINT')).toBe('"https://ironic.test"');
    expect(variableOf(template, 'workflow', 'INGOT_IMAGE_ENDPOINT')).toBe('"https://glance.test"');
  });
});

describe('the synthesis says what is missing', () => {
  const warnings = (context: Record<string, unknown>): string[] => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...context } });
    const stack = new IngotStack(app, 'Ingot');
    return Annotations.fromStack(stack)
      .findWarning('*', Match.stringLikeRegexp('.'))
      .map(({ entry }) => JSON.stringify(entry.data));
  };

  it.each([
    ['nobody who could call', {}, 'nobody will be able to call'],
    ['no agents', {}, 'agent_networks is empty'],
    ['no credential for the Bare Metal API', {}, 'baremetal_credentials names no SSM parameter'],
    ['APIs that cannot be reached', { endpoint_type: 'PRIVATE', vpc_endpoint_ids: 'vpce-1' }, 'outside any VPC'],
  ])('%s', (_what, context, words) => {
    expect(warnings(context).join('\n')).toContain(words);
  });

  it('and nothing if nothing is', () => {
    const whole = { auth_strategy: 'oidc', agent_networks: '192.0.2.0/24', baremetal_credentials: '/ingot/service' };
    expect(warnings(whole)).toEqual([]);
  });
});
