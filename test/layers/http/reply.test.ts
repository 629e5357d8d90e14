import { describe, expect, it } from 'vitest';

import { Conflict, Fault, TooLarge, Unavailable } from '../../../layers/domain/fault.ts';
import { isServerError, refuse, reply } from '../../../layers/http/reply.ts';

const about = { version: 50, request_id: 'req-1' };
const inner = (body: string) =>
  JSON.parse((JSON.parse(body) as { error_message: string }).error_message) as Record<string, unknown>;

describe('an answer', () => {
  it('has neither body nor Content-Type when there is nothing to say', () => {
    const { body, headers } = reply(about, 204);
    expect(body).toBe('');
    expect(headers).not.toHaveProperty('Content-Type');
  });
});

describe('a refusal', () => {
  it('has the words of the fault in the form of who refused', () => {
    const fault = Conflict('taken');
    expect(inner(refuse(about, fault, 'controller').body)).toEqual({
      faultcode: 'Client',
      faultstring: 'taken',
      debuginfo: null,
    });
    expect(inner(refuse(about, fault, 'router').body)).toMatchObject({ code: 409, description: 'taken' });
  });

  it('of a body that is too large is flat', () => {
    expect(JSON.parse(refuse(about, TooLarge('big'), 'controller').body)).toEqual({
      faultcode: 'Client',
      faultstring: 'big',
    });
  });

  it('shows what can be tried again, and nothing of a bug', () => {
    expect(refuse(about, Unavailable('later'), 'controller')).toMatchObject({ statusCode: 503 });
    expect(inner(refuse(about, Unavailable('later'), 'controller').body)).toMatchObject({ faultstring: 'later' });
    for (const error of [new Error('secret'), new Fault('Damaged', 500, 'secret'), 'secret']) {
      const answer = refuse(about, error, 'controller');
      expect(answer.statusCode).toBe(500);
      expect(answer.body).not.toContain('secret');
      expect(isServerError(error)).toBe(true);
    }
    expect(isServerError(Conflict('x'))).toBe(false);
  });
});
