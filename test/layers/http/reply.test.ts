import { describe, expect, it } from 'vitest';

import { Conflict, Fault, Unavailable } from '../../../layers/domain/fault.ts';
import { ironic } from '../../../layers/http/protocols/ironic.ts';
import { levelOf, refuse, reply } from '../../../layers/http/reply.ts';

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
    }
  });

  it('wakes somebody only for what is a mistake of ours', () => {
    for (const error of [new Error('x'), new Fault('Damaged', 500, 'x'), 'x']) expect(levelOf(error)).toBe('error');
    expect(levelOf(Unavailable('The BMC does not answer.'))).toBe('warn');
    for (const error of [
      Conflict('x'),
      new Fault('Later', 503, 'x', { retryAfter: 60 }),
      new Fault('Never', 501, 'x'),
    ]) {
      expect(levelOf(error)).toBeUndefined();
    }
  });
});
