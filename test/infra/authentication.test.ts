/** How the template differs by auth_strategy. */
import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
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

  it('an authorizer that fails lets nobody in: 503, as JSON', () => {
    const [failure] = responses(template, 'AUTHORIZER_FAILURE');
    expect(failure!.StatusCode).toBe('503');
    const [body] = Object.values(failure!.ResponseTemplates) as string[];
    const { error_message: inner } = JSON.parse(body!) as { error_message: string };
    expect(JSON.parse(inner)).toMatchObject({ faultcode: 'Server' });
  });
});

it('the authorizer may read the one parameter of the service account, and only with keystone', () => {
  const reads = (template: Template) =>
    template.findResources('AWS::IAM::Policy', {
      Properties: {
        PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: 'ssm:GetParameter' })]) },
      },
    });
  expect(reads(synthesise())).toEqual({});
  const granted = Object.entries(reads(synthesise({ keystone_credentials: '/ingot/keystone' })));
  expect(granted).toHaveLength(1);
  expect(granted[0]![0]).toMatch(/^authorizer/);
  const text = JSON.stringify(granted[0]![1]);
  expect(text).toContain(':parameter/ingot/keystone');
  expect(text).not.toContain('parameter/*');
});
