/** Who may call: asks the authorizer function as API Gateway does and keeps its answer for a while per identity. */
import { createHash } from 'node:crypto';

import type { APIGatewayAuthorizerResult, APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';

import { isFault, Forbidden, Unauthorized } from '../../layers/domain/fault.ts';
import { proofHeaders } from '../../layers/http/admission.ts';
import { apiId, stage } from './event.ts';

export type AuthorizerOptions = {
  invoke(event: APIGatewayRequestAuthorizerEvent): Promise<unknown>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** How long an answer holds; API Gateway's default is 300. */
  readonly ttlSeconds?: number;
};

/** Strings that the function finds in `requestContext.authorizer`. */
export type Context = Record<string, string>;

/** Past so many identities the oldest answers are forgotten, so that made-up credentials cannot fill the memory. */
const maxKept = 1000;

/** A digest, so that no password is kept. */
const identityOf = ({ headers, requestContext }: APIGatewayProxyEvent): string => {
  const given = Object.entries(headers).filter(([name]) => proofHeaders.includes(name.toLowerCase()));
  const seen = JSON.stringify([requestContext.identity.sourceIp, given]);
  return createHash('sha256').update(seen).digest('base64');
};

const methodArn = ({ httpMethod, path }: APIGatewayProxyEvent) =>
  `arn:aws:execute-api:local:000000000000:${apiId}/${stage}/${httpMethod}${path}`;

const toAuthorizerEvent = (event: APIGatewayProxyEvent): APIGatewayRequestAuthorizerEvent => ({
  type: 'REQUEST',
  methodArn: methodArn(event),
  resource: event.resource,
  path: event.path,
  httpMethod: event.httpMethod,
  headers: event.headers,
  multiValueHeaders: event.multiValueHeaders,
  pathParameters: event.pathParameters,
  queryStringParameters: event.queryStringParameters,
  multiValueQueryStringParameters: event.multiValueQueryStringParameters,
  stageVariables: null,
  requestContext: event.requestContext as APIGatewayRequestAuthorizerEvent['requestContext'],
});

/** IAM's wildcards: `*` any characters, `?` one. */
const covers = (pattern: string, arn: string): boolean => {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 's').test(arn);
};

/** A matching Deny wins over any Allow; without a matching Allow it is a Deny (IAM). */
const allows = ({ policyDocument }: APIGatewayAuthorizerResult, arn: string): boolean => {
  const effects = policyDocument.Statement.filter((statement) => {
    const resource = 'Resource' in statement ? statement.Resource : [];
    return [resource].flat().some((pattern) => typeof pattern === 'string' && covers(pattern, arn));
  }).map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
};

const toContext = ({ principalId, context }: APIGatewayAuthorizerResult): Context =>
  Object.fromEntries(
    Object.entries<unknown>({ principalId, ...context }).map(([name, value]) => [name, String(value)]),
  );

/** An authorizer that does not know the caller throws `Unauthorized`; that is the only error with a meaning. */
const isRefusal = (error: unknown) =>
  isFault(error) && (error.name === 'Unauthorized' || error.message === 'Unauthorized');

/**
 * Answers the context for the function behind the route. Throws Unauthorized (401) for a caller that is not known,
 * Forbidden (403) for one that may not, and the authorizer's own fault when it fails.
 */
export const createAuthorizer = ({ invoke, now, ttlSeconds = 300 }: AuthorizerOptions) => {
  const kept = new Map<string, { until: number; result: Promise<APIGatewayAuthorizerResult> }>();

  const ask = (event: APIGatewayProxyEvent, identity: string): Promise<APIGatewayAuthorizerResult> => {
    const result = invoke(toAuthorizerEvent(event)) as Promise<APIGatewayAuthorizerResult>;
    const oldest = kept.keys().next();
    if (kept.size >= maxKept && !oldest.done) kept.delete(oldest.value);
    const entry = { until: now() + ttlSeconds * 1000, result };
    kept.set(identity, entry);
    result.then(
      ({ context }) => (entry.until = Math.min(entry.until, Number(context?.['expires_at'] ?? Infinity))),
      () => kept.delete(identity),
    );
    return result;
  };

  return async (event: APIGatewayProxyEvent): Promise<Context> => {
    const identity = identityOf(event);
    const known = kept.get(identity);
    try {
      const result = await (known && known.until > now() ? known.result : ask(event, identity));
      if (allows(result, methodArn(event))) return toContext(result);
    } catch (error) {
      throw isRefusal(error) ? Unauthorized('Authorization required') : error;
    }
    throw Forbidden('Access was denied to this resource.');
  };
};
