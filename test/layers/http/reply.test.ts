import { describe, expect, it } from 'vitest';

import { Conflict, Fault, Unavailable } from '../../../layers/domain/fault.ts';
import { ironic } from '../../../layers/http/protocols/ironic.ts';
import { isServerError, refuse, reply } from '../../../layers/http/reply.ts';

const about = { version: 50, request_id: 'req-1' };
const inner = (body: string) =>
  JSON.parse((JSON.parse(body) as { error_message: string }).error_message) as Record<string, unknown>;

describe('an answer', () => {
  it('has neither body nor Content-Type when there is nothing to say', () => {
    const { body, headers } = reply(ironic, about, 204);
    expect(body).toBe('');
    expect(headers).not.toHaveProperty('Content-Type');
  });
});

describe('a refusal', () => {
  it('shows what can be tried again, and nothing of a bug', () => {
    expect(refuse(ironic, about, Unavailable('later'), 'resource')).toMatchObject({ statusCode: 503 });
    expect(inner(refuse(ironic, about, Unavailable('later'), 'resource').body)).toMatchObject({ faultstring: 'later' });
    for (const error of [new Error('secret'), new Fault('Damaged', 500, 'secret'), 'secret']) {
      const answer = refuse(ironic, about, error, 'resource');
      expect(answer.statusCode).toBe(500);
      expect(answer.body).not.toContain('secret');
      expect(isServerError(error)).toBe(true);
    }
    expect(isServerError(Conflict('x'))).toBe(false);
  });
});
