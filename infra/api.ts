/** The REST API: routes of the manifest in front of the functions, with the authorizer where a route asks for it. */
import { Duration, Stack } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  EndpointType,
  IdentitySource,
  LambdaIntegration,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  type MethodOptions,
  RequestAuthorizer,
  ResponseType,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

import { listNetworks } from '../layers/bmc/networks.ts';
import { tooLargeBody } from './body-limit.ts';
import { type Challenge, challengeOf } from './challenge.ts';
import type { Context } from './context.ts';
import type { Lambda } from './lambda.ts';
import { type FunctionName, type RouteRow, routes } from './manifest.ts';
import { otherMethodBody } from './other-method.ts';
import type { Settings } from './settings.ts';

/** Not v1: clients cut a trailing /v1 off the endpoint they are given (ironic-clients 2). */
const stageName = 'api';

/** Unauthenticated agents get a small share of the API, so that they cannot starve operators. */
const ramdiskThrottle: MethodDeploymentOptions = { throttlingRateLimit: 50, throttlingBurstLimit: 100 };

const isPublic = ({ function: name }: RouteRow): boolean => name === 'ramdisk-api';

/** A route as policies name it: any stage, and any node. */
const policyResource = ({ method, path }: RouteRow): string =>
  `execute-api:/*/${method ?? '*'}${path.replaceAll(/\{[^}]+\}/g, '*')}`;

/**
 * Who may call at all: everybody, whom the authorizer then looks at, or with PRIVATE the given VPC endpoints only. The
 * routes that ask for no password are for agent_networks; the function checks the same, so that one mistake is not two.
 */
const resourcePolicy = ({ endpoint_type, vpc_endpoint_ids }: Context, agentNetworks: readonly string[]) => {
  const isPrivate = endpoint_type === 'PRIVATE';
  const statement = { principals: [new AnyPrincipal()], actions: ['execute-api:Invoke'] };
  return new PolicyDocument({
    statements: [
      new PolicyStatement({
        ...statement,
        effect: Effect.ALLOW,
        resources: ['execute-api:/*'],
        ...(isPrivate && { conditions: { StringEquals: { 'aws:SourceVpce': vpc_endpoint_ids } } }),
      }),
      new PolicyStatement({
        ...statement,
        effect: Effect.DENY,
        resources: routes.filter(isPublic).map(policyResource),
        conditions: { NotIpAddress: { [isPrivate ? 'aws:VpcSourceIp' : 'aws:SourceIp']: agentNetworks } },
      }),
    ],
  });
};

export type ApiOptions = {
  readonly context: Context;
  readonly settings: Settings;
  readonly functions: Record<FunctionName, Lambda>;
};

export class Api extends Construct {
  readonly rest: RestApi;

  constructor(scope: Construct, id: string, { context, settings, functions }: ApiOptions) {
    super(scope, id);
    const isPrivate = context.endpoint_type === 'PRIVATE';
    const publicMethods = routes.filter(isPublic).map(({ path, method }) => `${path}/${method ?? 'ANY'}`);
    this.rest = new RestApi(this, 'Rest', {
      restApiName: context.stack_name,
      description: 'Ingot: OpenStack Bare Metal API v1',
      endpointConfiguration: { types: [isPrivate ? EndpointType.PRIVATE : EndpointType.REGIONAL] },
      policy: resourcePolicy(context, listNetworks('agent_networks', settings.agent_networks)),
      cloudWatchRole: true,
      // Boot images and configdrives are JSON text; nothing is sent as binary.
      deployOptions: {
        stageName,
        tracingEnabled: true,
        metricsEnabled: true,
        loggingLevel: MethodLoggingLevel.ERROR,
        // Bodies carry passwords and configdrives.
        dataTraceEnabled: false,
        accessLogDestination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLog', { retention: RetentionDays.THREE_MONTHS }),
        ),
        accessLogFormat: AccessLogFormat.jsonWithStandardFields(),
        throttlingRateLimit: 500,
        throttlingBurstLimit: 1000,
        methodOptions: Object.fromEntries(publicMethods.map((method) => [method, ramdiskThrottle])),
      },
    });
    const challenge = challengeOf(settings);
    this.addRoutes(functions, challenge);
    this.answerStrangers(challenge);
    this.answerLargeBodies();
    this.answerOtherMethods();
  }

  /** Without a trailing slash. Spelt out of the API's id: the stage's own URL waits for functions that are told this one. */
  get endpoint(): string {
    const { region, urlSuffix } = Stack.of(this);
    return `https://${this.rest.restApiId}.execute-api.${region}.${urlSuffix}/${stageName}`;
  }

  /** What API Gateway says of a path whose methods are others; every path has some. */
  private answerOtherMethods(): void {
    this.rest.addGatewayResponse('OtherMethod', {
      type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
      statusCode: '405',
      templates: { 'application/json': JSON.stringify(otherMethodBody) },
    });
  }

  /** Beyond its own 10 MB, and for the 413 of a Lambda that takes 6 MB. */
  private answerLargeBodies(): void {
    this.rest.addGatewayResponse('TooLarge', {
      type: ResponseType.REQUEST_TOO_LARGE,
      statusCode: '413',
      templates: { 'application/json': JSON.stringify(tooLargeBody) },
    });
  }

  /**
   * The answer to a caller whom the authorizer does not know, and to everybody while it can not tell: an authorizer
   * that fails lets nobody in, and clients try a 503 again.
   */
  private answerStrangers({ challenge, error }: Challenge): void {
    this.rest.addGatewayResponse('Unauthorized', {
      type: ResponseType.UNAUTHORIZED,
      statusCode: '401',
      responseHeaders: { 'WWW-Authenticate': `'${challenge}'` },
      templates: { 'application/json': JSON.stringify({ error }) },
    });
    const fault = {
      faultcode: 'Server',
      faultstring: 'It can not be found out who calls. Try again.',
      debuginfo: null,
    };
    this.rest.addGatewayResponse('AuthorizerFailure', {
      type: ResponseType.AUTHORIZER_FAILURE,
      statusCode: '503',
      templates: { 'application/json': JSON.stringify({ error_message: JSON.stringify(fault) }) },
    });
  }

  private addRoutes(functions: Record<FunctionName, Lambda>, { header }: Challenge): void {
    const authorizer = new RequestAuthorizer(this, 'Authorizer', {
      handler: functions.authorizer.function,
      identitySources: [IdentitySource.header(header)],
      resultsCacheTtl: Duration.minutes(5),
    });
    for (const { path, method = 'ANY', function: name, authorize } of routes) {
      const resource = this.rest.root.resourceForPath(path);
      const options: MethodOptions = authorize
        ? { authorizer, authorizationType: AuthorizationType.CUSTOM }
        : { authorizationType: AuthorizationType.NONE };
      resource.addMethod(method, new LambdaIntegration(functions[name].function), options);
    }
  }
}
