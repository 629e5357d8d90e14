/** What one more row in `apis` of the manifest makes: an API of its own on AWS. On one machine: test/local/gateway/apis.test.ts. */
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';

import { type ApiRow, apis } from '../../infra/manifest.ts';
import { IngotStack } from '../../infra/stack.ts';
import { samples } from './samples.ts';

type Resource = { readonly Type: string; readonly Properties: Record<string, unknown> };

const synthesise = (more: Readonly<Record<string, ApiRow>>) => {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
  return Template.fromStack(new IngotStack(app, 'Ingot', { apis: { ...apis, ...more } }));
};
const resourcesOf = (template: Template) => template.toJSON()['Resources'] as Record<string, Resource>;

const template = synthesise(samples);
const resources = resourcesOf(template);
/** Of one API: their logical ids begin with the name of its construct. */
const of = (api: string, type: string) =>
  Object.entries(resources)
    .filter(([id, { Type }]) => id.startsWith(api) && Type === `AWS::ApiGateway::${type}`)
    .map(([, { Properties }]) => Properties);
const responses = (api: string) =>
  Object.fromEntries(
    of(api, 'GatewayResponse').map(({ ResponseType: type, ResponseTemplates: templates }) => [type, templates]),
  ) as Record<string, Record<string, string>>;

describe('an API that a row adds', () => {
  it('has its routes, its stage and its own name', () => {
    expect(of('LampsApi', 'RestApi')).toMatchObject([{ Name: 'ingot-lamps', Description: 'Ingot: Lamps v2' }]);
    expect(of('LampsApi', 'Stage')).toMatchObject([{ StageName: 'lamps' }]);
    const methods = of('LampsApi', 'Method').map(({ HttpMethod, AuthorizationType }) => [
      HttpMethod,
      AuthorizationType,
    ]);
    expect(methods).toEqual([
      ['ANY', 'NONE'],
      ['ANY', 'CUSTOM'],
    ]);
    expect(of('LampsApi', 'Resource').map(({ PathPart }) => PathPart)).toEqual(['v2', '{proxy+}']);
    expect(Object.keys(template.findOutputs('*'))).toEqual(expect.arrayContaining(['Endpoint', 'LampsEndpoint']));
  });

  it('refuses in the words of its protocol what no function is asked', () => {
    const said = responses('LampsApi');
    expect(Object.keys(said).sort()).toEqual([
      'AUTHORIZER_CONFIGURATION_ERROR',
      'AUTHORIZER_FAILURE',
      'MISSING_AUTHENTICATION_TOKEN',
      'REQUEST_TOO_LARGE',
      'UNAUTHORIZED',
    ]);
    expect(JSON.parse(said['REQUEST_TOO_LARGE']!['application/json']!)).toEqual({
      lampFault: { code: 413, message: 'Request body too large: at most 6 MB can be sent.', by: 'gateway' },
    });
    expect(responses('FilesApi')['MISSING_AUTHENTICATION_TOKEN']).toEqual({
      'text/plain': '405 This method is not possible at this path.\n',
    });
  });

  it('asks nobody who he is if it has no challenge, keeps strangers out and small, and takes bytes', () => {
    expect(of('FilesApi', 'Authorizer')).toEqual([]);
    expect(Object.keys(responses('FilesApi'))).not.toContain('UNAUTHORIZED');
    const [{ Policy, BinaryMediaTypes } = {}] = of('FilesApi', 'RestApi');
    expect(JSON.stringify(Policy)).toContain('execute-api:/*/PUT/latest/file');
    expect(BinaryMediaTypes).toEqual(['application/octet-stream']);
    const [{ MethodSettings } = {}] = of('FilesApi', 'Stage');
    expect(MethodSettings).toContainEqual(expect.objectContaining({ HttpMethod: 'PUT', ThrottlingRateLimit: 50 }));
  });

  it('changes nothing of what was there', () => {
    for (const [id, resource] of Object.entries(resourcesOf(synthesise({})))) {
      // Its functions are then among those that APIs lead to, whose errors are counted apart.
      if (resource.Type === 'AWS::Logs::MetricFilter') continue;
      const { Type, Properties } = resources[id]!;
      expect([id, Type, Properties]).toEqual([id, resource.Type, resource.Properties]);
    }
    // The role by which API Gateway writes logs is one an account.
    expect(Object.values(resources).filter(({ Type }) => Type === 'AWS::ApiGateway::Account')).toHaveLength(1);
  });

  it('that asks who calls without saying how stops the synth', () => {
    const lamps = { ...samples.lamps, challenge: null };
    expect(() => synthesise({ lamps })).toThrow('ANY /v2/{proxy+} asks who calls, but its API has no challenge.');
  });
});
