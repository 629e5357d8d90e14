import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';

import { jsonBody, readRequest } from '../../../layers/http/request.ts';

const event = (values: object) =>
  ({
    httpMethod: 'get',
    path: '/',
    headers: {},
    body: null,
    isBase64Encoded: false,
    ...values,
  }) as APIGatewayProxyEvent;

describe('a request', () => {
  it('keeps the stage of API Gateway in its base, not in its path', () => {
    const { base, segments } = readRequest(
      event({
        path: '/v1/nodes/n%201/',
        headers: { HOST: 'id.execute-api.eu-west-1.amazonaws.com', 'X-Forwarded-Proto': 'https' },
        requestContext: { path: '/prod/v1/nodes/n%201/' },
      }),
    );
    expect(base).toBe('https://id.execute-api.eu-west-1.amazonaws.com/prod');
    expect(segments).toEqual(['v1', 'nodes', 'n 1']);
  });

  it('keeps repeated query parameters in order', () => {
    const { query } = readRequest(event({ multiValueQueryStringParameters: { a: ['2', '1'], b: [''] } }));
    expect(query).toEqual({ a: ['2', '1'], b: [''] });
  });

  it('reads a body that came in base64', () => {
    const body = Buffer.from('{"ä": "✓"}').toString('base64');
    const request = readRequest(
      event({ body, isBase64Encoded: true, headers: { 'content-type': 'application/json' } }),
    );
    expect(jsonBody(request, 100)).toEqual({ ä: '✓' });
  });

  it('counts bytes, not characters', () => {
    const request = readRequest(event({ body: '"✓✓✓"', headers: { 'content-type': 'application/json' } }));
    expect(() => jsonBody(request, 10)).toThrow(expect.objectContaining({ code: 413 }) as Error);
    expect(jsonBody(request, 11)).toBe('✓✓✓');
  });
});
