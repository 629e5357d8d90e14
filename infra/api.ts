/** One API of the manifest: its routes in front of the functions, with the authorizer where a route asks for it. */
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
import type { Content } from '../layers/http/protocol.ts';
import { partsOf } from '../layers/http/tree.ts';
import { tooLarge } from './body-limit.ts';
import { type Challenge, challengeOf } from './challenge.ts';
import type { Context } from './context.ts';
import type { Lambda } from './lambda.ts';
import type { ApiRow, FunctionName, RouteRow } from './manifest.ts';
import { bodyOf, notToldWho, otherMethod, strangerBody } from './refusals.ts';
import type { Settings } from './settings.ts';

/** Who proves nothing gets a small share of the API, and cannot starve who does. */
const strangersThrottle: MethodDeploymentOptions = { throttlingRateLimit: 50, throttlingBurstLimit: 100 };

/**
 * A line for each request. `principal` is who the authorizer says calls (`admit` of functions/authorizer/identity.ts), never a
 * credential; the errors tell why somebody was not let in, or not answered. Neither query nor body: they may hold secrets.
 */
const accessLog = AccessLogFormat.custom(
  JSON.stringify({
    requestId: '$context.requestId',
    ip: '$context.identity.sourceIp',
    principal: '$context.authorizer.principalId',
    project: '$context.authorizer.project',
    requestTime: '$context.requestTime',
    httpMethod: '$context.httpMethod',
    path: '$context.path',
    resourcePath: '$context.resourcePath',
    protocol: '$context.protocol',
    status: '$context.status',
    responseLength: '$context.responseLength',
    responseLatency: '$context.responseLatency',
    authorizerStatus: '$context.authorizer.status',
    authorizerError: '$context.authorizer.error',
    error: '$context.error.message',
    integrationError: '$context.integration.error',
  }),
);

const everyMethod = 'ANY';

/** A route as policies name it: any stage, and anything for a parameter. */
const policyResource = ({ at }: RouteRow): string => {
  const { method, path } = partsOf(at);
  return `execute-api:/*/${method === everyMethod ? '*' : method}${path.replaceAll(/\{[^}]+\}/g, '*')}`;
};

/**
 * Who may call at all: everybody, whom the authorizer then looks at, or with PRIVATE the given VPC endpoints only. The
 * routes that ask for no password are for the networks of a setting; the function checks the same, so that one mistake
 * is not two.
 */
const resourcePolicy = (
  routes: readonly RouteRow[],
  { endpoint_type, vpc_endpoint_ids }: Context,
  settings: Settings,
) => {
  const isPrivate = endpoint_type === 'PRIVATE';
  const statement = { principals: [new AnyPrincipal()], actions: ['execute-api:Invoke'] };
  const names = new Set(routes.flatMap(({ networks }) => networks ?? []));
  return new PolicyDocument({
    statements: [
      new PolicyStatement({
        ...statement,
        effect: Effect.ALLOW,
        resources: ['execute-api:/*'],
        ...(isPrivate && { conditions: { StringEquals: { 'aws:SourceVpce': vpc_endpoint_ids } } }),
      }),
      ...[...names].map(
        (name) =>
          new PolicyStatement({
            ...statement,
            effect: Effect.DENY,
            resources: routes.filter(({ networks }) => networks === name).map(policyResource),
            conditions: {
              NotIpAddress: { [isPrivate ? 'aws:VpcSourceIp' : 'aws:SourceIp']: listNetworks(name, settings[name]) },
            },
          }),
      ),
    ],
  });
};

export type ApiOptions = {
  readonly row: ApiRow;
  readonly name: string;
  /** API Gateway writes logs by one role an account and region: one of the APIs brings it. */
  readonly cloudWatchRole: boolean;
  readonly context: Context;
  readonly settings: Settings;
  readonly functions: Record<FunctionName, Lambda>;
};

export class Api extends Construct {
  readonly rest: RestApi;
  readonly accessLog: LogGroup;
  private readonly stageName: string;

  constructor(scope: Construct, id: string, options: ApiOptions) {
    super(scope, id);
    const { row, name, cloudWatchRole, context, settings, functions } = options;
    const { routes, stage, protocol } = row;
    this.stageName = stage;
    const isPrivate = context.endpoint_type === 'PRIVATE';
    // API Gateway takes bodies for text unless it is told; JSON and text are.
    const binary = protocol.takes.filter((type) => !/^text\/|json$/.test(type));
    const open = routes.filter(({ networks }) => networks !== undefined).map(({ at }) => partsOf(at));
    this.accessLog = new LogGroup(this, 'AccessLog', { retention: RetentionDays.THREE_MONTHS });
    this.rest = new RestApi(this, 'Rest', {
      restApiName: name,
      description: `Ingot: ${row.doc}`,
      endpointConfiguration: { types: [isPrivate ? EndpointType.PRIVATE : EndpointType.REGIONAL] },
      policy: resourcePolicy(routes, context, settings),
      cloudWatchRole,
      ...(binary.length > 0 && { binaryMediaTypes: binary }),
      deployOptions: {
        stageName: stage,
        tracingEnabled: true,
        // Metrics a method cost as much as an alarm each, and the access log has all that they tell.
        metricsEnabled: false,
        loggingLevel: MethodLoggingLevel.ERROR,
        // Bodies carry passwords.
        dataTraceEnabled: false,
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat: accessLog,
        throttlingRateLimit: 500,
        throttlingBurstLimit: 1000,
        methodOptions: Object.fromEntries(open.map(({ method, path }) => [`${path}/${method}`, strangersThrottle])),
      },
    });
    const challenge = row.challenge === null ? undefined : challengeOf(settings, row.challenge);
    this.addRoutes(routes, functions, challenge);
    if (challenge) this.answerStrangers(row, challenge);
    // Beyond its own 10 MB, and for the 413 of a Lambda that takes 6 MB.
    this.answer('TooLarge', ResponseType.REQUEST_TOO_LARGE, 413, bodyOf(protocol, tooLarge(protocol)));
    // What API Gateway says of a path whose methods are others; every path has some.
    this.answer('OtherMethod', ResponseType.MISSING_AUTHENTICATION_TOKEN, 405, bodyOf(protocol, otherMethod()));
  }

  /** Without a trailing slash. Spelt out of the API's id: the stage's own URL waits for functions that are told this one. */
  get endpoint(): string {
    const { region, urlSuffix } = Stack.of(this);
    return `https://${this.rest.restApiId}.execute-api.${region}.${urlSuffix}/${this.stageName}`;
  }

  /** What API Gateway says by itself. */
  private answer(
    id: string,
    type: ResponseType,
    status: number,
    body: Content,
    headers?: Record<string, string>,
  ): void {
    this.rest.addGatewayResponse(id, {
      type,
      statusCode: String(status),
      ...(headers && { responseHeaders: headers }),
      // A template goes by the type alone.
      templates: { [body.type.split(';')[0]!]: body.text },
    });
  }

  /** To a caller whom the authorizer does not know, and to everybody while it can not tell. */
  private answerStrangers({ protocol }: ApiRow, challenge: Challenge): void {
    this.answer('Unauthorized', ResponseType.UNAUTHORIZED, 401, strangerBody(protocol, challenge), {
      'WWW-Authenticate': `'${challenge.challenge}'`,
    });
    // One that throws, or is out of time, is badly configured in API Gateway's eyes.
    this.answer('AuthorizerFailure', ResponseType.AUTHORIZER_FAILURE, 503, bodyOf(protocol, notToldWho()));
    const broken = ResponseType.AUTHORIZER_CONFIGURATION_ERROR;
    this.answer('AuthorizerBroken', broken, 503, bodyOf(protocol, notToldWho()));
  }

  private addRoutes(
    routes: readonly RouteRow[],
    functions: Record<FunctionName, Lambda>,
    challenge: Challenge | undefined,
  ): void {
    const authorizer =
      challenge &&
      new RequestAuthorizer(this, 'Authorizer', {
        handler: functions.authorizer.live,
        identitySources: [IdentitySource.header(challenge.header)],
        resultsCacheTtl: Duration.minutes(5),
      });
    for (const { at, function: name, authorize } of routes) {
      const { method, path } = partsOf(at);
      const resource = this.rest.root.resourceForPath(path);
      if (authorize && !authorizer) throw new Error(`${at} asks who calls, but its API has no challenge.`);
      const options: MethodOptions = authorize
        ? { authorizer: authorizer!, authorizationType: AuthorizationType.CUSTOM }
        : { authorizationType: AuthorizationType.NONE };
      resource.addMethod(method, new LambdaIntegration(functions[name].live), options);
    }
  }
}
