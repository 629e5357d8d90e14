/** What leaves a function that is not called by HTTP, and what its log says of that. */
import type { Context } from 'aws-lambda';
import { expect, it } from 'vitest';

import { Conflict, Fault } from '../../../../layers/domain/fault.ts';
import { toInvoked } from '../../../../layers/platform/aws/invoked.ts';
import { createLogRecorder } from '../../../../layers/platform/memory/log.ts';

const context = { awsRequestId: 'id-1', getRemainingTimeInMillis: () => 5000 } as Context;

const throwing = async (what: unknown) => {
  const log = createLogRecorder();
  const handler = toInvoked(async () => Promise.reject(what), log);
  const [told] = await Promise.allSettled([handler({}, context)]);
  const thrown = (told as PromiseRejectedResult).reason as Error;
  return { thrown, log };
};

it('gets its event, its id and the time that is left', async () => {
  const handler = toInvoked(
    async (event, { request_id, remaining_ms }) => ({ event, request_id, left: remaining_ms() }),
    createLogRecorder(),
  );
  expect(await handler({ a: 1 }, context)).toEqual({ event: { a: 1 }, request_id: 'id-1', left: 5000 });
});

it.each([
  ['a fault', Conflict('Somebody was faster.', new Error('SECRET cause')), 'Conflict', 'Somebody was faster.'],
  ['a bug', new TypeError('x is undefined'), 'TypeError', 'x is undefined'],
  ['no error at all', 'words', 'Error', 'words'],
])(
  'tells its caller of %s the name and the message, and neither stack nor cause',
  async (_what, error, name, message) => {
    const { thrown } = await throwing(error);
    expect(thrown).toBeInstanceOf(Error);
    expect([thrown.name, thrown.message, thrown.stack, thrown.cause]).toEqual([name, message, '', undefined]);
  },
);

it('wakes somebody for mistakes of ours alone', async () => {
  expect((await throwing(Conflict('busy'))).log.lines).toEqual([]);
  for (const error of [new TypeError('x'), new Fault('PhaseUnknown', 500, 'There is no such phase.')]) {
    const { log } = await throwing(error);
    expect(log.lines).toMatchObject([{ level: 'error', fields: { request_id: 'id-1', error } }]);
  }
});
